"""Where a tree holds truth back, nothing is scored, and one sentence says so."""

from pathlib import Path

import pytest

from .small_tree import (
    HEAD,
    IDS,
    run,
    write,
    write_layout,
    write_masks,
    write_result,
)


def enter(devkit: Path, task: str) -> None:
    """Write a result for one task."""
    if task == "classification":
        write_result(devkit, "Main/comp1_cls_val_cat.txt", f"{IDS[0]} 0.9\n")
    elif task == "detection":
        write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")
    elif task == "action":
        write_result(devkit, "Action/comp9_action_val_running.txt", f"{IDS[1]} 1 0.9\n")
    elif task == "layout":
        layout = f"<layout><image>{IDS[1]}</image><object>1</object><confidence>1</confidence>"
        write_layout(devkit, f"<results>{layout}{HEAD}</layout></results>")
    else:
        write_masks(devkit, 1, 1)


TASKS = ("classification", "detection", "action", "layout", "segmentation")


def hold_back(devkit: Path, image_id: str) -> None:
    """Take the image's annotation, its masks and what labels say of it out of the tree."""
    root = devkit / "VOC2012"
    for path in root.rglob(f"{image_id}.*"):
        path.unlink()
    for folder in ("Main", "Action"):
        for path in (root / "ImageSets" / folder).glob("*_val.txt"):
            lines = path.read_text().splitlines(keepends=True)
            path.write_text("".join(line for line in lines if image_id not in line))


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("has_negatives", [False, True])
def test_a_set_that_is_held_back_is_refused_in_one_sentence(
    devkit: Path, task: str, has_negatives: bool
) -> None:
    enter(devkit, task)
    for image_id in IDS:
        hold_back(devkit, image_id)
    if has_negatives:  # as editions of blind trees once had them
        sets = devkit / "VOC2012/ImageSets"
        for name in ("cat", "person"):
            write(sets / f"Main/{name}_val.txt", "".join(f"{image_id} -1\n" for image_id in IDS))
        write(sets / "Action/running_val.txt", f"{IDS[1]} 1 -1\n")
    said = run(str(devkit), status=1)
    assert said.count("\n") == 1
    assert "has no truth to score anything of 3 of 3 images" in said
    assert "held back" in said


@pytest.mark.parametrize("task", TASKS)
def test_a_set_that_is_held_back_in_part_is_refused_with_the_number(
    devkit: Path, task: str
) -> None:
    enter(devkit, task)
    write(devkit / "VOC2012/ImageSets/Action/val.txt", f"{IDS[1]}\n{IDS[2]}\n")
    run(str(devkit))
    hold_back(devkit, IDS[1])
    said = run(str(devkit), status=1)
    assert said.count("\n") == 1
    assert f"has no truth to score {task} of 1 of" in said
    assert f"such as {IDS[1]}" in said


def test_negatives_of_a_tree_with_label_files_alone_are_truth(devkit: Path) -> None:
    enter(devkit, "classification")
    for path in (devkit / "VOC2012/Annotations").glob("*"):
        path.unlink()
    assert "comp1" in run(str(devkit))
