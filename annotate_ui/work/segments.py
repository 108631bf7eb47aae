"""Saves of drawings of pixels and of verdicts on them, as pages send them; segment keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated

from pydantic import Field

from annotate_ui.api.schemas import Body, Comment, Id, ObjectKey, SaveKey, Secs
from annotate_ui.visit import Visit
from catalog.states import Verdict
from catalog.tables import Segment, Segmentation, SegmentationReview
from segment import saving
from segment.leases import lock_choice

from .reviews import corrected_key
from .revisions import find_parent, get_image, require_pace, require_room, save_once

Count = Annotated[int, Field(ge=0, le=1_000_000)]


class SegmentBody(Body):
    """The rings of one object, each flat as x0, y0, x1, y1; without a key of a void region."""

    object_key: ObjectKey | None
    depth: Annotated[int, Field(ge=-10_000, le=10_000)]
    rings: tuple[tuple[int, ...], ...]
    drawn_secs: Secs = 0.0
    inputs: Count = 0


class SegmentationBody(Body):
    """POST /images/ID/segmentations."""

    save_key: SaveKey
    parent_id: Id | None
    annotation_id: Id
    active_secs: Secs = 0.0
    inputs: Count = 0
    finish: bool
    segments: tuple[SegmentBody, ...]


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


def save_segmentation(visit: Visit, image_id: int, body: SegmentationBody) -> saving.SavedDrawing:
    """What became of a drawing, else an error and nothing was saved; no `save_key` saves twice."""
    choice = lock_choice(visit, image_id)  # a second post waits here for the first
    image = get_image(visit.session, image_id)

    def save() -> saving.SavedDrawing:
        require_pace(visit, Segmentation.created_at)
        find_parent(visit.session, image, body.annotation_id, "annotation_id")
        told = body.model_dump(exclude={"finish", "segments"}) | {"is_finished": body.finish}
        drawing = Segmentation(**told, segments=_make_segments(body.segments))
        may_keep = partial(require_room, visit, Segmentation, image_id)
        return saving.save_drawing(visit, choice, image, drawing, may_keep)

    find = partial(saving.find_repeated, visit, choice, image, body.save_key)
    return save_once(visit.session, find, save)


def save_segment_review(
    visit: Visit, segmentation_id: int, body: SegmentReviewBody
) -> saving.SavedDrawing:
    """What became of a verdict on a drawing, else InvalidError; no `save_key` saves twice."""
    drawing = saving.get_drawing(visit, segmentation_id)
    choice = lock_choice(visit, drawing.image_id)
    fixed_key = corrected_key(visit, body.save_key)

    def save() -> saving.SavedDrawing:
        told = body.model_dump(exclude={"objects", "comments", "segments"})
        said = [it.model_dump(mode="json") for it in body.objects]
        review = SegmentationReview(**told, object_verdicts=said, comments=body.comments or None)
        fixed = None
        if body.segments is not None:
            fixed = Segmentation(save_key=fixed_key, segments=_make_segments(body.segments))
        return saving.save_review(visit, choice, drawing, review, fixed)

    keys = (body.save_key, fixed_key)
    find = partial(saving.find_repeated_review, visit, choice, drawing, *keys)
    return save_once(visit.session, find, save)


def _make_segments(sent: Sequence[SegmentBody]) -> list[Segment]:
    return [Segment(**it.model_dump(mode="json")) for it in sent]
