"""A report held against another one: medians and ranks over the classes of both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from vockit.evaluate.errors import EvaluateError
from vockit.evaluate.other_report import compare_reports
from vockit.evaluate.scores import Scores
from vockit.evaluate.scoring import score
from vockit.evaluate.truth import Truth, open_truth

from .competitions import rows_of
from .small_tree import IDS, write

CAT = "comp1_cls_val_cat.txt"
RIGHT = f"{IDS[0]} 0.9\n{IDS[1]} 0.1\n{IDS[2]} 0.8\n"
WRONG = f"{IDS[0]} 0.2\n{IDS[1]} 0.9\n{IDS[2]} 0.1\n"


@pytest.fixture
def truth(devkit: Path) -> Truth:
    return open_truth(devkit, "val")


def score_methods(truth: Truth, folder: Path, **texts: str) -> dict[str, Scores]:
    """The scores of methods with these rows of cats."""
    for method, text in texts.items():
        write(folder / method / "Main" / CAT, text)
    return {method: score(truth, folder / method) for method in texts}


def write_other(folder: Path, **aps: Mapping[str, float | None]) -> Path:
    """The scores.json of another report, with the APs of classes by method."""
    methods = {
        method: {
            "tree": "VOC2007",
            "set": "test",
            "tasks": {
                "classification": {
                    "comp1": {"classes": {name: {"ap": ap} for name, ap in of_class.items()}}
                }
            },
        }
        for method, of_class in aps.items()
    }
    path = folder / "earlier" / "scores.json"
    write(path, json.dumps({"methods": methods}))
    return path


def test_ranks_that_changed_are_told(truth: Truth, tmp_path: Path) -> None:
    methods = score_methods(truth, tmp_path, first=RIGHT, second=WRONG)
    other = write_other(tmp_path, first={"cat": 0.25}, second={"cat": 0.75})
    section = compare_reports(methods, truth, other)
    rows = rows_of(section.tables[0])
    assert section.tables[0].heads[1:3] == ["VOC2012 val", "VOC2007 test (earlier)"]
    assert (rows["first"]["rank"], rows["first"]["rank there"]) == (1, 2)
    assert rows["first"]["VOC2007 test (earlier)"] == 0.25
    assert (rows["first"]["change"], rows["second"]["change"]) == ("-1", "+1")
    assert rows["first"]["classes"] == 1


def test_a_method_without_a_number_there_is_named(truth: Truth, tmp_path: Path) -> None:
    methods = score_methods(truth, tmp_path, first=RIGHT, second=WRONG)
    other = write_other(tmp_path, first={"cat": 0.25}, second={"cat": None})
    section = compare_reports(methods, truth, other)
    assert list(rows_of(section.tables[0])) == ["first"]
    assert section.lines == ["comp1: left out, with no class in common: second."]


def test_reports_without_a_common_method_compare_nothing_and_say_so(
    truth: Truth, tmp_path: Path
) -> None:
    methods = score_methods(truth, tmp_path, first=RIGHT)
    section = compare_reports(methods, truth, write_other(tmp_path, third={"cat": 0.5}))
    assert section.tables == []
    assert "Nothing was compared" in section.lines[-1]
    assert "whose methods are: third" in section.lines[-1]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"methods": {}}', '{"methods": {"a": {}}}'])
def test_a_file_that_is_no_report_is_refused(truth: Truth, tmp_path: Path, text: str) -> None:
    path = tmp_path / "scores.json"
    path.write_text(text)
    methods = score_methods(truth, tmp_path, first=RIGHT)
    with pytest.raises(EvaluateError, match=r"expected scores\.json of another report"):
        compare_reports(methods, truth, path)
