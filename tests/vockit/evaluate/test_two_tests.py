"""Two test sets of one tree side by side: AP with intervals, and what differs between the sets."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from vockit.evaluate.scores import Scores
from vockit.evaluate.scoring import score
from vockit.evaluate.show import make_document
from vockit.evaluate.truth import Truth, open_truth
from vockit.evaluate.two_tests import compare_tests, is_one_of_two, measure_intervals

from .small_tree import IDS, ROW, run, write

SETS = {"test": IDS[:2], "test2": IDS[2:]}
LABELS = {IDS[0]: (1, -1), IDS[1]: (-1, 1), IDS[2]: (1, 1)}
PHOTOS = {
    IDS[0]: {"owner_id": "ann", "uploaded_at": "2011-05-01T00:00:00Z"},
    IDS[1]: {"owner_id": "ann", "taken_at": "2009-01-01 00:00:00"},
    IDS[2]: {"owner_id": "bob", "uploaded_at": "2019-05-01T00:00:00Z"},
}


@pytest.fixture
def release(devkit: Path, tmp_path: Path) -> Path:
    """A release with two images in test and one in test2, and results for both sets."""
    folder = tmp_path / "out"
    root = folder / "VOCdevkit" / "VOC2012"
    shutil.copytree(devkit / "VOC2012", root)
    for name, ids in SETS.items():
        main = root / "ImageSets" / "Main"
        write(main / f"{name}.txt", "".join(f"{image_id}\n" for image_id in ids))
        for place, word in enumerate(("cat", "person")):
            lines = (f"{image_id} {LABELS[image_id][place]:2d}\n" for image_id in ids)
            write(main / f"{word}_{name}.txt", "".join(lines))
        rows = "".join(ROW.replace(IDS[0], image_id) + "\n" for image_id in ids)
        write(folder / f"results/Main/comp3_det_{name}_cat.txt", rows)
    images = [{"id": image_id, "photos": [photo]} for image_id, photo in PHOTOS.items()]
    write(folder / "release.json", json.dumps({"images": images}))
    return folder


def write_report(release: Path, image_set: str, folder: Path, *words: str) -> str:
    """The first page of a report on one of the sets."""
    results = ("--results", str(release / "results"))
    run(str(release / "VOCdevkit"), "--set", image_set, *results, "--report", str(folder), *words)
    return (folder / "index.html").read_text()


def test_a_report_shows_both_test_sets_side_by_side(release: Path, tmp_path: Path) -> None:
    write_report(release, "test", tmp_path / "first")
    other = ("--other-scores", str(tmp_path / "first/scores.json"))
    index = write_report(release, "test2", tmp_path / "second", *other)
    assert "The two test sets" in index
    table = (tmp_path / "second/tables/comp3-detection-tests.csv").read_text().splitlines()
    assert table == [
        "method: class,test,test2",
        "results: cat,100.0 (100.0 to 100.0),100.0 (100.0 to 100.0)",
        "results: mean of 1,100.0 (100.0 to 100.0),100.0 (100.0 to 100.0)",
    ]
    sets = (tmp_path / "second/tables/sets.csv").read_text().splitlines()
    assert sets[0] == "measure,test,test2"
    for row in ("images,2,1", "objects,2,2", "owners,1,1", "images that show cat,50.0%,100.0%"):
        assert row in sets
    assert "first year,2009,2019" in sets
    assert "last year,2011,2019" in sets


def score_set(release: Path, image_set: str) -> tuple[Truth, dict[str, Scores]]:
    """One of the sets, and the scores of the one method on it."""
    truth = open_truth(release / "VOCdevkit", image_set)
    return truth, {"results": score(truth, release / "results")}


def write_scores(release: Path, image_set: str) -> Path:
    """The scores.json of a report on one of the sets, without its pages."""
    truth, methods = score_set(release, image_set)
    documents = {name: make_document(truth, scores) for name, scores in methods.items()}
    intervals = measure_intervals(truth, methods)
    path = release / "earlier" / "scores.json"
    write(path, json.dumps({"methods": documents, "intervals": intervals}))
    return path


def test_an_interval_spans_what_chance_gives(release: Path) -> None:
    """A cat of two is missed: AP is 1/2, and 0 or 1 where one image was drawn twice."""
    root = release / "VOCdevkit" / "VOC2012"
    write(root / "ImageSets/Main/test.txt", f"{IDS[0]}\n{IDS[2]}\n")
    write(root / "ImageSets/Main/cat_test.txt", f"{IDS[0]}  1\n{IDS[2]}  1\n")
    write(root / "ImageSets/Main/person_test.txt", f"{IDS[0]} -1\n{IDS[2]}  1\n")
    write(release / "results/Main/comp3_det_test_cat.txt", f"{ROW}\n")
    (row,) = measure_intervals(*score_set(release, "test"))
    assert (row["competition"], row["method"]) == ("comp3", "results")
    assert row["classes"]["cat"] == row["mean"] == [0.5, 0.0, 1.0]


def test_a_tree_with_one_test_set_has_none_to_stand_beside_it(release: Path) -> None:
    truth, methods = score_set(release, "test")
    assert is_one_of_two(truth)
    assert compare_tests(truth, methods, write_scores(release, "test")) == []  # the same set
    (release / "VOCdevkit/VOC2012/ImageSets/Main/test2.txt").unlink()
    assert not is_one_of_two(truth)


def test_what_neither_release_json_nor_annotations_say_is_not_known(release: Path) -> None:
    other = write_scores(release, "test")
    (release / "release.json").unlink()
    _, differences = compare_tests(*score_set(release, "test2"), other)
    rows = dict(differences.tables[0].rows)
    assert rows["images of unknown owners"] == ["2", "1"]
    assert rows["first year"] == ["-", "-"]
    (release / f"VOCdevkit/VOC2012/Annotations/{IDS[0]}.xml").unlink()
    _, differences = compare_tests(*score_set(release, "test2"), other)
    assert differences.lines[0].startswith("It is not known: ")
    assert not differences.tables
