"""What comes next: the image to annotate or to check, leased to whoever asks."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, func, or_, select

from catalog.image_store import digest_of
from catalog.states import ImageState, LeaseKind
from catalog.tables import Annotation, Image, Lease, Person

from .errors import ForbiddenError, LeaseLostError
from .leases import find_held, hold_image, sweep_leases, take_lease
from .reviews import has_drawn
from .revision_rows import get_image
from .visit import Visit

REOPENABLE = (
    ImageState.POOL,
    ImageState.RETURNED,
    ImageState.ANNOTATED,
    ImageState.DISCARDED,
)


@dataclass(frozen=True)
class Queue:
    """The lease on the next image, or why there is none; how many are left after it."""

    lease: Lease | None
    left: int
    reason: str | None = None


def next_to_annotate(visit: Visit) -> Queue:
    """What the person holds already, else what was returned to them, else one from the pool."""
    lease = find_held(visit, LeaseKind.ANNOTATE)
    if lease is None:
        sweep_leases(visit.session, at=visit.at)
        lease = (
            _draw(visit, LeaseKind.ANNOTATE, ImageState.RETURNED, _is_own(visit))
            or _draw(visit, LeaseKind.ANNOTATE, ImageState.POOL)
            or _draw(visit, LeaseKind.ANNOTATE, ImageState.RETURNED, _is_left_behind())
        )
    left = _count(visit, _is_to_annotate(visit))
    return Queue(lease, left, None if lease else "empty")


def next_to_check(visit: Visit) -> Queue:
    """What the person holds already, else an image that others annotated."""
    by_others = ~has_drawn(visit.person.id)
    lease = find_held(visit, LeaseKind.CHECK)
    if lease is None:
        sweep_leases(visit.session, at=visit.at)
        lease = _draw(visit, LeaseKind.CHECK, ImageState.ANNOTATED, by_others)
    waiting = Image.state == ImageState.ANNOTATED
    if lease is None and _count(visit, waiting):
        return Queue(None, 0, "nothing_of_others")
    left = _count(visit, and_(waiting, by_others))
    return Queue(lease, left, None if lease else "empty")


def reopen(visit: Visit, image_id: int) -> Queue:
    """An image of the person's own, leased again.

    Raises NotFoundError, ForbiddenError where it is not theirs, LeaseLostError where it is but
    somebody else has it or it was checked.
    """
    lease = hold_image(visit, image_id, LeaseKind.ANNOTATE)
    if lease is None:
        sweep_leases(visit.session, at=visit.at)
        lease = _take_own(visit, get_image(visit.session, image_id))
    return Queue(lease, _count(visit, _is_to_annotate(visit)))


def _take_own(visit: Visit, image: Image) -> Lease:
    visit.session.refresh(image)
    if not _is_owner(visit, image):
        raise ForbiddenError(f"Image {image.id} is not yours to go back to.")
    lease = None
    if image.state in REOPENABLE:
        lease = take_lease(visit, image.id, image.state, LeaseKind.ANNOTATE)
    if lease is None:
        raise LeaseLostError(f"Image {image.id} has gone on to somebody else; ask for the next.")
    return lease


def _is_owner(visit: Visit, image: Image) -> bool:
    """Whether the newest revision is the person's, or the image is free and an older one is.

    What was kept beside does not count: it may come from somebody who never held the image.
    """
    if image.annotation is not None and image.annotation.person_id == visit.person.id:
        return True
    own = select(Annotation.id).where(
        Annotation.image_id == image.id,
        Annotation.person_id == visit.person.id,
        Annotation.is_stale.is_(False),
    )
    has_own = visit.session.scalar(own.limit(1)) is not None
    return has_own and image.state is ImageState.POOL


def _draw(
    visit: Visit, kind: LeaseKind, leaves: ImageState, condition: ColumnElement[bool] | None = None
) -> Lease | None:
    """The lease on an image drawn at random among those in the state, or None where none is left.

    A candidate that somebody else took meanwhile is no longer in the state, so another is drawn.
    """
    conditions = [Image.state == leaves] + ([] if condition is None else [condition])
    while (image_id := _find_near(visit, and_(*conditions))) is not None:
        lease = take_lease(visit, image_id, leaves, kind)
        if lease is not None:
            return lease
    return None


def _find_near(visit: Visit, condition: ColumnElement[bool]) -> int | None:
    """The first image at or after a random digest, from the start again where there is none."""
    pivot = digest_of(visit.tokens().encode())
    first = select(Image.id).where(condition).order_by(Image.sha256).limit(1)
    found = visit.session.scalar(first.where(Image.sha256 >= pivot))
    return found if found is not None else visit.session.scalar(first)


def _is_own(visit: Visit) -> ColumnElement[bool]:
    return Image.annotation.has(Annotation.person_id == visit.person.id)


def _is_left_behind() -> ColumnElement[bool]:
    """Whether the author of the newest revision no longer takes part."""
    return Image.annotation.has(Annotation.person.has(Person.ended_at.is_not(None)))


def _is_to_annotate(visit: Visit) -> ColumnElement[bool]:
    returned = and_(Image.state == ImageState.RETURNED, or_(_is_own(visit), _is_left_behind()))
    return or_(Image.state == ImageState.POOL, returned)


def _count(visit: Visit, condition: ColumnElement[bool]) -> int:
    return visit.session.scalar(select(func.count()).select_from(Image).where(condition)) or 0
