"""Values that no command of ours writes, although each is of the type of its column.

As the checks of party_rules.py these repair nothing: what the value was before, only a backup or a
person knows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from sqlalchemy import Column, Float, Integer, and_, exists, func, or_, select
from sqlalchemy.orm import Session

from catalog.states import DecisionKind, ImageState, PhotoState
from catalog.tables import (
    Annotation,
    Base,
    Decision,
    Image,
    Photo,
    Review,
    Segmentation,
    SegmentationReview,
)
from vockit.report.comparison import Compared, Outcome, compare

_MEASURES = frozenset({"badness", "depth", "doubt", "similarity"})
"""Numbers that may be below zero."""
_WITH_PHOTO = (
    ImageState.POOL,
    ImageState.ANNOTATING,
    ImageState.ANNOTATED,
    ImageState.CHECKING,
    ImageState.CHECKED,
    ImageState.RETURNED,
    ImageState.RELEASED,
)
"""States that only an image with a photo gets into."""
_PERHAPS_FORMER = "never the newest, and the preset may have had the reason before"


def compare_numbers(session: Session) -> Compared:
    """The columns of counts, sizes and seconds that have a value, and whether one is below zero."""
    outcomes: list[tuple[str, Outcome]] = []
    for table in Base.metadata.sorted_tables:
        columns = [column for column in table.columns if _is_count(column)]
        if not columns:
            continue
        least = session.execute(select(*(func.min(column) for column in columns))).one()
        outcomes += [
            (f"{table.name}.{column.name}: {number}", number >= 0)
            for column, number in zip(columns, least, strict=True)
            if number is not None  # else no row has one, so nothing is compared
        ]
    return compare("number field", outcomes, is_right="without a number below 0", is_wrong="not")


def _is_count(column: Column[float]) -> bool:
    is_number = isinstance(column.type, Integer | Float)
    return is_number and not column.foreign_keys and column.name not in _MEASURES


def compare_photos(session: Session) -> Compared:
    """Whether each photo has an image if and only if its state says so, and each image a photo."""
    has_image = Photo.image_id.is_not(None)
    is_fetched = Photo.state == PhotoState.FETCHED
    may_have = is_fetched | (Photo.state == PhotoState.WITHDRAWN)
    odd = select(Photo.id, Photo.state, Photo.image_id).order_by(Photo.id)
    odd = odd.where(or_(and_(has_image, ~may_have), and_(is_fetched, ~has_image)))
    faults = [
        f"photo {photo_id}: it is {state}, and "
        + (f"has image {image_id}" if image_id else "has no image")
        for photo_id, state, image_id in session.execute(odd)
    ]
    alone = select(Image.id).where(
        Image.state.in_(_WITH_PHOTO), ~exists().where(Photo.image_id == Image.id)
    )
    faults += [
        f"image {image_id}: it has no photo"
        for image_id in session.scalars(alone.order_by(Image.id))
    ]
    total = sum(
        session.scalar(select(func.count()).select_from(row)) or 0 for row in (Photo, Image)
    )
    return Compared(
        what="row",
        equal=total - len(faults),
        different=tuple(faults),
        is_right="with photo and image as their states say",
        is_wrong="not",
    )


def compare_verdicts(session: Session, reasons: Collection[str]) -> Compared:
    """Whether each check is by another than who drew, and each reason to discard is a known one.

    A reason is known if it is one of the preset's `reasons`, or the decision that it led to has the
    same: a preset that changed since may lack it. A revision that was never the newest led to no
    decision, so it is passed over where the preset lacks its reason.
    """
    outcomes: list[tuple[str, Outcome]] = [(name, False) for name in _list_own_checks(session)]
    outcomes += _judge_odd_reasons(session, reasons)
    odd = compare("verdict", outcomes, is_right="as a person can give them")
    total = 0
    for row in (Review, SegmentationReview):
        total += session.scalar(select(func.count()).select_from(row)) or 0
    discards = select(func.count()).where(Annotation.discard_reason.is_not(None))
    total += session.scalar(discards) or 0
    return replace(odd, equal=total - odd.total)


def _list_own_checks(session: Session) -> Iterator[str]:
    """Each check by the person who drew; an import may name one person for both."""
    boxes = (
        select(Review.id, Review.annotation_id, Annotation.image_id)
        .join(Annotation, Annotation.id == Review.annotation_id)
        .where(Review.person_id == Annotation.person_id, Review.role.is_not(None))
    )
    for review_id, revision_id, image_id in session.execute(boxes.order_by(Review.id)):
        yield f"review {review_id} of image {image_id}: its person drew revision {revision_id}"
    pixels = (
        select(SegmentationReview.id, Segmentation.id, Segmentation.image_id)
        .join(Segmentation, Segmentation.id == SegmentationReview.segmentation_id)
        .where(SegmentationReview.person_id == Segmentation.person_id)
    )
    for review_id, drawing_id, image_id in session.execute(pixels.order_by(SegmentationReview.id)):
        yield f"check {review_id} of image {image_id}: its person made drawing {drawing_id}"


def _judge_odd_reasons(session: Session, reasons: Collection[str]) -> Iterator[tuple[str, Outcome]]:
    """Each revision that discards for a reason that its decision or the preset does not have."""
    is_of_it = and_(
        Decision.annotation_id == Annotation.id, Decision.kind == DecisionKind.DISCARDED
    )
    is_unknown = Annotation.discard_reason.not_in(sorted(reasons)) & Decision.id.is_(None)
    is_other = Decision.reason.is_distinct_from(Annotation.discard_reason) & Decision.id.is_not(
        None
    )
    odd = (
        select(Annotation, Decision)
        .outerjoin(Decision, is_of_it)
        .where(Annotation.discard_reason.is_not(None), is_unknown | is_other)
    )
    for revision, decision in session.execute(odd.order_by(Annotation.id)):
        of_image = f"revision {revision.id} of image {revision.image_id}"
        name = f"{of_image} discards as {revision.discard_reason!r}"
        if decision is not None:
            yield f"{name}, by its decision as {decision.reason!r}", False
        elif revision.beside is None:
            yield f"{name}, which is no reason of the preset", False
        else:
            yield name, _PERHAPS_FORMER
