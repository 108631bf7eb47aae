"""What the command accepts, what it refuses with file and line, and what only the kit refuses."""

from __future__ import annotations

import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from evaluate.results import read_rows

from .test_evaluate import IDS, devkit, run, score, write, write_mask, write_result

__all__ = ["devkit"]

ROW = f"{IDS[0]} 0.9 10 10 60 60"
BOX = "<bndbox><xmin>5</xmin><ymin>5</ymin><xmax>20</xmax><ymax>20</ymax></bndbox>"
HEAD = f"<part><class>head</class>{BOX}</part>"


def write_layout(devkit: Path, text: str) -> None:
    write_result(devkit, "Layout/comp7_layout_val.xml", text)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xff\xfe2\x00", ":1: expected text in ASCII or UTF-8"),
        (f"{ROW}\n{IDS[0]} 1_0 1 1 9 9".encode(), ":2: expected numbers after the id"),
        (f"{ROW} 7".encode(), ":1: expected <id> <confidence> <left> <top> <right> <bottom>"),
        (f"{IDS[0]} \u0661 1 1 9 9".encode(), ":1: expected numbers after the id"),
        (f"{IDS[0]}\0 1 1 1 9 9".encode(), ":1: expected plain text"),
    ],
)
def test_rows_that_no_kit_can_score_are_refused(devkit: Path, data: bytes, expected: str) -> None:
    path = devkit / "results" / "VOC2012" / "Main" / "comp3_det_val_cat.txt"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    assert f"{path}{expected}" in run(str(devkit), status=1)


def test_huge_and_infinite_numbers_are_scored_as_they_are(devkit: Path) -> None:
    rows = [ROW, f"{IDS[2]} nan 10 10 60 60", f"{IDS[0]} inf 1e308 1 inf 9"]
    write_result(devkit, "Main/comp3_det_val_cat.txt", "\n".join(rows))
    found = run(str(devkit), "--json")
    cat = json.loads(found)["tasks"]["detection"]["comp3"]["classes"]["cat"]
    assert cat["precision"] == [0, 0.5, 2 / 3]


def test_of_repeated_rows_the_last_counts_and_a_note_says_so(devkit: Path) -> None:
    rows = [f"{IDS[0]} 0.1", f"{IDS[1]} 0.5", f"{IDS[2]} 0.9", f"{IDS[0]} 0.8"]
    write_result(devkit, "Main/comp1_cls_val_cat.txt", "\n".join(rows))
    printed = run(str(devkit))
    assert "1.0000" in printed
    assert "1 rows repeat an item; of each, the last row counts" in printed


def test_a_file_of_no_class_is_named_and_one_of_another_set_is_told(devkit: Path) -> None:
    write_result(devkit, "Main/comp3_det_test_cat.txt", ROW)
    assert "There are files of test; choose with --set" in run(str(devkit), status=1)
    write_result(devkit, "Main/comp3_det_val_cat.txt", ROW)
    write_result(devkit, "Main/comp3_det_val_zebra.txt", ROW)
    assert "comp3_det_val_zebra.txt was not scored: zebra is no class" in run(str(devkit))
    assert "Unknown class 'zebra'" in run(str(devkit), "--class", "zebra", status=1)
    assert "Unknown competition" in run(str(devkit), "--competition", "comp99", status=1)


def test_a_label_file_of_another_set_is_refused(devkit: Path) -> None:
    write(devkit / "VOC2012/ImageSets/Main/cat_val.txt", "2012_000001 -1\n2012_000009  1\n")
    write_result(devkit, "Main/comp1_cls_val_cat.txt", f"{IDS[0]} 1")
    expected = "cat_val.txt:2: expected an image of val.txt and 1, 0 or -1, got 2012_000009 1"
    assert expected in run(str(devkit), status=1)


def test_an_image_that_is_listed_twice_is_refused(devkit: Path) -> None:
    write(devkit / "VOC2012/ImageSets/Main/val.txt", f"{IDS[0]}\n{IDS[0]}\n")
    write_result(devkit, "Main/comp3_det_val_cat.txt", ROW)
    assert "val.txt:2: expected 2012_000001 once" in run(str(devkit), status=1)


def make_png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (make_png(Image.new("RGB", (100, 80))), "expected a PNG of 8-bit labels, got RGB"),
        (make_png(Image.new("I;16", (100, 80))), "expected a PNG of 8-bit labels, got I;16"),
        (make_png(Image.new("L", (80, 100))), "expected the size of the truth, 100 x 80"),
        (make_png(Image.new("1", (12_000, 12_000))), "expected a PNG of 8-bit labels"),
        (make_png(Image.new("P", (11_000, 11_000))), "expected the size of the truth"),
        (make_png(Image.new("L", (100, 80), 255)), "expected labels from 0 to 2, got 255"),
        (make_png(Image.new("L", (100, 80)))[:60], "expected a whole PNG"),
        (b"GIF89a", "expected a whole PNG"),
    ],
)
def test_masks_of_other_kinds_are_refused(devkit: Path, data: bytes, expected: str) -> None:
    folder = devkit / "results" / "VOC2012" / "Segmentation" / "comp5_val_cls"
    write_mask(folder / f"{IDS[0]}.png", 1, border=0)
    (folder / f"{IDS[1]}.png").write_bytes(data)
    printed = run(str(devkit), status=1)
    assert f"{IDS[1]}.png: {expected}" in printed
    assert "1 problem" in printed


def test_a_truth_mask_with_a_label_of_no_class_is_refused(devkit: Path) -> None:
    write_mask(devkit / "VOC2012" / "SegmentationClass" / f"{IDS[0]}.png", 21)
    write_mask(devkit / "results/VOC2012/Segmentation/comp5_val_cls" / f"{IDS[0]}.png", 1, 0)
    assert "expected labels from 0 to 2 or 255, got 21" in run(str(devkit), status=1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<!DOCTYPE x [<!ENTITY a 'b'>]><results/>", ":1: expected plain XML"),
        ("<results></results>", ":1: expected at least one <layout> with a <part>"),
        ("<results><layout>\n</layout></results>", ":1: expected <image> in <layout>"),
        (f"<results><layout>{HEAD.replace('head', 'nose')}", ":1: expected plain XML"),
        ("<a>" * 100_000 + "</a>" * 100_000, ":1: expected at least one <layout>"),
        (
            f"<results><layout><image>{IDS[1]}</image><object>inf</object><confidence>x"
            f"</confidence>\n{HEAD.replace('head', 'nose')}</layout></results>",
            ":2: expected head, hand or foot, got 'nose'",
        ),
    ],
)
def test_layouts_at_which_the_kit_stops_are_refused(devkit: Path, text: str, expected: str) -> None:
    write_layout(devkit, text)
    printed = run(str(devkit), status=1)
    assert f"comp7_layout_val.xml{expected}" in printed
    assert "Traceback" not in printed


def test_all_problems_of_a_layout_file_are_told_and_odd_objects_are_skipped(devkit: Path) -> None:
    start = f"<layout><image>{IDS[1]}</image><object>"
    rest = f"</object><confidence>0.5</confidence>{HEAD}</layout>"
    write_layout(devkit, f"<results>{start}nan{rest}{start}1.5{rest}{start}1{rest}</results>")
    assert score(devkit)["layout"]["comp7"]["classes"]["head"]["ap"] == 0.5
    write_layout(devkit, f"<results>{start}a{rest}{start}{rest}</results>")
    printed = run(str(devkit), status=1)
    assert "expected a number in <object>, got 'a'" in printed
    assert "expected <object> in <layout>" in printed


def test_short_ids_and_indentation_are_refused_only_like_the_kit(devkit: Path) -> None:
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


def test_segmentation_alone_needs_no_files_of_main(devkit: Path) -> None:
    for path in (devkit / "VOC2012" / "ImageSets" / "Main").iterdir():
        path.unlink()
    (devkit / "VOC2012" / "labelmap.txt").unlink()
    folder = devkit / "results" / "VOC2012" / "Segmentation" / "comp5_val_cls"
    for image_id, label in zip(IDS[:2], (1, 2), strict=True):
        write_mask(folder / f"{image_id}.png", label, border=0)
    printed = run(str(devkit))
    assert "tvmonitor" in printed
    assert "mean of 3      100.00" in printed


def test_detections_are_painted_and_scored_as_masks(devkit: Path) -> None:
    rows = [f"{IDS[0]} 0.9 20.5 21 60 60", f"{IDS[0]} 0.1 -5 1 500 80", f"{IDS[0]} 0.95 1 1 2 2"]
    write_result(devkit, "Main/comp3_det_val_cat.txt", "\n".join(rows))
    folder = devkit / "results" / "VOC2012" / "Segmentation"
    printed = run(str(devkit), "--paint", "comp3", "--confidence", "0.5")
    assert "comp3 (segmentation, painted from the detections), percent" in printed
    assert "person" in printed
    assert "not entered" in printed
    with Image.open(folder / "comp3_val_cls" / f"{IDS[0]}.png") as image:
        labels = np.asarray(image)
    assert labels.sum() == 40 * 40 + 4
    assert labels[20, 20] == 1
    assert not labels[20, 19]
    with Image.open(folder / "comp3_val_inst" / f"{IDS[0]}.png") as image:
        assert sorted(set(np.asarray(image).ravel())) == [0, 1, 3]


@given(
    numbers=st.lists(st.floats(), min_size=4, max_size=4),
    word=st.from_regex(r"[!-~]{1,9}", fullmatch=True),
)
def test_plain_and_untidy_files_are_read_alike(numbers: list[float], word: str) -> None:
    row = [word, "0.5", *map(repr, numbers)]
    with TemporaryDirectory() as folder:
        found = []
        for blank in (" ", " \t"):
            path = Path(folder) / "rows.txt"
            path.write_text(f"{blank.join(row)}\n" * 2)
            found.append(read_rows(path, 5))
    assert found[0].ids == found[1].ids == [word] * 2
    assert found[0].lines.tolist() == found[1].lines.tolist() == [1, 2]
    assert np.array_equal(found[0].numbers, found[1].numbers, equal_nan=True)


def test_a_report_that_cannot_be_written_is_one_sentence(devkit: Path, tmp_path: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", ROW)
    (tmp_path / "file").write_text("")
    told = run(str(devkit), "--report", str(tmp_path / "file" / "report"), status=1)
    assert ": Not a directory. Nothing after that was written; run it again." in told
