"""Each competition that has result files is scored; what they lack or repeat is said."""

import json
from pathlib import Path

from .small_tree import IDS, ROW, run, score, write, write_cats, write_masks, write_result

MAIN = "VOC2012/ImageSets/Main"


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


def test_segmentation_alone_needs_no_files_of_main(devkit: Path) -> None:
    for path in (devkit / "VOC2012" / "ImageSets" / "Main").iterdir():
        path.unlink()
    (devkit / "VOC2012" / "labelmap.txt").unlink()
    write_masks(devkit, 1, 2)
    printed = run(str(devkit))
    assert "tvmonitor" in printed
    assert "mean of 3      100.00" in printed


def test_persons_without_points_are_scored_by_their_last_row(devkit: Path) -> None:
    rows = [f"{IDS[1]} 1 0.1", f"{IDS[2]} 2 0.5", f"{IDS[1]} 1 0.9"]
    write_result(devkit, "Action/comp9_action_val_running.txt", "\n".join(rows))
    assert "<point>" not in (devkit / "VOC2012" / "Annotations" / f"{IDS[1]}.xml").read_text()
    assert score(devkit)["action"]["comp9"]["classes"]["running"]["ap"] == 1
    write_result(devkit, "Action/comp9_action_val_running.txt", f"{IDS[1]} 2 0.1")
    assert ":1: expected a person that Action lists" in run(str(devkit), status=1)


def test_a_truth_without_any_object_of_a_class_has_no_number_and_says_so(devkit: Path) -> None:
    rows = "".join(f"{name} -1\n" for name in IDS)
    for image_id in IDS:
        path = devkit / f"VOC2012/Annotations/{image_id}.xml"
        path.write_text(path.read_text().replace("<name>cat<", "<name>person<"))
    write(devkit / MAIN / "cat_val.txt", rows)
    write_cats(devkit)
    printed = run(str(devkit))
    assert "without a number: cat" in printed
    assert score(devkit)["detection"]["comp3"]["classes"]["cat"]["ap"] == "NaN"
