"""How leases of all kinds end; the lease is kept on record.

An image whose boxes were held goes back where it came from. Segments and blind
work change no state of the image.

A transaction locks the image before its lease (catalog/locks.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal

from sqlalchemy import ColumnElement, delete, insert, select
from sqlalchemy.orm import Session

from catalog.decisions import Standing, place_draft
from catalog.locks import lock_free_images, lock_images
from catalog.session import in_parts
from catalog.states import HELD_STATES, ImageState, LeaseTrack
from catalog.stuck import is_stuck, skipping
from catalog.tables import EndedLease, Image, Lease
from catalog.transitions import count_changed, move_image
from collect.pauses import CLOCKS_DIFFER

Ending = Literal["finished", "given_back", "expired", "passed_on", "taken_back", "undone"]
IS_OF_BOXES = Lease.track == LeaseTrack.BOXES
IS_OF_SEGMENTS = Lease.track == LeaseTrack.SEGMENTS


def sweep_leases(session: Session, *, at: datetime) -> None:
    """End the leases that ran out, but for those that another transaction is busy with.

    One that a clock gave that was ahead lasts from now on as long as any other.
    """
    is_ahead = Lease.heartbeat_at > at + CLOCKS_DIFFER
    for lease in list_unlocked(session, is_ahead):
        lease.expires_at = at + (lease.expires_at - lease.heartbeat_at)
        lease.heartbeat_at = at
    session.flush()
    is_over = (Lease.expires_at <= at) & ~is_stuck(Lease.image_id)
    release_free(session, is_over, "expired", at=at)


def release_free(
    session: Session, condition: ColumnElement[bool], how: Ending, *, at: datetime
) -> int:
    """As `release_leases`, but for leases on images that another transaction is busy with.

    These end by themselves when they run out.
    """
    return _release_each(session, list_unlocked(session, condition), condition, how, at)


def release_leases(
    session: Session, condition: ColumnElement[bool], how: Ending, *, at: datetime
) -> int:
    """How many leases ended by this; saves under way end first.

    A transaction that locked images before had to lock those of the leases too.
    """
    image_ids = lock_images(session, select(Lease.image_id).where(condition))
    leases = _lock_leases(session, condition, image_ids)
    return _release_each(session, leases, condition, how, at)


def _release_each(
    session: Session,
    leases: Iterable[Lease],
    condition: ColumnElement[bool],
    how: Ending,
    at: datetime,
) -> int:
    count = 0
    for lease in leases:
        with skipping(session, lease.image_id, at=at):
            count += release(session, lease, condition, how, at=at)
    return count


def end_lease(
    session: Session,
    lease: Lease,
    *conditions: ColumnElement[bool],
    how: Ending = "finished",
    at: datetime,
) -> bool:
    """Whether the lease ended by this, which is kept on record; of two at once, only one does."""
    ended = delete(Lease).where(Lease.id == lease.id, *conditions)
    if not count_changed(session, ended.execution_options(synchronize_session=False)):
        return False
    session.expunge(lease)
    names = ("id", "image_id", "person_id", "kind", "acquired_at", "opened_at")
    kept = {name: getattr(lease, name) for name in names}
    session.execute(insert(EndedLease).values(**kept, ended_at=at, how=how))
    return True


def list_unlocked(session: Session, condition: ColumnElement[bool]) -> list[Lease]:
    """The leases, but for those of images that another transaction is busy with."""
    image_ids = lock_free_images(session, select(Lease.image_id).where(condition))
    return _lock_leases(session, condition, image_ids)


def _lock_leases(
    session: Session, condition: ColumnElement[bool], image_ids: Sequence[int]
) -> list[Lease]:
    """The leases on these images, which are locked, that still fulfil the condition."""
    wanted = select(Lease).where(condition).order_by(Lease.id).with_for_update()
    return [
        lease
        for some in in_parts(image_ids)
        for lease in session.scalars(
            wanted.where(Lease.image_id.in_(some)), execution_options={"populate_existing": True}
        )
    ]


def release(
    session: Session, lease: Lease, condition: ColumnElement[bool], how: Ending, *, at: datetime
) -> bool:
    """Whether the lease ended by this, and so the image went back where it came from.

    Finished work that was opened again and left half done is its author's to finish.
    """
    if not end_lease(session, lease, condition, how=how, at=at):
        return False
    if lease.track is not LeaseTrack.BOXES:
        return True
    head = session.get_one(Image, lease.image_id, populate_existing=True).annotation
    reason = head.discard_reason if head and lease.returns_to is ImageState.DISCARDED else None
    after = place_draft(Standing(lease.returns_to, reason), head)
    leaves = HELD_STATES[lease.kind]
    move_image(session, lease.image_id, leaves, after.state, at=at, reason=after.reason)
    return True
