"""Images that went back so often that an organiser settles them, with all that was said."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from annotate_ui.api.answers import Json, format_drawn, format_person
from annotate_ui.visit import Visit
from annotate_ui.work.blind import is_hidden
from annotate_ui.work.reviews import is_checkable_by, is_disputed
from catalog.states import ImageState
from catalog.tables import Annotation, Image, Lease, Person, Review

from .people import display_name

MOST = 100
OPEN_STATES = (
    ImageState.ANNOTATED,
    ImageState.CHECKING,
    ImageState.RETURNED,
    ImageState.ANNOTATING,
)


def list_disputes(visit: Visit) -> list[Json]:
    """The images that organisers have to settle, those first that wait the longest.

    `holder` is who has one in hand, to settle it or to draw once more.
    """
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
    found = [_format_dispute(visit, image, image.id in by_others) for image in disputed]
    return sorted(found, key=lambda one: not one["may_settle"])


def list_rounds(session: Session, image_id: int) -> list[Json]:
    """The verdicts on an image with their comments, the first one first."""
    reviews = (
        select(Review)
        .where(Review.annotation.has(image_id=image_id), Review.set_aside_at.is_(None))
        .order_by(Review.id)
    )
    judged = selectinload(Review.annotation).selectinload(Annotation.objects)
    found = session.scalars(reviews.options(selectinload(Review.person), judged))
    return [_format_round(review) for review in found]


def _format_round(review: Review) -> Json:
    """A verdict with its comments, each with the class of its object."""
    classes = {item.object_key: item.class_name for item in review.annotation.objects}
    return {
        "verdict": review.verdict,
        "checker": display_name(review.person),
        "at": review.reviewed_at,
        "comment": review.comment or "",
        "objects": [
            {
                "key": item["object_key"],
                "class": classes.get(item["object_key"], ""),
                "verdict": item["verdict"],
                "comment": item["comment"],
            }
            for item in review.object_verdicts
            if item["comment"] or item["verdict"] == "reject"
        ],
    }


def _format_dispute(visit: Visit, image: Image, is_by_others: bool) -> Json:
    assert image.annotation is not None
    holder = visit.session.scalar(
        select(Person).join(Lease, Lease.person_id == Person.id).where(Lease.image_id == image.id)
    )
    is_free = image.state is ImageState.ANNOTATED
    is_mine = holder is visit.person and image.state is ImageState.CHECKING
    return {
        "image_id": image.id,
        **format_drawn(image, image.annotation),
        "state": image.state,
        "since": image.state_at,
        "may_settle": (is_free or is_mine) and is_by_others,
        "holder": format_person(holder) if holder else None,
        "author": format_person(image.annotation.person),
        "rounds": list_rounds(visit.session, image.id),
    }
