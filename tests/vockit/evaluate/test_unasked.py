"""What was not asked counts neither way: no line in a class list, images of tasters alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from vockit.format.asked import find_unasked
from vockit.format.write import format_annotation

from .small_tree import (
    CAT,
    CAT_BOX,
    IDS,
    PERSON,
    make_image,
    run,
    score,
    write,
    write_cats,
    write_mask,
    write_masks,
    write_result,
)

MAIN = "VOC2012/ImageSets/Main"
TASTER = "2012_000009"
DETECTIONS = "".join(f"{image_id} 0.{9 - place} {CAT_BOX}\n" for place, image_id in enumerate(IDS))


def ask_of_two_images(devkit: Path) -> None:
    """Nobody asked whether the third image shows a cat."""
    write(devkit / MAIN / "cat_val.txt", f"{IDS[0]}  1\n{IDS[1]} -1\n")


def get_class(devkit: Path, task: str, competition: str, name: str = "cat") -> Any:
    return score(devkit)[task][competition]["classes"][name]


def test_detections_and_objects_of_images_that_were_not_asked_count_neither_way(
    devkit: Path,
) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", DETECTIONS)
    everything = get_class(devkit, "detection", "comp3")
    assert (everything["npos"], "unasked" in everything) == (2, False)
    ask_of_two_images(devkit)
    cat = get_class(devkit, "detection", "comp3")
    assert (cat["npos"], cat["unasked"], cat["left_out"]) == (1, 1, 1)
    assert cat["precision"] == [1, 0.5]
    printed = run(str(devkit))
    assert "comp3: 1 row of what was not asked counts neither way (cat 1)." in printed
    assert "Of 3 images of val, not all were asked about every class; not asked: cat 1." in printed


def test_detections_in_the_form_of_coco_are_left_out_alike(devkit: Path) -> None:
    ask_of_two_images(devkit)
    file = devkit / "found.json"
    rows = [
        {"image_id": f"{image_id}.jpg", "category_id": "cat", "score": 0.9, "bbox": [9, 9, 51, 51]}
        for image_id in IDS
    ]
    file.write_text(json.dumps(rows))
    document = json.loads(run(str(devkit), "--results", str(file), "--json"))
    cat = document["tasks"]["detection"]["comp3"]["classes"]["cat"]
    assert (cat["npos"], cat["left_out"], cat["precision"]) == (1, 1, [1, 0.5])


def test_classification_ranks_the_images_that_were_asked(devkit: Path) -> None:
    write_result(
        devkit, "Main/comp1_cls_val_cat.txt", f"{IDS[2]} 0.9\n{IDS[1]} 0.5\n{IDS[0]} 0.1\n"
    )
    ask_of_two_images(devkit)
    cat = get_class(devkit, "classification", "comp1")
    assert (cat["precision"], cat["left_out"], cat["ap"]) == ([0, 0.5], 1, 0.5)
    write_result(devkit, "Main/comp1_cls_val_cat.txt", "2012_000077 0.9\n")
    assert "expected an image of the set val" in run(str(devkit), status=1)


def test_a_class_of_which_no_image_was_asked_has_no_number(devkit: Path) -> None:
    write(devkit / MAIN / "cat_val.txt", "")
    write_result(devkit, "Main/comp3_det_val_cat.txt", DETECTIONS)
    write_result(devkit, "Main/comp3_det_val_person.txt", f"{IDS[1]} 0.9 1 1 50 80\n")
    printed = run(str(devkit))
    assert "mean of 1" in printed
    assert "over 1 of 2 classes; without a number: cat" in printed
    assert "3 rows of what was not asked count neither way (cat 3)" in printed


def test_a_list_that_is_of_no_class_says_nothing_of_what_was_asked(devkit: Path) -> None:
    write(devkit / "VOC2012/labelmap.txt", "background:0,0,0\ncat:1,1,1\nperson:2,2,2\n")
    write(devkit / MAIN / "small_val.txt", f"{IDS[0]}\n")
    write_result(devkit, "Main/comp3_det_val_cat.txt", DETECTIONS)
    assert "not all were asked" not in run(str(devkit))


def test_one_answer_for_each_image_needs_classes_that_list_the_same_images(devkit: Path) -> None:
    for name in ("cat", "person"):
        rows = "".join(f"{image_id} 0.5\n" for image_id in IDS)
        write_result(devkit, f"Main/comp1_cls_val_{name}.txt", rows)
    ask_of_two_images(devkit)
    write(devkit / MAIN / "person_val.txt", f"{IDS[1]}  1\n{IDS[2]}  1\n")
    ours = score(devkit)["classification"]["comp1"]["ours"]
    assert "forced_choice" not in ours


def test_pixels_of_classes_that_were_not_asked_count_neither_way(devkit: Path) -> None:
    write_masks(devkit, 2, 1)  # a person instead of the cat, and the other way round
    classes = score(devkit)["segmentation"]["comp5"]["classes"]
    assert classes["cat"]["iou_percent"] == classes["person"]["iou_percent"] == 0
    write(devkit / MAIN / "cat_val.txt", f"{IDS[0]}  1\n")
    write(devkit / MAIN / "person_val.txt", f"{IDS[1]}  1\n")
    classes = score(devkit)["segmentation"]["comp5"]["classes"]
    assert classes["background"]["iou_percent"] == 100
    assert classes["cat"]["iou_percent"] == classes["person"]["iou_percent"] == "NaN"


def test_an_action_that_was_not_asked_of_a_person_counts_neither_way(devkit: Path) -> None:
    write(devkit / "VOC2012/ImageSets/Action/walking_val.txt", f"{IDS[1]}  1  1\n")
    rows = f"{IDS[1]} 1 0.1\n{IDS[2]} 2 0.9\n"
    write_result(devkit, "Action/comp9_action_val_walking.txt", rows)
    walking = get_class(devkit, "action", "comp9", "walking")
    assert (walking["ap"], walking["left_out"]) == (1, 1)


@pytest.mark.parametrize("folder", ["Layout", "Action", "Segmentation"])
def test_no_detection_is_scored_on_an_image_of_a_taster_alone(devkit: Path, folder: str) -> None:
    root = devkit / "VOC2012"
    text = format_annotation(make_image(TASTER, CAT, PERSON))
    write(root / "Annotations" / f"{TASTER}.xml", text)
    path = root / "ImageSets" / folder / "val.txt"
    listed = path.read_text() if path.is_file() else ""
    write(path, listed + f"{TASTER}{'  2' if folder == 'Layout' else ''}\n")
    write_mask(root / "SegmentationClass" / f"{TASTER}.png", 1)
    write_result(devkit, "Main/comp3_det_val_cat.txt", DETECTIONS + f"{TASTER} 0.95 {CAT_BOX}\n")
    cat = get_class(devkit, "detection", "comp3")
    assert (cat["npos"], cat["left_out"]) == (2, 1)
    assert cat["precision"] == [1, 0.5, pytest.approx(2 / 3)]
    refused = run(str(devkit), "--like-kit", status=1)
    assert f"expected an image of the set val, got '{TASTER}'" in refused


def test_like_the_kit_everything_in_main_was_asked(devkit: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", DETECTIONS)
    ask_of_two_images(devkit)
    document = json.loads(run(str(devkit), "--like-kit", "--json"))
    cat = document["tasks"]["detection"]["comp3"]["classes"]["cat"]
    assert (cat["npos"], cat["precision"]) == (2, [1, 0.5, pytest.approx(2 / 3)])


def test_a_report_of_what_was_asked_in_part_is_written(devkit: Path) -> None:
    ask_of_two_images(devkit)
    write_result(devkit, "Main/comp3_det_val_cat.txt", DETECTIONS)
    rows = "".join(f"{image_id} 0.5\n" for image_id in IDS)
    write_result(devkit, "Main/comp1_cls_val_cat.txt", rows)
    folder = devkit / "report"
    run(str(devkit), "--report", str(folder))
    assert "not all were asked about every class" in (folder / "index.html").read_text()


def test_ids_that_look_like_labels_are_images(tmp_path: Path) -> None:
    lists = tmp_path / "ImageSets/Main"
    write(lists / "val.txt", "0\n1\n-1\n2\n")
    write(lists / "cat_val.txt", "0 1\n1  0\n2 -1\n")
    write(lists / "dog_val.txt", "0 1\n1  0\n-1 1\n2 -1 extra\n")
    assert find_unasked(tmp_path, "val") == {"cat": {"-1"}}


def test_results_for_a_class_that_was_not_asked_at_all_count_neither_way(devkit: Path) -> None:
    write(devkit / MAIN / "cat_val.txt", "")
    write_cats(devkit)
    printed = run(str(devkit))
    assert "comp1: 3 rows of what was not asked count neither way (cat 3)." in printed
    assert "comp3: 1 row of what was not asked counts neither way (cat 1)." in printed
    tasks = score(devkit)
    for task, competition in (("classification", "comp1"), ("detection", "comp3")):
        assert tasks[task][competition]["classes"]["cat"]["ap"] == "NaN"
