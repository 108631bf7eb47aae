"""Pages over pictures: what they list, that they escape, and that Chromium opens them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, expect

from tests.browser import browsing
from tests.trees import make_tree
from vockit.command import main
from vockit.kit import open_release
from vockit.viewers.page import Mark, Slide, write_viewer


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return make_tree(tmp_path)


def run(*words: object, status: int = 0) -> str:
    done = CliRunner().invoke(main, list(map(str, words)))
    assert done.exit_code == status, done.output
    assert "Traceback" not in done.output
    return done.output


def read_slides(folder: Path) -> list[Any]:
    page = (folder / "index.html").read_text()
    (data,) = re.findall(r'<script type="application/json" id="slides">(.*?)</script>', page)
    content = json.loads(data)
    return [
        slide | {"marks": [content["marks"][number] for number in slide["marks"]]}
        for slide in content["slides"]
    ]


def list_marks(slide: Any) -> list[tuple[str, str]]:
    return [(mark["kinds"][0], mark["text"]) for mark in slide["marks"]]


def test_a_set_is_shown_with_boxes_masks_parts_and_actions(tree: Path, tmp_path: Path) -> None:
    said = run("show", tree, "train", "--out", tmp_path / "shown")
    assert "2 images" in said
    first, second = read_slides(tmp_path / "shown")
    assert first["id"] == "2012_000001"
    assert (tmp_path / "shown" / first["picture"]).resolve() == (
        tree / "JPEGImages/2012_000001.jpg"
    ).resolve()
    assert sorted(first["masks"]) == ["class", "object"]
    assert list_marks(second) == [
        ("object", "1. cat: Rear, difficult"),
        ("object", "2. person: Frontal"),
        ("part", "head"),
    ]
    run("show", tree, "train", "--out", tmp_path / "action", "--lists", "Action")
    (walker,) = read_slides(tmp_path / "action")
    assert list_marks(walker)[0] == ("object", "1. person: walking")
    assert ("object", "") in list_marks(walker)  # the point on the body


def test_images_of_one_class_are_shown_or_none_is_told(tree: Path, tmp_path: Path) -> None:
    run("show", tree, "train", "--class", "person", "--out", tmp_path / "shown")
    assert [slide["id"] for slide in read_slides(tmp_path / "shown")] == ["2012_000002"]
    assert "Unknown class 'cow'" not in run(
        "show", tree, "train", "--class", "cow", "--out", tmp_path / "no", status=1
    )
    said = run("show", tree, "train", "--class", "dragon", "--out", tmp_path / "no", status=2)
    assert "Unknown class 'dragon'" in said
    assert not (tmp_path / "no").exists()


def test_a_class_whose_name_begins_with_another_is_not_shown_for_it(
    tree: Path, tmp_path: Path
) -> None:
    (tree / "labelmap.txt").write_text("background:0,0,0::\nper:1,1,1::\nperson:2,2,2::\n")
    options = ("--class", "per", "--out", tmp_path / "no")
    assert "has no such image" in run("show", tree, "train", *options, status=1)


def test_an_image_without_annotation_is_shown_alone(tree: Path, tmp_path: Path) -> None:
    (tree / "Annotations/2012_000001.xml").unlink()
    run("show", tree, "train", "--out", tmp_path / "shown")
    first = read_slides(tmp_path / "shown")[0]
    assert first["marks"] == []
    assert "held back" in first["head"]


def write_detections(tree: Path) -> Path:
    """In train: a true one, a false one, one on a difficult object; the object in val is missed."""
    results = tree.parent / "results" / "VOC2012"
    rows = [
        "2012_000002 0.7 2 3 50 30",
        "2012_000001 0.9 2 3 50 30",
        "2012_000001 0.8 1 1 5 inf",
    ]
    (results / "Main").mkdir(parents=True)
    (results / "Main/comp3_det_train_cat.txt").write_text("\n".join(rows))
    (results / "Main/comp3_det_train_person.txt").write_text("2012_000001 0.5 1 1 9 9\n")
    return results


def test_detections_are_shown_by_rank_with_what_they_count_as(tree: Path, tmp_path: Path) -> None:
    results = write_detections(tree)
    said = run("show-detections", results, "cat", "--set", "train", "--out", tmp_path / "shown")
    assert "3 pictures, AP 1.0000" in said
    slides = read_slides(tmp_path / "shown")
    assert [slide["kind"] for slide in slides] == ["true", "false", "difficult"]
    assert slides[0]["head"] == "Rank 1: true, confidence 0.9, overlap 1.00"
    assert ("false", "rank 2: false") in list_marks(slides[0])
    assert ("difficult", "difficult object") in list_marks(slides[2])
    options = ("--set", "train", "--only-true", "--out", tmp_path / "true")
    run("show-detections", results, "cat", *options)
    assert [slide["kind"] for slide in read_slides(tmp_path / "true")] == ["true"]


def test_pictures_and_rows_that_the_page_leaves_out_are_counted(tree: Path, tmp_path: Path) -> None:
    results = write_detections(tree)
    options = ("--set", "train", "--out", tmp_path / "shown")
    said = run("show-detections", results, "cat", *options, "--most", 1)
    assert "1 picture, AP 1.0000" in said
    assert "Left out 2 pictures; show more with --most." in said
    (tree / "ImageSets/Main/cat_train.txt").write_text("2012_000001  1\n")
    said = run("show-detections", results, "cat", *options)
    assert "Left out" not in said
    assert "Note: comp3: 1 row of what was not asked counts neither way (cat 1)." in said


def test_objects_that_no_detection_found_follow_the_ranks(tree: Path, tmp_path: Path) -> None:
    results = write_detections(tree)
    run("show-detections", results, "person", "--set", "train", "--out", tmp_path / "shown")
    slides = read_slides(tmp_path / "shown")
    assert [(slide["kind"], slide["id"]) for slide in slides] == [
        ("false", "2012_000001"),
        ("missed", "2012_000002"),
    ]
    assert slides[1]["head"] == "1 object not found"
    said = run(
        "show-detections",
        results,
        "person",
        "--set",
        "train",
        "--out",
        "x",
        "--only-true",
        status=1,
    )
    assert "There is no true detection to show" in said
    said = run("show-detections", results, "dog", "--set", "train", "--out", "x", status=1)
    assert "no results for the set train" in said


def test_faults_of_results_are_told_as_the_evaluation_tells_them(
    tree: Path, tmp_path: Path
) -> None:
    results = write_detections(tree)
    (results / "Main/comp3_det_train_cat.txt").write_text("nowhere 1 1 1 1 1\n")
    said = run("show-detections", results, "cat", "--set", "train", "--out", "x", status=1)
    assert "The results hold 1 problem; nothing was scored." in said


def test_another_file_is_not_overwritten(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "shown").mkdir()
    (tmp_path / "shown/index.html").write_text("mine")
    run("show", tree, "train", "--out", tmp_path / "shown", status=1)
    assert (tmp_path / "shown/index.html").read_text() == "mine"


@pytest.mark.browser
def test_a_browser_opens_the_page_from_the_disk_and_hears_the_keys(
    tree: Path, tmp_path: Path, chromium: Browser
) -> None:
    release = open_release(tree)
    odd = "</script><img src=x onerror=alert(1)>"
    picture = (tree / "JPEGImages/2012_000001.jpg").rename(tree / "JPEGImages/a #%?é.jpg")
    marks = [Mark([2, 3, 50, float("inf")], ("true",), odd, odd)]
    slides = [
        Slide(odd, picture, (100, 80), marks, odd, "true"),
        Slide("second", release.root / "JPEGImages/2012_000002.jpg", (100, 80), [], "", "false"),
    ]
    page_file = write_viewer(tmp_path / "a folder", odd, slides)
    with browsing(chromium) as page:
        page.goto(page_file.as_uri())
        expect(page.locator("body[data-ready=true] #name")).to_have_text(odd)
        expect(page.locator("#marks li")).to_have_text([odd])
        expect(page.locator("h1")).to_have_text(odd)
        expect(page.locator("#picture img")).to_have_js_property("complete", True)
        expect(page.locator("#unread")).to_be_hidden()
        assert page.locator("#picture img").evaluate("image => image.naturalWidth") > 0
        page.keyboard.press("ArrowRight")
        expect(page.locator("#name")).to_have_text("second")
        expect(page.locator("#next")).to_be_disabled()
        page.keyboard.press("Home")
        expect(page.locator("#place")).to_have_text("1 of 2")
        page.locator("#kind").select_option("false")
        expect(page.locator("#name")).to_have_text("second")
        page.locator("#find").fill("none such")
        expect(page.locator("#place")).to_have_text("nothing to show")


def test_a_thousand_detections_of_two_pictures_make_a_small_page(
    tree: Path, tmp_path: Path
) -> None:
    """Each slide shows all detections of its picture, which are in the page once."""
    rows = [
        f"2012_{1 + number % 2:06} {1 - number / 1000} {number % 90 + 1} 1 {number % 90 + 9} 9\n"
        for number in range(1000)
    ]
    write_detections(tree)
    results = tree.parent / "results/VOC2012"
    (results / "Main/comp3_det_train_cat.txt").write_text("".join(rows))
    run("show-detections", results, "cat", "--set", "train", "--out", tmp_path / "shown")
    slides = read_slides(tmp_path / "shown")
    assert all(len(slide["marks"]) > 500 for slide in slides[:1000])
    assert (tmp_path / "shown/index.html").stat().st_size < 4_000_000
