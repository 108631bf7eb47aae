"""Methods are compared over the classes that they have in common, and the output says which."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from vockit.evaluate.comparing import compare_methods
from vockit.evaluate.report import describe_method
from vockit.evaluate.scoring import score
from vockit.evaluate.truth import open_truth

from .small_tree import IDS, run, write

pytestmark = pytest.mark.usefixtures("without_masks")
ROWS = {
    "cat": [f"{IDS[0]} 0.9 10 10 60 60", f"{IDS[2]} 0.8 10 10 60 60"],
    "person": [f"{IDS[1]} 0.9 1 1 50 80"],
}


@pytest.fixture
def without_masks(devkit: Path) -> None:
    """No boxes are painted, so that detection alone is compared."""
    shutil.rmtree(devkit / "VOC2012/SegmentationClass")


def write_entry(devkit: Path, method: str, *classes: str, competition: str = "comp3") -> str:
    for name in classes:
        path = devkit / method / "Main" / f"{competition}_det_val_{name}.txt"
        write(path, "".join(f"{row}\n" for row in ROWS[name]))
    return f"--method={method}={devkit / method}"


def compare(devkit: Path, *words: str, status: int = 0) -> Any:
    return json.loads(run(str(devkit), *words, "--json", status=status))


def test_a_method_of_one_class_does_not_win_by_leaving_out_the_hard_ones(devkit: Path) -> None:
    words = [write_entry(devkit, "all", "cat", "person"), write_entry(devkit, "some", "person")]
    [comparison] = compare(devkit, *words)["comparison"]
    assert comparison["common_classes"] == ["person"]
    scores = {name: entry["score"] for name, entry in comparison["mean"].items()}
    assert scores["all"] == scores["some"]
    assert "over the 1 class that they have in common" in run(str(devkit), *words)


def test_a_method_without_a_class_in_common_gets_no_rank(devkit: Path) -> None:
    words = [
        write_entry(devkit, "all", "cat", "person"),
        write_entry(devkit, "cats", "cat"),
        write_entry(devkit, "people", "person"),
    ]
    [comparison] = compare(devkit, *words)["comparison"]
    assert set(comparison["mean"]) == {"all", "cats"}
    assert comparison["left_out"] == ["people"]
    assert "left out, with no class in common: people" in run(str(devkit), *words)


def test_a_comparison_of_nothing_fails_and_says_why(devkit: Path) -> None:
    words = [write_entry(devkit, "cats", "cat"), write_entry(devkit, "people", "person")]
    document = compare(devkit, *words, status=1)
    assert document["comparison"] == []
    assert document["compared"]["passed_over"] == {
        "no two methods have a class in common": ["comp3 (detection)"]
    }
    assert "nothing was compared" in run(str(devkit), *words, status=1)


def test_an_entry_that_one_method_alone_has_is_named(devkit: Path) -> None:
    words = [write_entry(devkit, "a", "cat"), write_entry(devkit, "b", "cat")]
    write_entry(devkit, "b", "person", competition="comp4")
    printed = run(str(devkit), *words)
    assert "1 of 2 competitions is compared" in printed
    assert "passed over 1 (comp4 (detection)): one method alone has results" in printed


def test_a_comparison_names_the_files_that_were_not_scored(devkit: Path) -> None:
    words = [write_entry(devkit, "a", "cat"), write_entry(devkit, "b", "cat")]
    write(devkit / "b" / "Main" / "comp3_det_val_zebra.txt", "")
    assert "Note on b: comp3_det_val_zebra.txt was not scored" in run(str(devkit), *words)


def test_the_report_says_over_which_classes_a_method_is_best(devkit: Path) -> None:
    words = [write_entry(devkit, "all", "cat", "person"), write_entry(devkit, "some", "person")]
    run(str(devkit), *words, "--report", str(devkit / "report"))
    page = (devkit / "report/comp3.html").read_text()
    assert "over the 1 class that they have in common" in page
    assert "comp3 (detection), 1 class" in (devkit / "report/tables/summary.csv").read_text()


def describe(devkit: Path, *names: str) -> str:
    truth = open_truth(devkit, "val")
    methods = {name: score(truth, devkit / name) for name in names}
    return describe_method(truth, methods, compare_methods(truth, methods).competitions)


def test_the_method_text_claims_the_tests_that_were_made_alone(devkit: Path) -> None:
    for name in ("a", "b", "c"):
        write_entry(devkit, name, "cat", "person")
    for name in ("x", "y", "z"):
        write_entry(devkit, name, "cat")
    texts = [describe(devkit, *names) for names in ("a", "ab", "abc", "xyz")]
    assert ["bootstrap" in text for text in texts] == [False, True, True, True]
    assert ["Friedman" in text for text in texts] == [False, False, True, False]


def test_another_report_names_the_methods_that_are_not_compared(devkit: Path) -> None:
    words = [write_entry(devkit, "a", "cat"), write_entry(devkit, "b", "cat")]
    run(str(devkit), *words, "--report", str(devkit / "there"))
    others = "--other-scores", str(devkit / "there/scores.json")
    here = write_entry(devkit, "new", "cat")
    run(str(devkit), words[0], here, "--report", str(devkit / "some"), *others)
    assert (
        "comp3: left out, with no class in common: new." in (devkit / "some/index.html").read_text()
    )
    run(str(devkit), here, "--report", str(devkit / "none"), *others)
    assert "whose methods are: a, b." in (devkit / "none/index.html").read_text()
