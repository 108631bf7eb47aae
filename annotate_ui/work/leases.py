"""Leases: one image held by one person for minutes, given back by itself when they run out.

A lease is opened when its holder sees the image; one that is not is only reserved ahead. A
transaction changes the lease before its image, so that two never wait for each other.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import (
    ColumnElement,
    ScalarResult,
    Select,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.orm import Session

from annotate_ui.errors import LeaseLostError
from annotate_ui.visit import Visit
from catalog.states import ImageState, LeaseKind
from catalog.tables import Annotation, BlindTask, EndedLease, Image, Lease
from catalog.transitions import count_changed, draw_image, move_image

Ending = Literal["finished", "given_back", "expired", "passed_on", "taken_back", "undone"]
NO_LONGER_YOURS = "This image was reassigned. Open the next image."
LOST: tuple[Ending, ...] = ("expired", "passed_on", "taken_back")
"""The endings that the holder had no part in."""
HELD_STATES = {LeaseKind.ANNOTATE: ImageState.ANNOTATING, LeaseKind.CHECK: ImageState.CHECKING}
REOPENED_STATES = (ImageState.ANNOTATED, ImageState.DISCARDED, ImageState.RELEASED)
FREE_STATES = (
    *(ImageState.POOL, ImageState.RETURNED),
    *(ImageState.ANNOTATED, ImageState.DISCARDED),
)
"""From these an annotator may take an image of their own again."""

Use = Literal["opened", "ahead"]


def take_lease(
    visit: Visit, image_id: int, leaves: ImageState, kind: LeaseKind, use: Use = "opened"
) -> Lease | None:
    """The lease on an image that was in the state it leaves; None where another came first."""
    if not move_image(visit.session, image_id, leaves, HELD_STATES[kind], at=visit.at):
        return None
    return _add_lease(visit, image_id, leaves, kind, use)


def draw_lease(
    visit: Visit, chosen: Select[tuple[int]], leaves: ImageState, kind: LeaseKind, use: Use
) -> Lease | None:
    """The lease on the image that the query chooses of those in the state; None without one."""
    image = draw_image(visit.session, chosen, leaves, HELD_STATES[kind], at=visit.at)
    if image is None:
        return None
    return _add_lease(visit, image.id, leaves, kind, use, image=image)


def _add_lease(
    visit: Visit, image_id: int, leaves: ImageState, kind: LeaseKind, use: Use, **loaded: Image
) -> Lease:
    lease = Lease(
        image_id=image_id,
        **loaded,
        person_id=visit.person.id,
        kind=kind,
        returns_to=leaves,
        acquired_at=visit.at,
        opened_at=visit.at if use == "opened" else None,
        heartbeat_at=visit.at,
        expires_at=_expiry(visit),
    )
    visit.session.add(lease)
    visit.session.flush()
    return lease


def find_held(visit: Visit, kind: LeaseKind) -> Lease | None:
    """The lease of this kind that the person opened last, or None; it is renewed."""
    mine = select(Lease.id).where(Lease.person_id == visit.person.id, Lease.kind == kind)
    held = mine.where(_is_held()).order_by(Lease.opened_at.desc(), Lease.id.desc()).limit(1)
    return _renew(visit, Lease.id == held.correlate(None).scalar_subquery())


def hold_image(visit: Visit, image_id: int, kind: LeaseKind) -> Lease | None:
    """The person's lease of this kind on the image, renewed and opened, or None without one.

    A lease that ran out but was not swept is as good as before: no other person asked.
    """
    return _renew(visit, Lease.image_id == image_id, Lease.kind == kind, is_opened=True)


def renew_lease(visit: Visit, lease_id: int) -> Lease:
    """The person's lease, extended; with one to annotate, all that they hold to annotate is.

    Raises LeaseLostError where they hold it no more.
    """
    lease = _renew(visit, Lease.id == lease_id)
    if lease is None:
        raise LeaseLostError(NO_LONGER_YOURS)
    if lease.kind is LeaseKind.ANNOTATE:
        renew_others(visit, lease.id)
    return lease


def renew_others(visit: Visit, current_id: int = 0) -> list[Lease]:
    """What else the person holds to annotate, renewed, in the order in which it comes.

    First what they left open, the last first, then what is reserved: returned work before new.
    """
    mine = (Lease.person_id == visit.person.id, Lease.kind == LeaseKind.ANNOTATE)
    return sorted(_renew_all(visit, *mine, Lease.id != current_id, _is_held()), key=_find_place)


def _find_place(lease: Lease) -> tuple[bool, bool, float, int]:
    if lease.opened_at is not None:
        return False, False, -lease.opened_at.timestamp(), -lease.id
    return True, lease.returns_to is not ImageState.RETURNED, 0.0, lease.id


def give_back(visit: Visit, lease_id: int) -> None:
    """Put the image back where it came from; raises LeaseLostError where it is held no more."""
    mine = (Lease.id == lease_id) & (Lease.person_id == visit.person.id)
    if not release_leases(visit.session, mine, "given_back", at=visit.at):
        raise LeaseLostError(NO_LONGER_YOURS)


def take_back(visit: Visit, lease_id: int) -> None:
    """Put the image back where it came from, for an organiser; what was saved stays.

    Raises LeaseLostError where the lease is over.
    """
    if not release_leases(visit.session, Lease.id == lease_id, "taken_back", at=visit.at):
        raise LeaseLostError("This image is no longer open for you.")


def sweep_leases(session: Session, *, at: datetime) -> None:
    """Put every image whose lease has run out back where it came from.

    A lease that another transaction is busy with is passed over.
    """
    for lease in _list_unlocked(session, Lease.expires_at <= at):
        _release(session, lease, Lease.expires_at <= at, "expired", at=at)


def release_leases(
    session: Session, condition: ColumnElement[bool], how: Ending, *, at: datetime
) -> int:
    """How many images went back where they came from; saves under way end first."""
    wanted = select(Lease).where(condition).order_by(Lease.id).with_for_update()
    leases = session.scalars(wanted.execution_options(populate_existing=True)).all()
    return sum(_release(session, lease, condition, how, at=at) for lease in leases)


def take_reserved(visit: Visit) -> Lease | None:
    """The lease on an image that another person reserved ahead but did not open, or None.

    Only for whom nothing else is left: the one who waited longest for their page gives it up.
    """
    unopened = Lease.opened_at.is_(None) & (Lease.kind == LeaseKind.ANNOTATE)
    waiting = _list_unlocked(visit.session, unopened & (Lease.person_id != visit.person.id))
    for lease in sorted(waiting, key=lambda one: (one.heartbeat_at, -one.id)):
        image_id, enters = lease.image_id, lease.returns_to
        is_new = enters is ImageState.POOL  # not their own returned work
        if is_new and _release(visit.session, lease, unopened, "passed_on", at=visit.at):
            return take_lease(visit, image_id, enters, LeaseKind.ANNOTATE)
    return None


def end_lease(session: Session, lease: Lease, *, at: datetime) -> None:
    """Drop the lease of an image whose work is done."""
    if count_changed(session, delete(Lease).where(Lease.id == lease.id)):
        _note_ended(session, lease, "finished", at=at)


def _renew(visit: Visit, *conditions: ColumnElement[bool], is_opened: bool = False) -> Lease | None:
    opened_at = func.coalesce(Lease.opened_at, visit.at) if is_opened else Lease.opened_at
    mine = (Lease.person_id == visit.person.id, _is_held(), *conditions)
    return _renew_all(visit, *mine, opened_at=opened_at).one_or_none()


def _renew_all(
    visit: Visit, *conditions: ColumnElement[bool], **values: Any
) -> ScalarResult[Lease]:
    renewed = {"heartbeat_at": visit.at, "expires_at": _expiry(visit), **values}
    statement = update(Lease).where(*conditions).values(renewed).returning(Lease)
    statement = statement.execution_options(synchronize_session=False, populate_existing=True)
    return visit.session.scalars(statement)


def _is_held() -> ColumnElement[bool]:
    """Whether the lease's image is still in the hands of people, not taken down since."""
    return exists().where(Image.id == Lease.image_id, Image.state.in_(HELD_STATES.values()))


def _expiry(visit: Visit) -> datetime:
    return visit.at + timedelta(seconds=visit.party.settings.annotate.lease_secs)


def _list_unlocked(session: Session, condition: ColumnElement[bool]) -> list[Lease]:
    """The leases, but for those that another transaction is busy with."""
    statement = select(Lease).where(condition).order_by(Lease.id)
    return list(session.scalars(statement.with_for_update(skip_locked=True)))


def _release(
    session: Session, lease: Lease, condition: ColumnElement[bool], how: Ending, *, at: datetime
) -> bool:
    """Whether the lease ended by this: only one of two transactions that end it at once does."""
    statement = delete(Lease).where(Lease.id == lease.id, condition)
    if not count_changed(session, statement.execution_options(synchronize_session=False)):
        return False
    session.expunge(lease)
    _note_ended(session, lease, how, at=at)
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
    if is_draft and lease.returns_to in REOPENED_STATES:
        return ImageState.RETURNED, None
    if lease.returns_to is ImageState.DISCARDED and head is not None:
        return lease.returns_to, head.discard_reason
    return lease.returns_to, None


def has_held(visit: Visit, image_id: int) -> bool:
    """Whether the image was ever in the visitor's hands, to annotate or to check.

    A revision of theirs speaks for leases that ended before there was a record of them.
    """
    whose = (
        exists().where(table.image_id == image_id, table.person_id == visit.person.id)
        for table in (Lease, EndedLease, BlindTask)
    )
    by_me = (Annotation.person_id == visit.person.id, Annotation.is_stale.is_(False))
    drawn = exists().where(Annotation.image_id == image_id, *by_me)
    return bool(visit.session.scalar(select(or_(*whose, drawn))))


def has_lost(visit: Visit, image_id: int) -> bool:
    """Whether the visitor's last lease to annotate the image ended without their doing."""
    mine = (EndedLease.person_id == visit.person.id, EndedLease.kind == LeaseKind.ANNOTATE)
    ended = select(EndedLease.how).where(EndedLease.image_id == image_id, *mine)
    return visit.session.scalar(ended.order_by(EndedLease.id.desc()).limit(1)) in LOST


def _note_ended(session: Session, lease: Lease, how: Ending, *, at: datetime) -> None:
    """Keep on record that a lease is over; it must be the one who ended it that says so."""
    names = ("id", "image_id", "person_id", "kind", "acquired_at", "opened_at")
    kept = {name: getattr(lease, name) for name in names}
    session.execute(insert(EndedLease).values(**kept, ended_at=at, how=how))
