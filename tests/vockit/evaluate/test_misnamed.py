"""Files that are almost called as results are refused, since they would be passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from vockit.evaluate.errors import EvaluateError
from vockit.evaluate.misnamed import refuse_misnamed_in, suggest_name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("main/comp3_det_val_cat.txt", "Main/comp3_det_val_cat.txt"),
        ("results/MAIN/Comp3_Det_val_Cat.TXT", "Main/comp3_det_val_Cat.txt"),
        ("comp9_action_test_running.txt", "Action/comp9_action_test_running.txt"),
        ("Main/comp7_layout_test.xml", "Layout/comp7_layout_test.xml"),
        (
            "SEGMENTATION/comp5_val_cls/2012_000001.PNG",
            "Segmentation/comp5_val_cls/2012_000001.png",
        ),
        ("segmentation/comp5_Mine_CLS/a/1.png", "Segmentation/comp5_Mine_cls/a/1.png"),
        ("Main/notes.txt", None),
        ("comp3.txt", None),
        ("JPEGImages/2012_000001.png", None),
    ],
)
def test_a_name_of_results_is_suggested_for_what_looks_like_one(
    name: str, expected: str | None
) -> None:
    assert suggest_name(name) == expected


def test_a_folder_with_results_in_a_folder_of_small_letters_is_refused(tmp_path: Path) -> None:
    for place in ("Main/comp3_det_val_cat.txt", "Main/notes.txt", "old/README.md"):
        path = tmp_path / place
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    refuse_misnamed_in(tmp_path)
    (tmp_path / "Main/._comp3_det_val_dog.txt").write_text("")  # of macOS
    refuse_misnamed_in(tmp_path)
    (tmp_path / "Action").mkdir()
    (tmp_path / "Action/comp3_det_val_dog.txt").write_text("")
    with pytest.raises(EvaluateError, match="expected 'Main/comp3_det_val_dog"):
        refuse_misnamed_in(tmp_path)


def test_a_folder_with_masks_below_a_folder_of_small_letters_is_refused(tmp_path: Path) -> None:
    masks = tmp_path / "Segmentation/comp5_Mine_cls/part"
    masks.mkdir(parents=True)
    (masks / "2012_000001.png").touch()
    refuse_misnamed_in(tmp_path)
    (tmp_path / "Segmentation").rename(tmp_path / "segmentation")
    with pytest.raises(EvaluateError, match="expected 'Segmentation/comp5_Mine_cls/part/2012"):
        refuse_misnamed_in(tmp_path)
