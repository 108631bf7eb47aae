"""Leases: one image held by one person for minutes, given back by itself when they run out.

Whoever changes a lease and its image changes the lease first, so that two never wait for each
other.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.orm import Session

from catalog.states import ImageState, LeaseKind
from catalog.tables import Image, Lease
from catalog.transitions import count_changed, move_image

from .errors import LeaseLostError
from .visit import Visit

HELD_STATES = {
    LeaseKind.ANNOTATE: ImageState.ANNOTATING,
    LeaseKind.CHECK: ImageState.CHECKING,
}


def take_lease(visit: Visit, image_id: int, leaves: ImageState, kind: LeaseKind) -> Lease | None:
    """The lease on an image that was in the state it leaves; None where another came first."""
    if not move_image(visit.session, image_id, leaves, HELD_STATES[kind], at=visit.at):
        return None
    lease = Lease(
        image_id=image_id,
        person_id=visit.person.id,
        kind=kind,
        returns_to=leaves,
        acquired_at=visit.at,
        heartbeat_at=visit.at,
        expires_at=_expiry(visit),
    )
    visit.session.add(lease)
    visit.session.flush()
    return lease


def find_held(visit: Visit, kind: LeaseKind) -> Lease | None:
    """The lease of this kind that the person took last, renewed, or None."""
    lease_id = visit.session.scalar(
        select(Lease.id)
        .where(Lease.person_id == visit.person.id, Lease.kind == kind, _is_held())
        .order_by(Lease.acquired_at.desc(), Lease.id.desc())
        .limit(1)
    )
    return None if lease_id is None else _renew(visit, Lease.id == lease_id)


def hold_image(visit: Visit, image_id: int, kind: LeaseKind) -> Lease | None:
    """The person's lease of this kind on the image, renewed, or None where they hold it no more.

    A lease that ran out but was not swept is as good as before: nobody else asked.
    """
    return _renew(visit, Lease.image_id == image_id, Lease.kind == kind)


def renew_lease(visit: Visit, lease_id: int) -> Lease:
    """The person's lease, extended; raises LeaseLostError where they hold it no more."""
    lease = _renew(visit, Lease.id == lease_id)
    if lease is None:
        raise LeaseLostError("You no longer hold this image; ask for the next one.")
    return lease


def give_back(visit: Visit, lease_id: int) -> None:
    """Put the image back where it came from; raises LeaseLostError where it is held no more."""
    lease = visit.session.get(Lease, lease_id)
    mine = Lease.person_id == visit.person.id
    if lease is None or not _release(visit.session, lease, mine, at=visit.at):
        raise LeaseLostError("You no longer hold this image; ask for the next one.")


def give_back_all(session: Session, person_id: int, *, at: datetime) -> None:
    """Put every image that the person holds back where it came from."""
    for lease in _list_leases(session, Lease.person_id == person_id):
        _release(session, lease, Lease.person_id == person_id, at=at)


def sweep_leases(session: Session, *, at: datetime) -> None:
    """Put every image whose lease has run out back where it came from."""
    for lease in _list_leases(session, Lease.expires_at <= at):
        _release(session, lease, Lease.expires_at <= at, at=at)


def end_lease(session: Session, lease: Lease) -> None:
    """Drop the lease of an image whose work is done."""
    count_changed(session, delete(Lease).where(Lease.id == lease.id))


def _renew(visit: Visit, *conditions: ColumnElement[bool]) -> Lease | None:
    mine = (Lease.person_id == visit.person.id, _is_held(), *conditions)
    statement = (
        update(Lease).where(*mine).values(heartbeat_at=visit.at, expires_at=_expiry(visit))
    ).execution_options(synchronize_session=False)
    if not count_changed(visit.session, statement):
        return None
    return visit.session.scalars(
        select(Lease).where(*mine).execution_options(populate_existing=True)
    ).one()


def _is_held() -> ColumnElement[bool]:
    """Whether the lease's image is still in the hands of people, not taken down since."""
    held = select(Image.id).where(Image.state.in_(HELD_STATES.values()))
    return Lease.image_id.in_(held)


def _expiry(visit: Visit) -> datetime:
    return visit.at + timedelta(seconds=visit.party.settings.annotate.lease_secs)


def _list_leases(session: Session, condition: ColumnElement[bool]) -> list[Lease]:
    """The leases, but for those that another transaction is busy with."""
    statement = select(Lease).where(condition).order_by(Lease.id)
    return list(session.scalars(statement.with_for_update(skip_locked=True)))


def _release(
    session: Session, lease: Lease, condition: ColumnElement[bool], *, at: datetime
) -> bool:
    statement = delete(Lease).where(Lease.id == lease.id, condition)
    if not count_changed(session, statement.execution_options(synchronize_session=False)):
        return False
    session.expunge(lease)
    image = session.get_one(Image, lease.image_id, populate_existing=True)
    enters, reason = _find_way_back(lease, image)
    move_image(session, image.id, HELD_STATES[lease.kind], enters, at=at, reason=reason)
    return True


def _find_way_back(lease: Lease, image: Image) -> tuple[ImageState, str | None]:
    """The state that the image has again, and the reason that goes with it.

    Finished work that was opened again and left half done is its author's to finish: a checker
    must not get a draft.
    """
    head = image.annotation
    is_draft = head is not None and not head.is_finished
    if is_draft and lease.returns_to in (ImageState.ANNOTATED, ImageState.DISCARDED):
        return ImageState.RETURNED, None
    if lease.returns_to is ImageState.DISCARDED and head is not None:
        return lease.returns_to, head.discard_reason
    return lease.returns_to, None
