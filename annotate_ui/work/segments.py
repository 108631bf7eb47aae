"""Saving drawings of pixels and verdicts on them: append-only; a stale drawing is kept as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from annotate_ui import errors
from annotate_ui.api.schemas import Body, Comment, Id, ObjectKey, SaveKey, Secs
from annotate_ui.visit import Visit
from catalog.rings import MOST_CORNERS, Ring, RingError, unpack_rings
from catalog.states import SegmentState, Verdict
from catalog.tables import Image, Segment, Segmentation, SegmentationReview, SegmentChoice
from segment.choices import load_boxes, load_drawn, note_agreement
from segment.drawings import check_rings, list_faults
from segment.proposals import ProposalError, Request, propose

from .leases import NO_LONGER_YOURS
from .reviews import corrected_key
from .revisions import find_parent, get_image, require_pace, require_room, save_once
from .segment_leases import Kind, end_segment, has_segmented, is_held, is_second_due, lock_choice

MOST_OBJECTS = 254
"""The labels of a mask are 8 bits: 0 is background and 255 void."""
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


@dataclass(frozen=True)
class SavedDrawing:
    """What became of a save or a verdict; `code` is why it was kept beside, as for boxes.

    `faults` are what a finished drawing is asked about, by object.
    """

    segmentation: Segmentation | None
    choice: SegmentChoice | None
    review: SegmentationReview | None = None
    code: str | None = None
    faults: list[tuple[str, str]] = field(default_factory=list)
    is_repeated: bool = False


def save_segmentation(visit: Visit, image_id: int, body: SegmentationBody) -> SavedDrawing:
    """What became of a drawing; the same `save_key` never saves twice.

    Raises NotFoundError, InvalidError, TooManyError, or ForbiddenError where too much is kept
    beside already, and then nothing was saved.
    """
    choice = lock_choice(visit, image_id)  # a second post waits here for the first
    image = get_image(visit.session, image_id)
    return save_once(
        visit.session,
        lambda: _find_repeated(visit, choice, image, body.save_key),
        lambda: _save_drawing(visit, choice, image, body),
    )


def save_segment_review(
    visit: Visit, segmentation_id: int, body: SegmentReviewBody
) -> SavedDrawing:
    """What became of a verdict on a drawing; the same `save_key` never saves twice.

    Raises NotFoundError, InvalidError, or ForbiddenError where the checker drew on it.
    """
    drawing = visit.session.get(Segmentation, segmentation_id)
    if drawing is None:
        raise errors.NotFoundError(f"Drawing {segmentation_id} does not exist.")
    choice = lock_choice(visit, drawing.image_id)
    return save_once(
        visit.session,
        lambda: _find_repeated_review(visit, choice, drawing, body.save_key),
        lambda: _save_review(visit, choice, drawing, body),
    )


def propose_outline(
    visit: Visit,
    image_id: int,
    object_key: str,
    add: Sequence[Sequence[int]],
    remove: Sequence[Sequence[int]],
) -> list[Ring]:
    """An outline of the object for who holds the image, from flat strokes.

    Raises LeaseLostError, InvalidError, and UnavailableError where none can be computed now.
    """
    choice = visit.session.get(SegmentChoice, image_id)
    if not is_held(choice, visit, "segment") and not is_held(choice, visit, "check-segment"):
        raise errors.LeaseLostError(NO_LONGER_YOURS)
    image = get_image(visit.session, image_id)
    box = load_boxes(visit.session, image.annotation_id or 0).get(object_key)
    if box is None:
        errors.refuse("object_key", f"image {image_id} has no such object")
    try:
        strokes = unpack_rings(add), unpack_rings(remove)
        for some in strokes:
            check_rings(some, image.width, image.height, fewest=1)
    except RingError as error:
        raise errors.InvalidError(str(error)) from error
    data = visit.party.store.get(image.sha256)
    try:
        return propose(Request(data, box, tuple(strokes[0]), tuple(strokes[1])))
    except ProposalError as error:
        raise errors.UnavailableError(str(error)) from error


def find_own_second(visit: Visit, choice: SegmentChoice) -> Segmentation | None:
    """The visitor's newest drawing for the blind task that they have on the image, or None."""
    mine = (Segmentation.image_id == choice.image_id, Segmentation.person_id == visit.person.id)
    newest = select(Segmentation).where(*mine).order_by(Segmentation.id.desc()).limit(1)
    return visit.session.scalar(newest)


def find_segment_return(session: Session, choice: SegmentChoice) -> SegmentationReview | None:
    """The verdict that sent the image back to be drawn again, or None."""
    of_image = SegmentationReview.segmentation.has(Segmentation.image_id == choice.image_id)
    reviews = select(SegmentationReview).where(of_image).order_by(SegmentationReview.id.desc())
    review = session.scalar(reviews.limit(1))
    is_back = choice.state is SegmentState.RETURNED and review is not None
    return review if is_back and review and review.verdict is Verdict.RETURNED else None


def _save_drawing(
    visit: Visit, choice: SegmentChoice | None, image: Image, body: SegmentationBody
) -> SavedDrawing:
    require_pace(visit, Segmentation.created_at)
    find_parent(visit.session, image, body.annotation_id, "annotation_id")
    _check_segments(visit.session, image, body.annotation_id, body.segments)
    parent = visit.session.get(Segmentation, body.parent_id or 0)
    if body.parent_id is not None and (parent is None or parent.image_id != image.id):
        errors.refuse("parent_id", f"image {image.id} has no drawing {body.parent_id}")
    code = _name_conflict(visit, choice, "segment", body.parent_id)
    is_due = code != "lease_lost" and choice is not None and is_second_due(choice)
    is_second = is_due and not _has_drawn(visit, image.id)
    code = None if is_second else code
    if code is not None:
        require_room(visit, Segmentation, image.id)
    told = body.model_dump(include={"save_key", "parent_id", "annotation_id", "inputs"})
    told |= {"is_finished": body.finish, "active_secs": body.active_secs}
    is_stale = is_second or code is not None
    made = _add_drawing(visit, image.id, body.segments, is_stale=is_stale, **told)
    if code is not None or choice is None:
        return SavedDrawing(made, choice, code=code)
    if not is_second:
        choice.segmentation_id, choice.annotation_id = made.id, made.annotation_id
    visit.session.flush()
    if made.is_finished:
        if is_second:
            choice.second_id = made.id
            note_agreement(visit.session, choice)
        is_awaited = choice.blind and choice.second_id is None
        choice.state = SegmentState.TODO if is_awaited else SegmentState.DRAWN
        end_segment(choice)
        visit.session.flush()
    return SavedDrawing(made, choice, faults=_list_faults(visit, image, made))


def _save_review(
    visit: Visit, choice: SegmentChoice | None, drawing: Segmentation, body: SegmentReviewBody
) -> SavedDrawing:
    if _has_drawn(visit, drawing.image_id):
        raise errors.ForbiddenError(
            "You drew on this image yourself. Another checker must check it."
        )
    _check_review(visit, drawing, body)
    code = _name_conflict(visit, choice, "check-segment", drawing.id)
    fixed = None
    if body.segments is not None:
        fixed = _add_drawing(
            visit,
            drawing.image_id,
            body.segments,
            save_key=corrected_key(visit, body.save_key),
            parent_id=drawing.id,
            annotation_id=drawing.annotation_id,
            is_finished=True,
            is_stale=code is not None,
        )
    if code is not None or choice is None:
        return SavedDrawing(fixed, choice, code=code)
    told = body.model_dump(include={"save_key", "verdict", "missing", "active_secs", "inputs"})
    review = SegmentationReview(
        segmentation_id=drawing.id,
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


def _name_conflict(
    visit: Visit, choice: SegmentChoice | None, kind: Kind, started_from_id: int | None
) -> str | None:
    """Why a drawing is kept beside; None for one that is the image's newest."""
    if not is_held(choice, visit, kind):
        return "lease_lost"
    return None if choice.segmentation_id == started_from_id else "stale"


def _has_drawn(visit: Visit, image_id: int) -> bool:
    drawn = exists().where(SegmentChoice.image_id == image_id, has_segmented(visit))
    return bool(visit.session.scalar(select(drawn)))


def _list_faults(visit: Visit, image: Image, made: Segmentation) -> list[tuple[str, str]]:
    if not made.is_finished:
        return []
    boxes = load_boxes(visit.session, made.annotation_id)
    return list(list_faults(load_drawn(made), boxes, image.width, image.height))


def _check_segments(
    session: Session, image: Image, annotation_id: int, segments: Sequence[SegmentBody]
) -> None:
    """Raise InvalidError for the first field of a drawing that breaks a rule."""
    keys = set(load_boxes(session, annotation_id))
    seen: set[str] = set()
    corners = 0
    for index, item in enumerate(segments):
        place = f"segments.{index}"
        if item.object_key is not None and item.object_key not in keys:
            errors.refuse(f"{place}.object_key", f"revision {annotation_id} has no such object")
        if item.object_key in seen:
            errors.refuse(f"{place}.object_key", f"expected {item.object_key} once")
        seen |= {item.object_key} if item.object_key else set()
        corners += sum(map(len, item.rings)) // 2
        if corners > MOST_CORNERS:
            errors.refuse("segments", f"expected at most {MOST_CORNERS} corners in an image")
        try:
            check_rings(unpack_rings(item.rings), image.width, image.height)
        except RingError as error:
            raise errors.InvalidError(str(error), field=f"{place}.rings") from error
    if len(seen) > MOST_OBJECTS:
        errors.refuse("segments", f"expected at most {MOST_OBJECTS} objects, got {len(seen)}")


def _check_review(visit: Visit, drawing: Segmentation, body: SegmentReviewBody) -> None:
    is_accepted, is_fixed = (body.verdict is it for it in (Verdict.ACCEPT, Verdict.MENDED))
    others = {it.verdict for it in body.objects} - {Verdict.ACCEPT}
    if is_accepted and (others or body.missing):
        errors.refuse("verdict", "expected returned or mended, as not all is accepted")
    if body.verdict is Verdict.RETURNED and not (others or body.missing or body.comments.strip()):
        errors.refuse("comments", "expected a comment that says why it goes back")
    if is_fixed != (body.segments is not None):
        errors.refuse(
            "segments", "expected the fixed drawing where the verdict is mended, only then"
        )
    keys = set(load_boxes(visit.session, drawing.annotation_id))
    for index, item in enumerate(body.objects):
        if item.object_key not in keys:
            errors.refuse(f"objects.{index}.object_key", f"drawing {drawing.id} has no such object")
    if body.segments is not None:
        image = get_image(visit.session, drawing.image_id)
        _check_segments(visit.session, image, drawing.annotation_id, body.segments)


def _find_repeated(
    visit: Visit, choice: SegmentChoice | None, image: Image, save_key: str
) -> SavedDrawing | None:
    """What became of a save of this key before, or None where there was none."""
    saved = visit.session.scalar(select(Segmentation).where(Segmentation.save_key == save_key))
    if saved is None:
        return None
    if (saved.person_id, saved.image_id) != (visit.person.id, image.id):
        errors.refuse("save_key", "expected a name that no other save has had")
    is_second = choice is not None and (is_second_due(choice) or choice.second_id == saved.id)
    code = "lease_lost" if saved.is_stale and not is_second else None
    faults = _list_faults(visit, image, saved)
    return SavedDrawing(saved, choice, code=code, faults=faults, is_repeated=True)


def _find_repeated_review(
    visit: Visit, choice: SegmentChoice | None, drawing: Segmentation, save_key: str
) -> SavedDrawing | None:
    """What became of a verdict of this key before, or None where there was none."""
    by_key = SegmentationReview.save_key == save_key
    review = visit.session.scalar(select(SegmentationReview).where(by_key))
    fixed_key = Segmentation.save_key == corrected_key(visit, save_key)
    fixed = visit.session.scalar(select(Segmentation).where(fixed_key))
    if review is None and fixed is None:
        return None
    is_other = review is not None and (
        (review.person_id, review.segmentation_id) != (visit.person.id, drawing.id)
    )
    if is_other or (fixed is not None and fixed.parent_id != drawing.id):
        errors.refuse("save_key", "expected a name that no other review has had")
    if review is not None:
        return SavedDrawing(drawing, choice, review, is_repeated=True)
    return SavedDrawing(fixed, choice, code="lease_lost", is_repeated=True)


def _add_drawing(
    visit: Visit, image_id: int, segments: Sequence[SegmentBody], **values: Any
) -> Segmentation:
    """The visitor's drawing; raises IntegrityError where its save_key has been used."""
    made = Segmentation(image_id=image_id, person_id=visit.person.id, created_at=visit.at, **values)
    made.segments = [Segment(**it.model_dump(mode="json")) for it in segments]
    visit.session.add(made)
    visit.session.flush()
    return made
