"""The tree's side of an evaluation: sets, label files, annotations and masks."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from .small_tree import (
    CAT_BOX,
    HEAD,
    IDS,
    ROW,
    run,
    score,
    write,
    write_layout,
    write_mask,
    write_masks,
    write_person,
    write_result,
)


def test_a_release_folder_can_be_named_instead_of_a_devkit(devkit: Path, tmp_path: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")
    release = tmp_path / "releases" / "VOC2012"
    (release / "VOCdevkit").mkdir(parents=True)
    (devkit / "VOC2012").rename(release / "VOCdevkit" / "VOC2012")
    printed = run(str(release), "--results", str(devkit / "results" / "VOC2012"))
    assert "comp3 (detection)" in printed


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_text_files_with_a_byte_order_mark_give_the_same_scores(
    devkit: Path, encoding: str, line_end: str
) -> None:
    write_masks(devkit, 1, 2)
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")
    write_result(devkit, "Main/comp3_det_val_person.txt", f"{IDS[1]} 0.8 20 20 60 60\n")
    label_map = devkit / "VOC2012" / "labelmap.txt"
    label_map.write_text("background:0,0,0\ncat:1,1,1\nperson:2,2,2\n")  # its first line counts
    expected = score(devkit)
    texts = [label_map, *(devkit / "VOC2012" / "ImageSets").rglob("*.txt")]
    for path in [*texts, *(devkit / "results").rglob("*.txt")]:
        path.write_bytes(path.read_text().replace("\n", line_end).encode(encoding))
    assert score(devkit) == expected


def test_a_missing_set_tree_or_result_is_reported(devkit: Path, tmp_path: Path) -> None:
    assert "choose another set with --set" in run(str(devkit), "--set", "test", status=2)
    assert "No results in nowhere" in run(str(devkit), "--results", "nowhere", status=2)
    (tmp_path / "empty").mkdir()
    assert "holds no VOC tree" in run(str(tmp_path / "empty"), status=2)
    (devkit / "results" / "VOC2012").mkdir(parents=True)
    assert "holds no results for the set val" in run(str(devkit), status=1)


def test_a_ground_truth_mask_with_an_unknown_label_is_refused(devkit: Path) -> None:
    write_mask(devkit / "VOC2012" / "SegmentationClass" / f"{IDS[0]}.png", 21)
    write_masks(devkit, 1)
    assert "expected labels from 0 to 2 or 255, got 21" in run(str(devkit), status=1)


def test_short_ids_and_indentation_are_refused_only_with_like_kit(devkit: Path) -> None:
    sets = devkit / "VOC2012" / "ImageSets" / "Main"
    write(sets / "val.txt", "000001\n")
    write(sets / "cat_val.txt", "000001  1\n")
    write_result(devkit, "Main/comp1_cls_val_cat.txt", "000001 0.5\n")
    assert "1.0000" in run(str(devkit))
    printed = run(str(devkit), "--like-kit", status=1)
    assert "val.txt:1: expected an id such as 2012_000001" in printed
    layout = f"<layout> <image>{IDS[1]}</image><object>1</object><confidence>1</confidence>{HEAD}"
    write_layout(devkit, f"<results>{layout}</layout></results>\n")
    assert "comp7" in run(str(devkit), "--competition", "comp7")
    printed = run(str(devkit), "--competition", "comp7", "--like-kit", status=1)
    assert "comp7_layout_val.xml:1: expected only tabs and line ends between tags" in printed


def test_trees_of_2008_use_the_ap_of_2007_and_the_later_rules(devkit: Path) -> None:
    (devkit / "VOC2012").rename(devkit / "VOC2009")
    words = [str(devkit), "--results", str(devkit / "results" / "VOC2012")]
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 {CAT_BOX}\n")
    write_layout(devkit, f"<results>{write_person(IDS[1], 1, 0.2, HEAD)}</results>")
    document = json.loads(run(*words, "--json"))
    assert document["rules"] == "2008"
    assert document["tasks"]["detection"]["comp3"]["classes"]["cat"]["ap"] == pytest.approx(6 / 11)
    assert document["tasks"]["layout"]["comp7"]["classes"]["head"]["ap"] == pytest.approx(6 / 11)


def test_an_unreadable_annotation_is_reported_with_the_reason(devkit: Path) -> None:
    path = devkit / "VOC2012" / "Annotations" / f"{IDS[0]}.xml"
    path.write_text(path.read_text().replace("<xmin>10<", "<xmin>ten<").rstrip())
    write_result(devkit, "Main/comp3_det_val_cat.txt", "")
    assert "expected a number in <xmin>: 'ten'" in run(str(devkit), status=1)


def test_a_four_bit_palette_mask_is_read_by_its_indices(devkit: Path) -> None:
    for path in write_masks(devkit, 1, 2).iterdir():
        with Image.open(path) as opened:
            labels = opened.convert("P")
        labels.putdata(np.asarray(opened).ravel().tolist())
        labels.putpalette([0, 0, 0, 128, 0, 0, 0, 128, 0])
        labels.save(path, bits=4)
    entry = json.loads(run(str(devkit), "--json"))["tasks"]["segmentation"]["comp5"]
    assert [score["iou_percent"] for score in entry["classes"].values()] == [100, 100, 100]


def test_masks_are_scored_in_the_numbers_of_the_label_map(devkit: Path) -> None:
    text = "cat:1,1,1::\nbackground:0,0,0::\nperson:2,2,2::\n"
    (devkit / "VOC2012/labelmap.txt").write_text(text)
    truth = np.array([[0, 1, 2, 255]], np.uint8)  # cat, background, person, void
    for image_id in IDS[:2]:
        path = devkit / f"VOC2012/SegmentationClass/{image_id}.png"
        Image.fromarray(truth).save(path)
        path = devkit / f"results/VOC2012/Segmentation/comp5_val_cls/{image_id}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.array([[0, 1, 1, 0]], np.uint8)).save(path)
    classes = score(devkit)["segmentation"]["comp5"]["classes"]
    assert {name: entry["iou_percent"] for name, entry in classes.items()} == {
        "background": 50,
        "cat": 100,
        "person": 0,
    }


def test_images_in_folders_of_their_own_are_scored(devkit: Path) -> None:
    root = devkit / "VOC2012"
    expected = f"2012/{IDS[0]}"
    (root / "Annotations/2012").mkdir()
    (root / f"Annotations/{IDS[0]}.xml").rename(root / f"Annotations/{expected}.xml")
    for path in (root / "ImageSets/Main").glob("*.txt"):
        path.write_text(path.read_text().replace(IDS[0], expected))
    write_result(devkit, "Main/comp3_det_val_cat.txt", ROW.replace(IDS[0], expected))
    assert score(devkit)["detection"]["comp3"]["classes"]["cat"]["npos"] == 2
