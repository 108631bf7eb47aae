"""Leases that ended: they decide what a person may still send and go back to."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from annotate_ui.visit import Visit
from catalog.states import LeaseKind
from catalog.tables import Annotation, BlindTask, EndedLease, Lease

Ending = Literal["finished", "given_back", "expired", "passed_on", "taken_back", "undone"]
LOST: tuple[Ending, ...] = ("expired", "passed_on", "taken_back")
"""The endings that the holder had no part in."""


def note_ended(session: Session, lease: Lease, how: Ending, *, at: datetime) -> None:
    """Keep on record that a lease is over; it must be the one who ended it that says so."""
    session.execute(
        insert(EndedLease).values(
            id=lease.id,
            image_id=lease.image_id,
            person_id=lease.person_id,
            kind=lease.kind,
            acquired_at=lease.acquired_at,
            opened_at=lease.opened_at,
            ended_at=at,
            how=how,
        )
    )


def has_held(visit: Visit, image_id: int) -> bool:
    """Whether the image was ever in the visitor's hands, to annotate or to check.

    A revision of theirs speaks for leases that ended before there was a record of them.
    """
    whose = (
        select(table.id).where(table.image_id == image_id, table.person_id == visit.person.id)
        for table in (Lease, EndedLease, BlindTask)
    )
    drawn = select(Annotation.id).where(
        Annotation.image_id == image_id,
        Annotation.person_id == visit.person.id,
        Annotation.is_stale.is_(False),
    )
    return any(visit.session.scalar(rows.limit(1)) is not None for rows in (*whose, drawn))


def has_lost(visit: Visit, image_id: int) -> bool:
    """Whether the visitor's last lease to annotate the image ended without their doing."""
    how = visit.session.scalar(
        select(EndedLease.how)
        .where(
            EndedLease.image_id == image_id,
            EndedLease.person_id == visit.person.id,
            EndedLease.kind == LeaseKind.ANNOTATE,
        )
        .order_by(EndedLease.id.desc())
        .limit(1)
    )
    return how in LOST
