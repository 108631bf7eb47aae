"""Trees and results that contradict themselves, or hold nothing of a class: one sentence each."""

from pathlib import Path

import pytest

from .small_tree import IDS, run, score, write, write_result

MAIN = "VOC2012/ImageSets/Main"


def write_both(devkit: Path) -> None:
    """Results of both tasks for cats."""
    write_result(devkit, "Main/comp1_cls_val_cat.txt", "".join(f"{name} 0.5\n" for name in IDS))
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ((-1, -1, 1), "-1 for cat in 2012_000001, whose annotation gives 1"),
        ((1, 1, 1), "1 for cat in 2012_000002, whose annotation gives -1"),
        ((1, -1, 0), "0 for cat in 2012_000003, whose annotation gives 1"),
    ],
)
def test_a_class_list_that_contradicts_annotations_is_told(
    devkit: Path, labels: tuple[int, ...], told: str
) -> None:
    rows = "".join(f"{name} {label:2d}\n" for name, label in zip(IDS, labels, strict=True))
    write(devkit / MAIN / "cat_val.txt", rows)
    write_both(devkit)
    printed = run(str(devkit))
    assert "1 label of class lists is not what the annotations say" in printed
    assert f"The first: {told}." in printed


def test_lists_that_agree_with_annotations_are_not_told(devkit: Path) -> None:
    write_both(devkit)
    assert "class lists" not in run(str(devkit))


def test_results_for_a_class_that_was_not_asked_at_all_count_neither_way(devkit: Path) -> None:
    write(devkit / MAIN / "cat_val.txt", "")
    write_both(devkit)
    printed = run(str(devkit))
    assert "comp1: 3 rows of what was not asked count neither way (cat 3)." in printed
    assert "comp3: 1 row of what was not asked counts neither way (cat 1)." in printed
    tasks = score(devkit)
    for task, competition in (("classification", "comp1"), ("detection", "comp3")):
        assert tasks[task][competition]["classes"]["cat"]["ap"] == "NaN"


def test_a_truth_without_any_object_of_a_class_has_no_number_and_says_so(devkit: Path) -> None:
    rows = "".join(f"{name} -1\n" for name in IDS)
    for image_id in IDS:
        path = devkit / f"VOC2012/Annotations/{image_id}.xml"
        path.write_text(path.read_text().replace("<name>cat<", "<name>person<"))
    write(devkit / MAIN / "cat_val.txt", rows)
    write_both(devkit)
    printed = run(str(devkit))
    assert "without a number: cat" in printed
    assert score(devkit)["detection"]["comp3"]["classes"]["cat"]["ap"] == "NaN"


def test_a_list_with_three_labels_of_one_image_is_refused(devkit: Path) -> None:
    write(devkit / MAIN / "cat_val.txt", f"{IDS[0]}  1\n{IDS[0]} -1\n{IDS[0]}  0\n")
    write_both(devkit)
    assert f"cat_val.txt:2: expected {IDS[0]} once" in run(str(devkit), status=1)
