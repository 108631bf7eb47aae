"""Precision/recall curves of published entries, which the board has once the labels are published.

A curve of as many rows as there are images says of each row whether it is right: as many bits. So
no phase before shows one, and no step could hold it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
from sqlalchemy.orm import Session

from . import board
from .database import load_contest
from .folder import Challenge
from .scoring import name_curve
from .values import BoardRow

MOST_LINES = 8
"""Entries of one chart, the best of the board first."""


@dataclass(frozen=True)
class Line:
    """The curve of one entry: recall and precision from 0 to 1, and its score in percent."""

    team: str
    method: str
    score: float | None
    points: Sequence[tuple[float, float]]


def are_shown(session: Session) -> bool:
    """Whether the labels are published, so that a curve tells nothing more."""
    return load_contest(session).ended_at is not None


def load_curves(
    session: Session, challenge: Challenge, competition: str, now: datetime
) -> Mapping[str, Sequence[Line]]:
    """By class the curves of the published entries of the newest edition, the best first.

    Empty before the labels are published. Raises NotFoundError for an unknown competition.
    """
    shown = board.load_board(session, challenge, competition, now)
    if not are_shown(session):
        return {}
    lines: dict[str, list[Line]] = {name: [] for name in shown.classes}
    for row in shown.rows[:MOST_LINES]:
        path = challenge.evidence_path(row.submission_id, shown.edition)
        for name, points in _read(path, competition, row):
            score = row.classes[name].score
            lines[name].append(Line(row.team, row.method, score, points))
    return {name: some for name, some in lines.items() if some}


def _read(
    path: Path, competition: str, row: BoardRow
) -> Iterator[tuple[str, Sequence[tuple[float, float]]]]:
    """The curves of the classes that the board has of an entry."""
    if not path.is_file():
        return
    with np.load(path) as stored:
        for name in row.classes:
            key = name_curve(competition, name)
            if key in stored.files and stored[key].shape[1]:
                yield name, [(float(recall), float(right)) for recall, right in stored[key].T]
