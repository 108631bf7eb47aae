"""The board: entries of a competition with intervals, ranks, and what each team lets be seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from .folder import Challenge
from .values import Board, BoardRow, EditionLine


def load_board(
    session: Session,
    challenge: Challenge,
    competition: str,
    now: datetime,
    *,
    team_id: int | None = None,
    edition: int | None = None,
) -> Board:
    """The published entries of a competition, the best first; with `team_id` its private ones too.

    It has no row before the phase allows scores. Of an older `edition` it is as it was.
    """
    raise NotImplementedError


def load_result(
    session: Session, challenge: Challenge, team_id: int, submission_id: int, now: datetime
) -> Mapping[str, BoardRow]:
    """A team's own result by competition; empty before it is scored or the phase allows scores."""
    raise NotImplementedError


def load_history(
    session: Session, challenge: Challenge, competition: str, now: datetime
) -> Sequence[BoardRow]:
    """The published entries of a competition in the order of time."""
    raise NotImplementedError


def publish(session: Session, team_id: int, submission_id: int, now: datetime) -> None:
    """Show a team's scored submission on the board; raises InvalidError for one without scores."""
    raise NotImplementedError


def withdraw(session: Session, team_id: int, submission_id: int) -> None:
    """Take a team's entry from the board; its quota stays taken."""
    raise NotImplementedError


def make_anonymous_code(session: Session, team_id: int, submission_id: int, *, code: str) -> str:
    """The code of the address that shows a private entry without names; the earlier one if any."""
    raise NotImplementedError


def end_anonymous_code(session: Session, team_id: int, submission_id: int) -> None:
    """Let the anonymous address of an entry lead nowhere."""
    raise NotImplementedError


def find_anonymous(
    session: Session, challenge: Challenge, code: str, now: datetime
) -> Mapping[str, BoardRow]:
    """The result behind an anonymous address, without names; raises NotFoundError."""
    raise NotImplementedError


def list_editions(session: Session) -> Sequence[EditionLine]:
    """All editions of the board, the newest first."""
    raise NotImplementedError
