"""Undoing one person's drawings and verdicts on drawings."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, func, or_, select, update
from sqlalchemy.orm import Session

from catalog.states import SegmentState
from catalog.tables import ReleaseImage, Segmentation, SegmentationReview, SegmentChoice


def count_drawings(session: Session, person_id: int, since: datetime) -> int:
    """How many of a person's drawings `set_drawings_aside` would set aside."""
    return session.scalar(select(func.count()).where(_are_theirs(person_id, since))) or 0


def set_drawings_aside(session: Session, person_id: int, since: datetime) -> None:
    """Let images go on from the newest drawing of others, which is checked again.

    The rows stay, as drawings that do not count. Those in a release stay as they are. An image on
    which others drew later keeps the later drawing, which is checked again.
    """
    theirs = set(session.scalars(select(Segmentation.id).where(_are_theirs(person_id, since))))
    judged = select(SegmentationReview.segmentation_id).where(
        SegmentationReview.person_id == person_id, SegmentationReview.created_at >= since
    )
    is_touched = or_(
        SegmentChoice.image_id.in_(
            select(Segmentation.image_id).where(Segmentation.id.in_(theirs))
        ),
        SegmentChoice.segmentation_id.in_(judged),
    )
    locked = select(SegmentChoice).where(is_touched).order_by(SegmentChoice.image_id)
    for choice in session.scalars(locked.with_for_update()):
        drawing = choice.segmentation
        while drawing is not None and drawing.id in theirs:
            drawing = session.get(Segmentation, drawing.parent_id) if drawing.parent_id else None
        choice.segmentation_id = drawing.id if drawing else None
        choice.annotation_id = drawing.annotation_id if drawing else None
        if choice.second_id in theirs or drawing is None:
            choice.second_id = choice.agreement = None
        is_drawn = drawing is not None and drawing.is_finished
        choice.state = SegmentState.DRAWN if is_drawn else SegmentState.TODO
        choice.holder_id = choice.opened_at = choice.expires_at = None
    session.execute(update(Segmentation).where(Segmentation.id.in_(theirs)).values(is_stale=True))


def _are_theirs(person_id: int, since: datetime) -> ColumnElement[bool]:
    """The person's drawings that count and that no release holds, blind second ones too."""
    released = select(ReleaseImage.segmentation_id).where(ReleaseImage.segmentation_id.is_not(None))
    seconds = select(SegmentChoice.second_id).where(SegmentChoice.second_id.is_not(None))
    counts = Segmentation.is_stale.is_(False) | Segmentation.id.in_(seconds)
    mine = (Segmentation.person_id == person_id) & (Segmentation.created_at >= since)
    return mine & counts & Segmentation.id.not_in(released)
