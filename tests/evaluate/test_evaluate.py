"""`vocparty evaluate` on small trees: scores, JSON, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from voc.records import VocBox, VocImage, VocObject, VocPart, VocSize, VocSource
from voc.write import format_annotation
from vocparty import main

IDS = ("2012_000001", "2012_000002", "2012_000003")
CAT = VocObject(
    "cat", VocBox(10, 10, 60, 60), "Left", truncated=False, occluded=False, difficult=False
)
PERSON = VocObject(
    "person",
    VocBox(1, 1, 50, 80),
    "Frontal",
    truncated=False,
    occluded=False,
    difficult=False,
    parts=(VocPart("head", VocBox(5, 5, 20, 20)),),
)


def make_image(image_id: str, *objects: VocObject) -> VocImage:
    source = VocSource("The Test Database", "Test", "flickr")
    size = VocSize(100, 80, 3)
    return VocImage(f"{image_id}.jpg", objects, "VOC2012", source, size=size, segmented=True)


@pytest.fixture
def devkit(tmp_path: Path) -> Path:
    """Three images: a cat, a person, and both; of the first two there are masks."""
    root = tmp_path / "VOC2012"
    objects = {IDS[0]: (CAT,), IDS[1]: (PERSON,), IDS[2]: (CAT, PERSON)}
    for image_id, some in objects.items():
        write(
            root / "Annotations" / f"{image_id}.xml", format_annotation(make_image(image_id, *some))
        )
    sets = root / "ImageSets"
    write(root / "labelmap.txt", "# label:color_rgb\nbackground:0,0,0\ncat:1,1,1\nperson:2,2,2\n")
    write(sets / "Main" / "val.txt", "".join(f"{it}\n" for it in IDS))
    write(sets / "Main" / "cat_val.txt", f"{IDS[0]}  1\n{IDS[1]} -1\n{IDS[2]}  1\n")
    write(sets / "Main" / "person_val.txt", f"{IDS[0]} -1\n{IDS[1]}  1\n{IDS[2]}  1\n")
    write(sets / "Layout" / "val.txt", f"{IDS[1]}  1\n{IDS[2]}  2\n")
    write(sets / "Action" / "running_val.txt", f"{IDS[1]}  1  1\n{IDS[2]}  2 -1\n")
    write(sets / "Segmentation" / "val.txt", f"{IDS[0]}\n{IDS[1]}\n")
    for image_id, label in ((IDS[0], 1), (IDS[1], 2)):
        write_mask(root / "SegmentationClass" / f"{image_id}.png", label)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def write_mask(path: Path, label: int, border: int = 255, width_px: int = 100) -> None:
    labels = np.zeros((80, width_px), np.uint8)
    labels[20:60, 20:60] = label
    labels[20:60, 60:62] = border
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(labels).save(path)


def write_result(devkit: Path, name: str, text: str) -> None:
    write(devkit / "results" / "VOC2012" / name, text)


def run(*words: str, status: int = 0) -> str:
    done = CliRunner().invoke(main, ["evaluate", *words])
    assert done.exit_code == status, done.output
    assert isinstance(done.exception, SystemExit | None), done.exception
    return done.output


def score(devkit: Path) -> dict[str, dict[str, dict[str, dict[str, dict[str, float]]]]]:
    found: dict[str, dict[str, dict[str, dict[str, dict[str, float]]]]]
    found = json.loads(run(str(devkit / "VOC2012"), "--json"))["tasks"]
    return found


def test_every_task_is_scored_from_the_files_that_are_there(devkit: Path) -> None:
    write_result(
        devkit, "Main/comp1_cls_val_cat.txt", f"{IDS[0]} 0.9\n{IDS[1]} 0.1\n{IDS[2]} 0.8\n"
    )
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")
    write_result(
        devkit, "Action/comp9_action_val_running.txt", f"{IDS[1]} 1 0.9\n{IDS[2]} 2 0.95\n"
    )
    part = "<bndbox><xmin>5</xmin><ymin>5</ymin><xmax>20</xmax><ymax>20</ymax></bndbox>"
    layout = (
        f"<layout><image>{IDS[1]}</image><object>1</object><confidence>0.5</confidence>"
        f"<part><class>head</class>{part}</part></layout>"
    )
    write_result(devkit, "Layout/comp7_layout_val.xml", f"<results>{layout}</results>")
    for image_id, label in ((IDS[0], 1), (IDS[1], 1)):
        folder = devkit / "results" / "VOC2012" / "Segmentation" / "comp5_val_cls"
        write_mask(folder / f"{image_id}.png", label, border=0)
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


def test_the_table_names_rules_classes_and_the_mean(devkit: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")
    write_result(devkit, "Main/comp3_det_val_person.txt", "")
    printed = run(str(devkit))
    assert "VOC2012, set val, rules of 2012: area AP" in printed
    assert "mean of 2    0.2500" in printed
    assert "11-point" in run(str(devkit), "--rules", "2007", "--class", "cat")
    assert "person" not in run(str(devkit), "--class", "cat")


def test_a_release_may_be_named_by_its_own_folder(devkit: Path, tmp_path: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")
    release = tmp_path / "releases" / "VOC2012"
    (release / "VOCdevkit").mkdir(parents=True)
    (devkit / "VOC2012").rename(release / "VOCdevkit" / "VOC2012")
    printed = run(str(release), "--results", str(devkit / "results" / "VOC2012"))
    assert "comp3 (detection)" in printed


def test_blank_lines_crlf_bom_and_runs_of_blanks_are_accepted(devkit: Path) -> None:
    path = devkit / "results" / "VOC2012" / "Main" / "comp3_det_val_cat.txt"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xef\xbb\xbf" + f"{IDS[0]}  0.9\t10 10 60 60\r\n\r\n".encode())
    assert score(devkit)["detection"]["comp3"]["classes"]["cat"]["ap"] == 0.5


def test_all_problems_are_shown_at_once_with_file_and_line(devkit: Path) -> None:
    rows = [
        f"{IDS[0]} 0.9 10 10 60",
        f"{IDS[0]} 0,9 10 10 60 60",
        "2012_999999 0.9 10 10 60 60",
        f"{IDS[0]}\u202e 0.9 10 10 60 60",
    ]
    write_result(devkit, "Main/comp3_det_val_cat.txt", "\n".join(rows) + "\n")
    printed = run(str(devkit), status=1)
    assert "4 problems; nothing was scored" in printed
    for expected in (
        "cat.txt:1: expected <id> <confidence> <left> <top> <right> <bottom>, got 5 columns",
        "cat.txt:2: expected numbers after the id, got '0,9 10 10 60 60'",
        "cat.txt:3: expected an image of the set val, got '2012_999999'",
        "cat.txt:4: expected plain text",
    ):
        assert expected in printed
    assert "Traceback" not in printed


def test_only_the_first_twenty_problems_are_shown_in_full(devkit: Path) -> None:
    write_result(devkit, "Main/comp1_cls_val_cat.txt", "nowhere 1\n" * 50)
    printed = run(str(devkit), status=1)
    assert printed.count("expected an image") == 20
    assert "... and 30 more" in printed


def test_a_missing_mask_and_a_broken_layout_are_problems(devkit: Path) -> None:
    folder = devkit / "results" / "VOC2012" / "Segmentation" / "comp5_val_cls"
    write_mask(folder / f"{IDS[0]}.png", 1, border=0)
    write_result(devkit, "Layout/comp7_layout_val.xml", "<!DOCTYPE x><results/>")
    printed = run(str(devkit), status=1)
    assert "2 problems" in printed
    assert f"{IDS[1]}.png" in printed


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--set", "test"], "choose another set with --set"),
        (["--results", "nowhere"], "No results in nowhere"),
    ],
)
def test_what_is_not_there_is_told_in_a_sentence(
    devkit: Path, words: list[str], expected: str
) -> None:
    assert expected in run(str(devkit), *words, status=1)


def test_a_folder_without_a_tree_or_results_is_told(devkit: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "holds no VOC tree" in run(str(tmp_path / "empty"), status=1)
    (devkit / "results" / "VOC2012").mkdir(parents=True)
    assert "holds no results for the set val" in run(str(devkit), status=1)
