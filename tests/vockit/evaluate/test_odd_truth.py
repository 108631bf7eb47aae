"""A truth that contradicts itself is scored, and one sentence says so."""

from pathlib import Path

import pytest

from .small_tree import IDS, run, write, write_cats

MAIN = "VOC2012/ImageSets/Main"


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ((-1, -1, 1), "-1 for cat in 2012_000001, whose annotation gives 1"),
        ((1, 1, 1), "1 for cat in 2012_000002, whose annotation gives -1"),
        ((1, -1, 0), "0 for cat in 2012_000003, whose annotation gives 1"),
    ],
)
def test_a_class_list_that_contradicts_annotations_is_sentence(
    devkit: Path, labels: tuple[int, ...], sentence: str
) -> None:
    rows = "".join(f"{name} {label:2d}\n" for name, label in zip(IDS, labels, strict=True))
    write(devkit / MAIN / "cat_val.txt", rows)
    write_cats(devkit)
    printed = run(str(devkit))
    assert "1 label of class lists is not what the annotations say" in printed
    assert f"The first: {sentence}." in printed


def test_lists_that_agree_with_annotations_are_not_sentence(devkit: Path) -> None:
    write_cats(devkit)
    assert "class lists" not in run(str(devkit))
