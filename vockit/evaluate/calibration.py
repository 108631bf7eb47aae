"""How often rows of a confidence are right, where confidences can be probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from . import figures, offered
from .competition import Competition, Section
from .curves import Floats
from .figures import Panel
from .scores import ClassScore
from .show import Cell, ScoreTable


def make_calibration(competition: Competition) -> Iterator[Section]:
    """How right confidences are that can be probabilities; no section where no method has such."""
    lines: dict[str, tuple[Floats, Floats]] = {}
    rows: list[tuple[str, list[Cell]]] = []
    for method, classes in competition.methods.items():
        calibration = _calibrate([score for score in classes.values() if score.evidence])
        if calibration is not None:
            lines[method] = (calibration.confidences, calibration.shares)
            rows.append((method, [calibration.error]))
    if not rows:
        return
    panel = Panel("", lines, ("confidence", "share of right rows"), (0, 1), dots=True)
    title = "Expected calibration error (%), of methods with confidences from 0 to 1"
    table = ScoreTable(f"{competition.name}-calibration", title, ["method", "error"], rows)
    drawing = figures.draw_panels(
        f"{competition.name}-calibration", "Rows by tenths of confidence", [panel]
    )
    yield Section("Calibration", [], [table], [drawing], is_ours=True)


@dataclass(frozen=True)
class _Calibration:
    """By tenths of confidence the mean confidence and the share of right rows; the error."""

    confidences: Floats
    shares: Floats
    error: float


def _calibrate(scores: Sequence[ClassScore]) -> _Calibration | None:
    """The calibration of all classes together; None where confidences are no probabilities."""
    ranked = [offered.rank_confidences(score.evidence) for score in scores if score.evidence]
    if not ranked:
        return None
    confidences = np.concatenate(ranked)
    known = confidences[np.isfinite(confidences)]
    if not len(known) or known.min() < 0 or known.max() > 1:
        return None
    is_counted = np.concatenate([score.judged.is_counted for score in scores])
    is_right = np.concatenate([score.judged.is_right for score in scores])
    means, shares, _, error = offered.calibrate(confidences[is_counted], is_right[is_counted])
    return _Calibration(means, shares, error)
