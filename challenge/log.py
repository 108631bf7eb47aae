"""The log of what organisers did: rows are only added, and the database refuses anything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from .tables import Action
from .values import Deed, LogLine


def append(
    session: Session,
    deed: Deed,
    now: datetime,
    *,
    team_id: int | None = None,
    submission_id: int | None = None,
    details: Mapping[str, str] | None = None,
) -> None:
    """Add an action. `details` hold no name of a person or team, since a log cannot be erased."""
    session.add(
        Action(
            at=now,
            deed=deed,
            team_id=team_id,
            submission_id=submission_id,
            details=dict(details or {}),
        )
    )
    session.flush()


def read_log(session: Session, after: int = 0, most: int = 1_000) -> Sequence[LogLine]:
    """The actions behind the number `after`, the oldest first."""
    rows = select(Action).where(Action.id > after).order_by(Action.id).limit(most)
    return [
        LogLine(
            number=row.id,
            at=row.at,
            deed=row.deed,
            team_id=row.team_id,
            submission_id=row.submission_id,
            details=row.details,
        )
        for row in session.scalars(rows)
    ]
