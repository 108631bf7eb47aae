"""Images that went back so often that an organiser settles them, with all that was said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from annotate_ui.visit import Visit
from annotate_ui.work.blind import is_hidden
from annotate_ui.work.reviews import is_checkable_by, is_disputed
from catalog.states import ImageState
from catalog.tables import Annotation, Image, Lease, Person, Review

MOST = 100
OPEN_STATES = (
    ImageState.ANNOTATED,
    ImageState.CHECKING,
    ImageState.RETURNED,
    ImageState.ANNOTATING,
)


@dataclass(frozen=True)
class Dispute:
    """A disputed image with its newest revision and the verdicts on it, the first one first.

    `holder` is who has it in hand, to settle it or to draw once more.
    """

    image: Image
    head: Annotation
    rounds: Sequence[Review]
    holder: Person | None
    may_settle: bool


def list_disputes(visit: Visit) -> list[Dispute]:
    """The images that organisers have to settle, those first that wait the longest."""
    images = visit.session.scalars(
        select(Image)
        .where(Image.state.in_(OPEN_STATES), is_disputed(visit), Image.annotation_id.is_not(None))
        .where(~is_hidden(visit))
        .order_by(Image.state_at, Image.id)
        .limit(MOST)
        .options(selectinload(Image.annotation).selectinload(Annotation.objects))
    )
    disputed = list(images)
    checkable = select(Image.id).where(
        Image.id.in_([image.id for image in disputed]), is_checkable_by(visit)
    )
    by_others = frozenset(visit.session.scalars(checkable))
    found = [_make_dispute(visit, image, image.id in by_others) for image in disputed]
    return sorted(found, key=lambda one: not one.may_settle)


def list_rounds(session: Session, image_id: int) -> list[Review]:
    """The verdicts on an image with the revisions that they judge, the first one first."""
    reviews = (
        select(Review)
        .where(Review.annotation.has(image_id=image_id), Review.set_aside_at.is_(None))
        .order_by(Review.id)
    )
    judged = selectinload(Review.annotation).selectinload(Annotation.objects)
    return list(session.scalars(reviews.options(selectinload(Review.person), judged)))


def _make_dispute(visit: Visit, image: Image, is_by_others: bool) -> Dispute:
    assert image.annotation is not None
    holder = visit.session.scalar(
        select(Person).join(Lease, Lease.person_id == Person.id).where(Lease.image_id == image.id)
    )
    is_free = image.state is ImageState.ANNOTATED
    is_mine = holder is visit.person and image.state is ImageState.CHECKING
    may_settle = (is_free or is_mine) and is_by_others
    return Dispute(
        image, image.annotation, list_rounds(visit.session, image.id), holder, may_settle
    )
