"""How many images are in each state, leased and discarded."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from catalog.states import ImageState, LeaseKind
from catalog.tables import Image, Lease


@dataclass(frozen=True)
class Standing:
    """How many images are in each state, are leased for what, and were discarded for what."""

    images: dict[ImageState, int]
    leased: dict[LeaseKind, int]
    discarded: dict[str, int]


def load_standing(session: Session, *, at: datetime) -> Standing:
    """The party at this moment; a lease that ran out only waits to be swept and is not counted."""
    images = _count(session, Image.state, Image.state.is_not(None))
    leased = _count(session, Lease.kind, Lease.expires_at > at)
    discarded = _count(session, Image.reason, Image.state == ImageState.DISCARDED)
    return Standing(
        {state: images.get(state, 0) for state in ImageState},
        {kind: leased.get(kind, 0) for kind in LeaseKind},
        {reason or "": count for reason, count in sorted(discarded.items(), key=str)},
    )


def _count(session: Session, column: Any, condition: ColumnElement[bool]) -> dict[Any, int]:
    rows = session.execute(select(column, func.count()).where(condition).group_by(column))
    return dict(rows.tuples().all())
