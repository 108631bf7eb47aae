"""What a phase shows of scores, and the ladder: a shown score moves only by more than a step.

The ladder: A. Blum and M. Hardt, The ladder: a reliable leaderboard for machine learning
competitions, 2015. It counts all that a team had scored in a competition, shown or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from . import phases
from .database import load_contest
from .quota import OF_METHOD
from .tables import Contest, Edition, Scoring, Submission
from .values import Absence, Interval, Part, Phase, ScoringState


@dataclass(frozen=True)
class View:
    """What is shown now: a part of the test set, and by which step scores move, in percent points.

    `step` holds for results of the rolling server, and for all on a public part.
    """

    part: Part
    step: float

    def find_step(self, submission: Submission) -> float:
        """The step for a submission; 0 where its score is shown as it is."""
        is_final = self.part is Part.WHOLE and (submission.period or "").startswith(OF_METHOD)
        return 0.0 if is_final else self.step


def find_view(session: Session, now: datetime, *, is_closing: bool = False) -> View | None:
    """What the phase shows; None where it shows no score.

    `is_closing` is for the final board of the challenge, which the rolling server keeps.
    """
    contest = load_contest(session)
    phase = phases.current(session, now)
    part = _find_part(contest, phase, is_closing=is_closing)
    step = 0.0 if contest.ended_at is not None else 100 * contest.step
    return None if part is None else View(part, step)


def _find_part(contest: Contest, phase: Phase, *, is_closing: bool) -> Part | None:
    has_public_part = contest.public_share > 0
    if contest.ended_at is not None:
        return Part.WHOLE
    if phase is Phase.SUBMISSIONS:
        return Part.PUBLIC if has_public_part and not is_closing else None
    if phase is Phase.ROLLING and has_public_part and not is_closing:
        return Part.PUBLIC
    return Part.WHOLE if phase in phases.SHOWING else None


def find_absence(session: Session, submission: Submission, now: datetime) -> Absence:
    """Why a scored submission shows no number now.

    One that was confirmed while all is scored again is of the next edition alone.
    """
    if find_view(session, now) is None:
        return Absence.PHASE
    shown = select(func.max(Edition.id)).where(Edition.published_at.is_not(None))
    state = session.scalar(
        select(Scoring.state).where(
            Scoring.submission_id == submission.id, Scoring.edition_id == shown.scalar_subquery()
        )
    )
    if state is None:
        return Absence.NEXT_EDITION
    return Absence.FAILED if state is ScoringState.FAILED else Absence.PART


def is_rescoring(session: Session) -> bool:
    """Whether all is being scored again for an edition that is not shown yet."""
    waiting = select(Edition.id).where(Edition.published_at.is_(None))
    return session.scalar(waiting.limit(1)) is not None


@dataclass(frozen=True)
class Scored:
    """A submission with its numbers in one competition on the part that is shown."""

    submission: Submission
    numbers: Mapping[str, Any]

    @property
    def task(self) -> str:
        """The task of the competition."""
        return str(self.numbers["task"])

    @property
    def mean(self) -> Interval:
        """The mean over the classes; none where a class was not entered."""
        return Interval(None) if self.numbers["missing"] else Interval(*self.numbers["mean"])

    @property
    def classes(self) -> dict[str, Interval]:
        """Each class that was entered."""
        return {name: Interval(*row) for name, row in self.numbers["classes"].items()}

    @property
    def standing(self) -> float:
        """The mean with 0 for a class that was not entered, by which the ladder goes."""
        rows = self.numbers["classes"].values()
        known = [row[0] for row in rows if row[0] is not None]
        return float(sum(known)) / max(1, len(known) + len(self.numbers["missing"]))


def climb(scored: Iterable[Scored], view: View) -> dict[int, int]:
    """For each submission the one whose numbers are shown for it: itself, or its team's best.

    The submissions are those of one competition in the order of their confirmation.
    """
    best = dict[int, Scored]()
    shown = dict[int, int]()
    for entry in scored:
        submission = entry.submission
        step = view.find_step(submission)
        earlier = best.get(submission.team_id)
        if earlier is None or not step or is_move(entry.standing, earlier.standing, step):
            shown[submission.id] = submission.id
        else:
            shown[submission.id] = earlier.submission.id
        if earlier is None or is_move(entry.standing, earlier.standing, step):
            best[submission.team_id] = entry
    return shown


def is_move(standing: float, best: float, step: float) -> bool:
    """Whether a shown score moves from a team's best so far to a new one; all in percent."""
    return standing > best + step
