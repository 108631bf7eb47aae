"""Each competition that has result files is scored; what they lack or repeat is said."""

import json
import os
from pathlib import Path

import pytest

from .small_tree import IDS, ROW, run, score, write, write_masks, write_result


def test_every_task_with_result_files_is_scored(devkit: Path) -> None:
    rows = f"{IDS[0]} 0.9\n{IDS[1]} 0.1\n{IDS[2]} 0.8\n"
    write_result(devkit, "Main/comp1_cls_val_cat.txt", rows)
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")
    rows = f"{IDS[1]} 1 0.9\n{IDS[2]} 2 0.95\n"
    write_result(devkit, "Action/comp9_action_val_running.txt", rows)
    part = "<bndbox><xmin>5</xmin><ymin>5</ymin><xmax>20</xmax><ymax>20</ymax></bndbox>"
    layout = (
        f"<layout><image>{IDS[1]}</image><object>1</object><confidence>0.5</confidence>"
        f"<part><class>head</class>{part}</part></layout>"
    )
    write_result(devkit, "Layout/comp7_layout_val.xml", f"<results>{layout}</results>")
    write_masks(devkit, 1, 1)
    tasks = score(devkit)
    assert tasks["classification"]["comp1"]["classes"]["cat"]["ap"] == 1
    assert tasks["detection"]["comp3"]["classes"]["cat"]["ap"] == 0.5
    assert tasks["detection"]["comp3"]["classes"]["cat"]["npos"] == 2
    assert tasks["action"]["comp9"]["classes"]["running"]["ap"] == 0.5
    assert tasks["layout"]["comp7"]["classes"]["head"]["ap"] == 0.5
    classes = tasks["segmentation"]["comp5"]["classes"]
    assert classes["background"]["iou_percent"] == 100
    assert classes["cat"]["iou_percent"] == 50
    assert classes["person"]["iou_percent"] == 0


def test_huge_and_infinite_numbers_are_scored_as_they_are(devkit: Path) -> None:
    rows = [ROW, f"{IDS[2]} nan 10 10 60 60", f"{IDS[0]} inf 1e308 1 inf 9"]
    write_result(devkit, "Main/comp3_det_val_cat.txt", "\n".join(rows))
    output = run(str(devkit), "--json")
    cat = json.loads(output)["tasks"]["detection"]["comp3"]["classes"]["cat"]
    assert cat["precision"] == [0, 0.5, 2 / 3]


def test_the_last_of_repeated_rows_counts_and_a_note_says_so(devkit: Path) -> None:
    rows = [f"{IDS[0]} 0.1", f"{IDS[1]} 0.5", f"{IDS[2]} 0.9", f"{IDS[0]} 0.8"]
    write_result(devkit, "Main/comp1_cls_val_cat.txt", "\n".join(rows))
    printed = run(str(devkit))
    assert "1.0000" in printed
    assert "1 rows repeat an item; of each, the last row counts" in printed


def test_result_files_of_unknown_classes_or_other_sets_are_reported(devkit: Path) -> None:
    write_result(devkit, "Main/comp3_det_test_cat.txt", ROW)
    assert "There are files of test; choose with --set" in run(str(devkit), status=1)
    write_result(devkit, "Main/comp3_det_val_cat.txt", ROW)
    write_result(devkit, "Main/comp3_det_val_zebra.txt", ROW)
    assert "comp3_det_val_zebra.txt was not scored: zebra is no class" in run(str(devkit))
    assert "Unknown class 'zebra'" in run(str(devkit), "--class", "zebra", status=2)
    assert "Unknown competition" in run(str(devkit), "--competition", "comp99", status=2)


def test_results_of_other_competitions_are_named(devkit: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", ROW)
    write_result(devkit, "Main/comp1_cls_val_cat.txt", f"{IDS[0]} 1")
    (devkit / "results/VOC2012/Segmentation/comp5_val_cls").mkdir(parents=True)
    expected = (
        "holds no results of comp9 for the set val. There are files of comp1, comp3, comp5; choose "
        "with --competition."
    )
    assert expected in run(str(devkit), "--competition", "comp9", status=1)


def test_segmentation_alone_needs_no_files_of_main(devkit: Path) -> None:
    for path in (devkit / "VOC2012" / "ImageSets" / "Main").iterdir():
        path.unlink()
    (devkit / "VOC2012" / "labelmap.txt").unlink()
    write_masks(devkit, 1, 2)
    printed = run(str(devkit))
    assert "tvmonitor" in printed
    assert "mean of 3      100.00" in printed


def test_missing_rows_are_ranked_last_in_the_order_of_the_label_file(devkit: Path) -> None:
    write_result(devkit, "Main/comp1_cls_val_cat.txt", "")
    cat = score(devkit)["classification"]["comp1"]["classes"]["cat"]
    assert cat["precision"] == [1, 0.5, pytest.approx(2 / 3)]
    assert cat["ap"] == pytest.approx(0.5 + 0.5 * 2 / 3)
    write_result(devkit, "Main/comp1_cls_val_cat.txt", f"{IDS[2]} 0.5\n{IDS[0]} 0.5\n")
    write(devkit / "VOC2012/ImageSets/Main/cat_val.txt", f"{IDS[0]} -1\n{IDS[1]}  0\n{IDS[2]}  1\n")
    cat = score(devkit)["classification"]["comp1"]["classes"]["cat"]
    assert cat["precision"] == [0, 0.5, 0.5]  # ties keep the order of the label file


def test_persons_without_points_are_scored_by_their_last_row(devkit: Path) -> None:
    rows = [f"{IDS[1]} 1 0.1", f"{IDS[2]} 2 0.5", f"{IDS[1]} 1 0.9"]
    write_result(devkit, "Action/comp9_action_val_running.txt", "\n".join(rows))
    assert "<point>" not in (devkit / "VOC2012" / "Annotations" / f"{IDS[1]}.xml").read_text()
    assert score(devkit)["action"]["comp9"]["classes"]["running"]["ap"] == 1
    write_result(devkit, "Action/comp9_action_val_running.txt", f"{IDS[1]} 2 0.1")
    assert ":1: expected a person that Action lists" in run(str(devkit), status=1)


def test_a_missing_mask_and_a_broken_layout_file_are_reported(devkit: Path) -> None:
    write_masks(devkit, 1)
    write_result(devkit, "Layout/comp7_layout_val.xml", "<!DOCTYPE x><results/>")
    printed = run(str(devkit), status=1)
    assert "2 problems" in printed
    assert f"{IDS[1]}.png" in printed


@pytest.mark.parametrize("kind", ["a link that leads nowhere", "a pipe", "a folder"])
def test_a_class_file_that_cannot_be_read_is_told_and_missing(devkit: Path, kind: str) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", ROW)
    path = devkit / "results/VOC2012/Main/comp3_det_val_person.txt"
    if kind == "a folder":
        path.mkdir()
    elif kind == "a pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("nowhere")
    printed = run(str(devkit))
    assert f"Note: {path.name} was not scored: it is" in printed
    assert "over 1 of 2 classes; missing: person" in printed
    assert score(devkit)["detection"]["comp3"]["missing"] == ["person"]
    assert "missing" not in run(str(devkit), "--class", "cat").split("Note")[0]


def test_the_reason_is_told_where_no_class_file_can_be_read(devkit: Path) -> None:
    write_result(devkit, "Main/x.txt", "")
    path = devkit / "results/VOC2012/Main/comp3_det_val_cat.txt"
    path.symlink_to("nowhere")
    assert "it is a link that leads nowhere" in run(str(devkit), status=1)
