"""The files of an entry, judged by their form: what they lack, repeat or should not hold."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .entries import make_blind, make_valid, tell
from .entries import run as run_command
from .small_tree import (
    HEAD,
    IDS,
    ROW,
    run,
    score,
    write,
    write_layout,
    write_masks,
    write_result,
)


def test_items_without_a_row_and_files_without_a_detection_are_noted(devkit: Path) -> None:
    blind = make_blind(devkit)
    results = devkit / "results" / "VOC2012"
    make_valid(results)
    write(results / "Main/comp1_cls_val_cat.txt", f"{IDS[0]} 0.5\n{IDS[0]} 0.6\n")
    write(results / "Main/comp3_det_val_cat.txt", "")
    write(results / "Action/comp9_action_val_running.txt", f"{IDS[1]} 1 0.9\n")
    notes = [
        "comp1_cls_val_cat.txt: 1 rows repeat an item; of each, the last row counts.",
        "comp1_cls_val_cat.txt: 2 of 3 items have no row and rank last.",
        "comp3_det_val_cat.txt holds no detection.",
        "comp9_action_val_running.txt: 1 of 2 items have no row and rank last.",
    ]
    assert tell("check", blind, results)[1] == notes
    assert tell("evaluate", devkit / "VOC2012", results)[1] == notes


def test_the_last_of_repeated_rows_counts_and_a_note_says_so(devkit: Path) -> None:
    rows = [f"{IDS[0]} 0.1", f"{IDS[1]} 0.5", f"{IDS[2]} 0.9", f"{IDS[0]} 0.8"]
    write_result(devkit, "Main/comp1_cls_val_cat.txt", "\n".join(rows))
    printed = run(str(devkit))
    assert "1.0000" in printed
    assert "1 rows repeat an item; of each, the last row counts" in printed


def test_missing_rows_are_ranked_last_in_the_order_of_the_label_file(devkit: Path) -> None:
    write_result(devkit, "Main/comp1_cls_val_cat.txt", "")
    cat = score(devkit)["classification"]["comp1"]["classes"]["cat"]
    assert cat["precision"] == [1, 0.5, pytest.approx(2 / 3)]
    assert cat["ap"] == pytest.approx(0.5 + 0.5 * 2 / 3)
    write_result(devkit, "Main/comp1_cls_val_cat.txt", f"{IDS[2]} 0.5\n{IDS[0]} 0.5\n")
    write(devkit / "VOC2012/ImageSets/Main/cat_val.txt", f"{IDS[0]} -1\n{IDS[1]}  0\n{IDS[2]}  1\n")
    cat = score(devkit)["classification"]["comp1"]["classes"]["cat"]
    assert cat["precision"] == [0, 0.5, 0.5]  # ties keep the order of the label file


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


def test_a_folder_too_deep_or_too_high_and_other_files_are_told_from_results(
    devkit: Path,
) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{ROW}\n")
    results = devkit / "results" / "VOC2012"
    above = run_command("check-results", results.parent, "--release", devkit, status=1)
    assert f"There are results in {results}; name that folder." in above
    below = run_command("check-results", results / "Main", "--release", devkit, status=2)
    assert f"name the one above it, {results}." in below
    other = devkit / "entry.7z"
    other.write_bytes(b"7z")
    assert "expected a folder with Main" in run_command(
        "check-results", other, "--release", devkit, status=2
    )
