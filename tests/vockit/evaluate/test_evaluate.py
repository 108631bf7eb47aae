"""`vocparty evaluate` on small trees: scores, JSON, what it accepts and what it refuses."""

import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from vockit.evaluate.results import read_rows
from vockit.format.records import VocBox, VocImage, VocObject, VocPart, VocSize, VocSource
from vockit.format.write import format_annotation
from vocparty import main

IDS = ("2012_000001", "2012_000002", "2012_000003")
CAT = VocObject("cat", VocBox(10, 10, 60, 60), "Left", False, False, False)
PART = VocPart("head", VocBox(5, 5, 20, 20))
PERSON = VocObject("person", VocBox(1, 1, 50, 80), "Frontal", False, False, False, (PART,))


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
        text = format_annotation(make_image(image_id, *some))
        write(root / "Annotations" / f"{image_id}.xml", text)
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


def write_masks(devkit: Path, *labels: int) -> Path:
    """A result folder with masks of these labels for the first images."""
    folder = devkit / "results" / "VOC2012" / "Segmentation" / "comp5_val_cls"
    for image_id, label in zip(IDS, labels, strict=False):
        write_mask(folder / f"{image_id}.png", label, border=0)
    return folder


def write_result(devkit: Path, name: str, text: str) -> None:
    write(devkit / "results" / "VOC2012" / name, text)


def run(*words: str, status: int = 0) -> str:
    done = CliRunner().invoke(main, ["evaluate", *words])
    assert done.exit_code == status, done.output
    assert isinstance(done.exception, SystemExit | None), done.exception
    return done.output


def score(devkit: Path) -> Any:
    return json.loads(run(str(devkit / "VOC2012"), "--json"))["tasks"]


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


def test_the_table_names_rules_classes_and_the_mean(devkit: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")
    write_result(devkit, "Main/comp3_det_val_person.txt", "")
    printed = run(str(devkit))
    assert "VOC2012, set val, rules of 2012: area AP" in printed
    assert "mean of 2    0.2500" in printed
    assert "11-point" in run(str(devkit), "--rules", "2007", "--class", "cat")
    assert "person" not in run(str(devkit), "--class", "cat")


def test_a_release_folder_can_be_named_instead_of_a_devkit(devkit: Path, tmp_path: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")
    release = tmp_path / "releases" / "VOC2012"
    (release / "VOCdevkit").mkdir(parents=True)
    (devkit / "VOC2012").rename(release / "VOCdevkit" / "VOC2012")
    printed = run(str(release), "--results", str(devkit / "results" / "VOC2012"))
    assert "comp3 (detection)" in printed


def test_blank_lines_crlf_bom_and_repeated_blanks_are_accepted(devkit: Path) -> None:
    path = devkit / "results" / "VOC2012" / "Main" / "comp3_det_val_cat.txt"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xef\xbb\xbf" + f"{IDS[0]}  0.9\t10 10 60 60\r\n\r\n".encode())
    assert score(devkit)["detection"]["comp3"]["classes"]["cat"]["ap"] == 0.5


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


def test_a_label_map_that_is_no_text_is_refused_in_one_sentence(devkit: Path) -> None:
    write_masks(devkit, 1, 2)
    (devkit / "VOC2012" / "labelmap.txt").write_bytes("cat:\nperson:\n".encode("utf-16-le"))
    printed = run(str(devkit), status=1)
    assert "labelmap.txt is not text: it has a zero byte in line 1; save it as UTF-8." in printed


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


def test_a_missing_mask_and_a_broken_layout_file_are_reported(devkit: Path) -> None:
    write_masks(devkit, 1)
    write_result(devkit, "Layout/comp7_layout_val.xml", "<!DOCTYPE x><results/>")
    printed = run(str(devkit), status=1)
    assert "2 problems" in printed
    assert f"{IDS[1]}.png" in printed


def test_a_missing_set_tree_or_result_is_reported(devkit: Path, tmp_path: Path) -> None:
    assert "choose another set with --set" in run(str(devkit), "--set", "test", status=1)
    assert "No results in nowhere" in run(str(devkit), "--results", "nowhere", status=1)
    (tmp_path / "empty").mkdir()
    assert "holds no VOC tree" in run(str(tmp_path / "empty"), status=1)
    (devkit / "results" / "VOC2012").mkdir(parents=True)
    assert "holds no results for the set val" in run(str(devkit), status=1)


ROW = f"{IDS[0]} 0.9 10 10 60 60"
BOX = "<bndbox><xmin>5</xmin><ymin>5</ymin><xmax>20</xmax><ymax>20</ymax></bndbox>"
HEAD = f"<part><class>head</class>{BOX}</part>"


def write_layout(devkit: Path, text: str) -> None:
    write_result(devkit, "Layout/comp7_layout_val.xml", text)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xff2\x00", ":1: expected text in ASCII or UTF-8"),
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
    assert "Unknown class 'zebra'" in run(str(devkit), "--class", "zebra", status=1)
    assert "Unknown competition" in run(str(devkit), "--competition", "comp99", status=1)


def test_a_label_file_of_another_set_is_refused(devkit: Path) -> None:
    write(devkit / "VOC2012/ImageSets/Main/cat_val.txt", "2012_000001 -1\n2012_000009  1\n")
    write_result(devkit, "Main/comp1_cls_val_cat.txt", f"{IDS[0]} 1")
    expected = "cat_val.txt:2: expected an image of val.txt and 1, 0 or -1, got 2012_000009 1"
    assert expected in run(str(devkit), status=1)


def test_an_image_set_that_lists_an_image_twice_is_refused(devkit: Path) -> None:
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
def test_masks_of_wrong_size_or_form_are_refused(devkit: Path, data: bytes, expected: str) -> None:
    (write_masks(devkit, 1) / f"{IDS[1]}.png").write_bytes(data)
    printed = run(str(devkit), status=1)
    assert f"{IDS[1]}.png: {expected}" in printed
    assert "1 problem" in printed


def test_a_ground_truth_mask_with_an_unknown_label_is_refused(devkit: Path) -> None:
    write_mask(devkit / "VOC2012" / "SegmentationClass" / f"{IDS[0]}.png", 21)
    write_masks(devkit, 1)
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


def test_all_problems_of_a_layout_file_are_reported_and_odd_objects_skipped(devkit: Path) -> None:
    start = f"<layout><image>{IDS[1]}</image><object>"
    rest = f"</object><confidence>0.5</confidence>{HEAD}</layout>"
    write_layout(devkit, f"<results>{start}nan{rest}{start}1.5{rest}{start}1{rest}</results>")
    assert score(devkit)["layout"]["comp7"]["classes"]["head"]["ap"] == 0.5
    write_layout(devkit, f"<results>{start}a{rest}{start}{rest}</results>")
    printed = run(str(devkit), status=1)
    assert "expected a number in <object>, got 'a'" in printed
    assert "expected <object> in <layout>" in printed


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


def test_segmentation_alone_needs_no_files_of_main(devkit: Path) -> None:
    for path in (devkit / "VOC2012" / "ImageSets" / "Main").iterdir():
        path.unlink()
    (devkit / "VOC2012" / "labelmap.txt").unlink()
    write_masks(devkit, 1, 2)
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
def test_the_fast_and_the_careful_reader_agree(numbers: list[float], word: str) -> None:
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


def test_an_unwritable_report_is_reported_in_one_sentence(devkit: Path, tmp_path: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", ROW)
    (tmp_path / "file").write_text("")
    told = run(str(devkit), "--report", str(tmp_path / "file" / "report"), status=1)
    assert ": Not a directory. Nothing after that was written; run it again." in told
