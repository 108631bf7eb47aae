"""What an organiser does; each action is a row of the log."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from sqlalchemy.orm import Session

from .folder import Challenge
from .values import Phase


def hide(session: Session, submission_id: int, reason: str, now: datetime) -> None:
    """Take an entry from the board; its team still sees it."""
    raise NotImplementedError


def show(session: Session, submission_id: int, reason: str, now: datetime) -> None:
    """Take back `hide` and `disqualify`."""
    raise NotImplementedError


def disqualify(session: Session, submission_id: int, reason: str, now: datetime) -> None:
    """Leave an entry on the board without numbers, with the reason for all to read."""
    raise NotImplementedError


def extend(session: Session, dates: Mapping[Phase, datetime], now: datetime) -> None:
    """Give phases other dates."""
    raise NotImplementedError


def add_quota(
    session: Session, team_id: int, period: str, more: int, reason: str, now: datetime
) -> None:
    """More results for a team, in a week such as 2026-W40 or for a method such as method-3."""
    raise NotImplementedError


def rescore(challenge: Challenge, reason: str, now: datetime, truth: Path | None = None) -> int:
    """A new edition of the board, in which all is scored again; its number.

    `truth` is a corrected release. The board shows it when all is scored, and keeps the old one.
    """
    raise NotImplementedError


def publish_end(challenge: Challenge, target: Path, now: datetime) -> int:
    """End the challenge: write the labels and the board to `target`; how many files."""
    raise NotImplementedError
