"""Saving a checker's verdict on a drawing of pixels, never on one that they had a hand in."""

from __future__ import annotations

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from annotate_ui.api.schemas import Body, Comment, ObjectKey, SaveKey, Secs
from annotate_ui.errors import ForbiddenError, NotFoundError
from annotate_ui.visit import Visit
from catalog.states import SegmentState, Verdict
from catalog.tables import Segmentation, SegmentationReview, SegmentChoice
from segment.choices import load_boxes

from .reviews import corrected_key
from .revisions import get_image
from .segment_leases import end_segment, has_segmented, is_held, lock_choice
from .segments import (
    Count,
    SavedDrawing,
    SegmentBody,
    check_segments,
    insert_drawing,
    make_drawing,
    refuse,
)


class SegmentVerdictBody(Body):
    """A checker's verdict on one object."""

    object_key: ObjectKey
    verdict: Verdict


class SegmentReviewBody(Body):
    """POST /segmentations/ID/reviews."""

    save_key: SaveKey
    verdict: Verdict
    objects: tuple[SegmentVerdictBody, ...] = ()
    missing: bool | None = None
    comments: Comment = ""
    active_secs: Secs = 0.0
    inputs: Count = 0
    segments: tuple[SegmentBody, ...] | None = None


def save_segment_review(
    visit: Visit, segmentation_id: int, body: SegmentReviewBody
) -> SavedDrawing:
    """What became of a verdict on a drawing; the same `save_key` never saves twice.

    Raises NotFoundError, InvalidError, or ForbiddenError where the checker drew on it.
    """
    drawing = visit.session.get(Segmentation, segmentation_id)
    if drawing is None:
        raise NotFoundError(f"Drawing {segmentation_id} does not exist.")
    choice = lock_choice(visit, drawing.image_id)
    if repeated := _find_repeated_review(visit, choice, drawing, body.save_key):
        return repeated
    _require_stranger(visit, drawing)
    _check_review(visit, drawing, body)
    is_mine = choice is not None and is_held(visit, choice, "check-segment")
    is_current = choice is not None and choice.segmentation_id == segmentation_id
    code = None if is_mine and is_current else "stale" if is_mine else "lease_lost"
    fixed = None
    if body.segments is not None:
        fixed = make_drawing(
            visit,
            drawing.image_id,
            save_key=corrected_key(visit, body.save_key),
            parent_id=drawing.id,
            annotation_id=drawing.annotation_id,
            is_finished=True,
            is_stale=code is not None,
        )
        insert_drawing(visit.session, fixed, body.segments)
    if code is not None or choice is None:
        return SavedDrawing(fixed, choice, code=code)
    told = body.model_dump(include={"save_key", "verdict", "missing", "active_secs", "inputs"})
    review = SegmentationReview(
        segmentation_id=segmentation_id,
        person_id=visit.person.id,
        object_verdicts=[it.model_dump(mode="json") for it in body.objects],
        comments=body.comments or None,
        mended_segmentation_id=fixed.id if fixed else None,
        created_at=visit.at,
        **told,
    )
    visit.session.add(review)
    if fixed is not None:
        choice.segmentation_id = fixed.id
    is_returned = body.verdict is Verdict.RETURNED
    choice.state = SegmentState.RETURNED if is_returned else SegmentState.CHECKED
    end_segment(choice)
    visit.session.flush()
    return SavedDrawing(fixed or drawing, choice, review)


def find_segment_return(session: Session, choice: SegmentChoice) -> SegmentationReview | None:
    """The verdict that sent the image back to be drawn again, or None."""
    of_image = SegmentationReview.segmentation.has(Segmentation.image_id == choice.image_id)
    reviews = select(SegmentationReview).where(of_image).order_by(SegmentationReview.id.desc())
    review = session.scalar(reviews.limit(1))
    is_back = choice.state is SegmentState.RETURNED and review is not None
    return review if is_back and review and review.verdict is Verdict.RETURNED else None


def _check_review(visit: Visit, drawing: Segmentation, body: SegmentReviewBody) -> None:
    is_accepted, is_fixed = (body.verdict is it for it in (Verdict.ACCEPT, Verdict.MENDED))
    others = {it.verdict for it in body.objects} - {Verdict.ACCEPT}
    if is_accepted and (others or body.missing):
        refuse("verdict", "expected returned or mended, as not all is accepted")
    if body.verdict is Verdict.RETURNED and not (others or body.missing or body.comments.strip()):
        refuse("comments", "expected a comment that says why it goes back")
    if is_fixed != (body.segments is not None):
        refuse("segments", "expected the fixed drawing where the verdict is mended, only then")
    keys = set(load_boxes(visit.session, drawing.annotation_id))
    for index, item in enumerate(body.objects):
        if item.object_key not in keys:
            refuse(f"objects.{index}.object_key", f"drawing {drawing.id} has no such object")
    if body.segments is not None:
        image = get_image(visit.session, drawing.image_id)
        check_segments(visit.session, image, drawing.annotation_id, body.segments)


def _require_stranger(visit: Visit, drawing: Segmentation) -> None:
    drawn = exists().where(SegmentChoice.image_id == drawing.image_id, has_segmented(visit))
    if visit.session.scalar(select(drawn)):
        raise ForbiddenError("You drew on this image yourself. Another checker must check it.")


def _find_repeated_review(
    visit: Visit, choice: SegmentChoice | None, drawing: Segmentation, save_key: str
) -> SavedDrawing | None:
    """What became of a verdict of this key before, or None where there was none."""
    by_key = SegmentationReview.save_key == save_key
    review = visit.session.scalar(select(SegmentationReview).where(by_key))
    if review is not None:
        if (review.person_id, review.segmentation_id) != (visit.person.id, drawing.id):
            refuse("save_key", "expected a name that no other review has had")
        return SavedDrawing(drawing, choice, review, is_repeated=True)
    fixed = Segmentation.save_key == corrected_key(visit, save_key)
    kept = visit.session.scalar(select(Segmentation).where(fixed))
    return SavedDrawing(kept, choice, code="lease_lost", is_repeated=True) if kept else None
