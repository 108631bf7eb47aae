"""Leases: one image held by one person for minutes, given back by itself when they run out.

Boxes and segments of an image are two tracks, which two people may hold at once.

A lease is opened when its holder sees the image; one that is not is only reserved ahead. A
transaction locks the image before its lease (catalog/locks.py).
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import (
    ColumnElement,
    Select,
    Update,
    bindparam,
    exists,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from catalog.image_store import digest_of
from catalog.locks import lock_images
from catalog.sentences import say
from catalog.session import needs_row_locks
from catalog.states import HELD_STATES, ImageState, LeaseKind
from catalog.stuck import about_image, is_stuck
from catalog.tables import Annotation, BlindTask, EndedLease, Image, Lease
from catalog.transitions import draw_image
from work.visit import Visit

from .lease_endings import (
    IS_OF_BOXES,
    Ending,
    list_unlocked,
    release,
)

LOST: tuple[Ending, ...] = ("expired", "passed_on", "taken_back")
"""The endings that the holder had no part in."""
NO_LONGER_YOURS = say("This image was reassigned. Open the next image.")
FREE_STATES = (
    ImageState.POOL,
    ImageState.RETURNED,
    ImageState.ANNOTATED,
    ImageState.DISCARDED,
)
"""From these an annotator may take an image of their own again."""
KINDS = (
    LeaseKind.ANNOTATE,
    LeaseKind.CHECK,
    LeaseKind.SEGMENT,
    LeaseKind.CHECK_SEGMENT,
)
"""In the order of the numbers that open pages know, to which blind work is annotating."""

MOST_AHEAD = 4
"""A page on a slow line reserves up to so many times `images_ahead`."""

Use = Literal["opened", "ahead"]


def number_lease(kind: LeaseKind, image_id: int) -> int:
    """The number by which pages name a person's lease on an image.

    It says nothing that the page does not know, as whether the image is given out blind.
    """
    shown = LeaseKind.ANNOTATE if kind is LeaseKind.BLIND else kind
    return image_id * len(KINDS) + KINDS.index(shown)


def read_number(lease_number: int) -> tuple[LeaseKind, int]:
    """Kind and image of a lease's number."""
    image_id, kind = divmod(lease_number, len(KINDS))
    return KINDS[kind], image_id


_IS_FREE = ~exists().where(Lease.image_id == Image.id, IS_OF_BOXES)
_OF_NUMBER = select(Image.id).where(Image.id == bindparam("number"), _IS_FREE)


def _select_of_set(
    leaves: ImageState, condition: ColumnElement[bool]
) -> tuple[Select[tuple[int]], ...]:
    """The first image of a set from `pivot` on, and the first of all."""
    of_set = select(Image.id).where(Image.state == leaves, condition, ~is_stuck(), _IS_FREE)
    of_set = of_set.order_by(Image.sha256)
    first = of_set.limit(1).with_for_update(of=Image, skip_locked=True)
    return first.where(Image.sha256 >= bindparam("pivot")), first


def take_lease(
    visit: Visit,
    which: int | ColumnElement[bool],
    leaves: ImageState,
    kind: LeaseKind,
    use: Use = "opened",
) -> Lease | None:
    """The lease on an image that was in the state it leaves; None where there is none by now.

    `which` is its number, or a condition for one drawn at random: the first at or after a random
    digest, from the start again where there is none. One that another transaction is busy with is
    passed over. An image that is held, though its state says otherwise, is not taken either.
    """
    ways: tuple[Select[tuple[int]], ...] = (_OF_NUMBER,)
    values: dict[str, Any] = {"number": which}
    if not isinstance(which, int):
        ways = _select_of_set(leaves, which)
        values = {"pivot": digest_of(visit.tokens().encode()), "visitor_id": visit.person.id}
    steps = leaves, HELD_STATES[kind]
    with suppress(IntegrityError), visit.session.begin_nested():
        drawn = (draw_image(visit.session, way, *steps, at=visit.at, values=values) for way in ways)
        if (image := next(filter(None, drawn), None)) is not None:
            return _insert_lease(visit, image, leaves, kind, use)
    return None


def add_lease(
    visit: Visit, image: Image, returns_to: ImageState, kind: LeaseKind, use: Use = "opened"
) -> Lease:
    """The visitor's new lease on an image that no person holds on this track."""
    with about_image(image.id):
        return _insert_lease(visit, image, returns_to, kind, use)


def _insert_lease(
    visit: Visit, image: Image, returns_to: ImageState, kind: LeaseKind, use: Use
) -> Lease:
    """As `add_lease`; raises IntegrityError where the image is held after all."""
    lease = Lease(
        image=image,
        person_id=visit.person.id,
        kind=kind,
        returns_to=returns_to,
        acquired_at=visit.at,
        opened_at=visit.at if use == "opened" else None,
        heartbeat_at=visit.at,
        expires_at=find_expiry(visit),
    )
    visit.session.add(lease)
    visit.session.flush()
    return lease


def find_expiry(visit: Visit) -> datetime:
    """When a lease that begins or is renewed now runs out."""
    return visit.at + timedelta(seconds=visit.party.settings.annotate.lease_secs)


def count_wanted(visit: Visit, ahead: int) -> int:
    """How many images a page holds that asks for this many behind the open one."""
    return 1 + min(ahead, MOST_AHEAD * visit.party.settings.annotate.images_ahead)


def hold_image(
    visit: Visit, image_id: int, kind: LeaseKind, *, is_opened: bool = True
) -> Lease | None:
    """The person's lease of this kind on the image, renewed and opened, or None without one.

    A lease that ran out but was not swept is as good as before: no other person asked.
    """
    held = _OPEN_ONE if is_opened else _RENEW_ONE
    return next(iter(_renew(visit, kind, held, of_image=image_id)), None)


def hold_all(visit: Visit, kind: LeaseKind, *, with_stuck: bool = False) -> list[Lease]:
    """What the person holds, renewed: first what they opened last; returned work before new.

    An image that stops a page is given out no more, but its holder may go on where they have it.
    """

    def place(lease: Lease) -> tuple[int, float, int]:
        if lease.opened_at is not None:
            return 0, -lease.opened_at.timestamp(), -lease.id
        return 1 if lease.returns_to is ImageState.RETURNED else 2, 0.0, lease.id

    which = _RENEW if with_stuck else _RENEW_SOUND
    return sorted(_renew(visit, kind, which), key=place)


_RENEW = (
    update(Lease)
    .where(
        Lease.person_id == bindparam("of_person"),
        Lease.kind == bindparam("of_kind"),
        exists().where(
            Image.id == Lease.image_id,
            Image.state.in_(HELD_STATES.values()) | ~IS_OF_BOXES,
            Image.state != ImageState.TAKEN_DOWN,
        ),
    )
    .values(heartbeat_at=bindparam("now"), expires_at=bindparam("end"))
    .returning(Lease)
    .execution_options(synchronize_session=False, populate_existing=True)
)
_RENEW_SOUND = _RENEW.where(~is_stuck(Lease.image_id))
_RENEW_ONE = _RENEW.where(Lease.image_id == bindparam("of_image"))
_OPEN_ONE = _RENEW_ONE.values(opened_at=func.coalesce(Lease.opened_at, bindparam("now")))


def _renew(visit: Visit, kind: LeaseKind, which: Update, **more_values: int) -> list[Lease]:
    """The person's leases, renewed, on images that were not taken down since."""
    # A new blind task is only its holder's, who waits for no other person's work on the image.
    is_named = "of_image" in more_values and kind is not LeaseKind.BLIND
    lock_work(visit, [more_values["of_image"]] if is_named else [])
    values = {"of_person": visit.person.id, "of_kind": kind, "now": visit.at, **more_values}
    return list(visit.session.scalars(which, values | {"end": find_expiry(visit)}))


def lock_work(visit: Visit, image_ids: Collection[int] = ()) -> None:
    """Lock these images with all that the visitor holds, before anything else is locked."""
    if needs_row_locks(visit.session):
        mine = select(Lease.image_id).where(Lease.person_id == visit.person.id)
        lock_images(visit.session, {*image_ids, *visit.session.scalars(mine)})


def take_reserved(visit: Visit, hidden: Select[tuple[int]]) -> Lease | None:
    """The lease on what another reserved but did not open, who waited longest for their page.

    Not on one of the `hidden` images, which the visitor draws blind.
    """
    unopened = Lease.opened_at.is_(None) & (Lease.kind == LeaseKind.ANNOTATE)
    may_have = (Lease.person_id != visit.person.id) & Lease.image_id.not_in(hidden)
    waiting = list_unlocked(visit.session, unopened & may_have)
    for lease in sorted(waiting, key=lambda lease: (lease.heartbeat_at, -lease.id)):
        image_id = lease.image_id
        enters = lease.returns_to
        is_new = enters is ImageState.POOL  # not their own returned work
        if is_new and release(visit.session, lease, unopened, "passed_on", at=visit.at):
            return take_lease(visit, image_id, enters, LeaseKind.ANNOTATE)
    return None


def has_held(visit: Visit, image_id: int) -> bool:
    """Whether the image was ever the visitor's, by a lease or by a revision from before leases."""
    me = visit.person.id
    leased = (
        exists().where(
            table.image_id == image_id, table.person_id == me, table.kind.in_(HELD_STATES)
        )
        for table in (Lease, EndedLease)
    )
    blind = exists().where(BlindTask.image_id == image_id, BlindTask.person_id == me)
    by_me = (Annotation.person_id == me, Annotation.is_stale.is_(False))
    drawn = exists().where(Annotation.image_id == image_id, *by_me)
    return bool(visit.session.scalar(select(or_(*leased, blind, drawn))))


def has_lost(visit: Visit, image_id: int) -> bool:
    """Whether the visitor's last lease to annotate the image ended without their doing."""
    return find_last_ending(visit, image_id, LeaseKind.ANNOTATE) in LOST


def find_last_ending(visit: Visit, image_id: int, kind: LeaseKind) -> str | None:
    """How the visitor's last lease of this kind on the image ended, or None without one."""
    mine = (EndedLease.person_id == visit.person.id, EndedLease.kind == kind)
    ended = select(EndedLease.how).where(EndedLease.image_id == image_id, *mine)
    return visit.session.scalar(ended.order_by(EndedLease.id.desc()).limit(1))
