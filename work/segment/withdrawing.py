"""Taking back outlines that were accepted of a set as they were and that nobody has checked yet."""

from __future__ import annotations

import secrets
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, exists, func, or_, select
from sqlalchemy.orm import Session

from catalog.image_store import digest_of
from catalog.locks import lock_images
from catalog.session import Catalogue, in_parts
from catalog.states import ImageState, SegmentState, Suggested, Verdict
from catalog.tables import (
    Image,
    Lease,
    ReleaseImage,
    Segment,
    Segmentation,
    SegmentationReview,
    SegmentChoice,
)
from work.lease_endings import IS_OF_SEGMENTS, release_leases

_AT_ONCE = 100


@dataclass
class OutlinesBack:
    """Outlines of a set that went back, the images that lost them, and those that stay.

    `checked` were accepted as they were, and a checker or a release has them since.
    """

    outlines: int = 0
    images: int = 0
    corrected: int = 0
    checked: int = 0


def take_outlines_back(catalogue: Catalogue, set_id: int, *, at: datetime) -> OutlinesBack:
    """What became of the set's outlines in the newest drawings.

    A drawing that loses outlines goes back to its author, as a draft without them; who has it open
    is told that it changed.
    """
    done = OutlinesBack()
    with catalogue.reading() as session:
        image_ids = list(session.scalars(_select_images(set_id)))
    for some in in_parts(image_ids, _AT_ONCE):
        with catalogue.writing() as session:
            locked = lock_images(session, some)
            on_them = Lease.image_id.in_(locked) & IS_OF_SEGMENTS
            release_leases(session, on_them, "taken_back", at=at)
            for image_id in session.scalars(_select_images(set_id, locked)).all():
                choice = session.get_one(SegmentChoice, image_id, with_for_update=True)
                done.outlines += _take_back_of(session, choice, set_id, at)
                done.images += 1
    with catalogue.reading() as session:
        _count_rest(session, set_id, done)
    return done


def _select_images(set_id: int, among: list[int] | None = None) -> Select[tuple[int]]:
    """The images of which the newest drawing has outlines that were accepted of the set."""
    accepted = (
        select(SegmentChoice.image_id)
        .join(Segment, Segment.segmentation_id == SegmentChoice.segmentation_id)
        .where(
            Segment.suggestion_set_id == set_id,
            Segment.suggested == Suggested.ACCEPTED,
            ~_is_checked(),
        )
    )
    if among is not None:
        accepted = accepted.where(SegmentChoice.image_id.in_(among))
    return accepted.distinct().order_by(SegmentChoice.image_id)


def _is_checked() -> ColumnElement[bool]:
    """Whether a checker or a release has the newest drawing, as of an image drawn again since."""
    head = SegmentChoice.segmentation_id
    is_accepted = and_(
        SegmentationReview.segmentation_id == head, SegmentationReview.verdict == Verdict.ACCEPT
    )
    by_checker = or_(is_accepted, SegmentationReview.fixed_segmentation_id == head)
    return or_(
        SegmentChoice.state == SegmentState.CHECKED,
        exists().where(by_checker, SegmentationReview.set_aside_at.is_(None)),
        exists().where(ReleaseImage.segmentation_id == head),
    )


def _take_back_of(session: Session, choice: SegmentChoice, set_id: int, at: datetime) -> int:
    """How many outlines a drawing lost; the image's newest is a draft without them."""
    head = choice.segmentation
    assert head is not None
    kept = [item for item in head.segments if not _is_accepted(item, set_id)]
    draft = Segmentation(
        image_id=head.image_id,
        annotation_id=head.annotation_id,
        person_id=head.person_id,
        parent_id=head.id,
        save_key=digest_of(secrets.token_bytes(16)),
        created_at=at,
        segments=[Segment(**_copy(item)) for item in kept],
    )
    session.add(draft)
    session.flush()
    choice.segmentation_id = draft.id
    if head.is_finished:
        choice.state = SegmentState.RETURNED
    session.flush()
    return len(head.segments) - len(kept)


def _is_accepted(item: Segment, set_id: int) -> bool:
    return item.suggestion_set_id == set_id and item.suggested is Suggested.ACCEPTED


def _copy(item: Segment) -> dict[str, Any]:
    """The columns of an outline but those that name its row and its drawing."""
    names = {column.key for column in Segment.__table__.columns} - {"id", "segmentation_id"}
    return {name: getattr(item, name) for name in names}


def _count_rest(session: Session, set_id: int, done: OutlinesBack) -> None:
    """Count the outlines of the set that stay in the newest drawings."""
    words = (
        select(Segment.suggested, func.count())
        .join(SegmentChoice, SegmentChoice.segmentation_id == Segment.segmentation_id)
        .join(Image, Image.id == SegmentChoice.image_id)
        .where(Segment.suggestion_set_id == set_id, Image.state != ImageState.TAKEN_DOWN)
        .group_by(Segment.suggested)
    )
    counts = Counter(dict(session.execute(words).tuples().all()))
    done.corrected = counts[Suggested.CORRECTED]
    done.checked = counts[Suggested.ACCEPTED]
