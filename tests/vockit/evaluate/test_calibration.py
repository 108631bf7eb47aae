"""How right confidences are that can be probabilities."""

from __future__ import annotations

from pathlib import Path

import pytest

from vockit.evaluate.calibration import make_calibration

from .competitions import compete, rows_of
from .small_tree import IDS

CAT = "Main/comp1_cls_val_cat.txt"


def score_with(devkit: Path, *confidences: float) -> list[dict[str, object]]:
    """The row of a method's calibration, if there is a section."""
    rows = zip(IDS, confidences, strict=True)
    texts = {CAT: "".join(f"{image_id} {confidence}\n" for image_id, confidence in rows)}
    competition = compete(devkit, "classification", "comp1", only=texts)
    return [rows_of(section.tables[0])["only"] for section in make_calibration(competition)]


def test_sure_and_right_has_no_error(devkit: Path) -> None:
    assert score_with(devkit, 1, 0, 1) == [{"error": 0}]


def test_sure_and_wrong_has_the_whole_error(devkit: Path) -> None:
    assert score_with(devkit, 0, 1, 0) == [{"error": 1}]


@pytest.mark.parametrize("confidence", [1.5, -0.1])
def test_confidences_that_are_no_probabilities_have_no_section(
    devkit: Path, confidence: float
) -> None:
    assert score_with(devkit, confidence, 0.5, 0.4) == []
