"""Drawings of pixels and verdicts on them: append-only; a stale drawing is kept as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from catalog.refusals import ForbiddenError, InvalidError, LeaseLostError, NotFoundError, refuse
from catalog.sentences import quote_error, say
from catalog.states import Beside, SegmentState, Verdict
from catalog.tables import (
    Image,
    Lease,
    Segment,
    Segmentation,
    SegmentationReview,
    SegmentChoice,
    SuggestionSet,
)
from vockit.format.rings import MOST_CORNERS, Ring, RingError, unpack_rings
from work.lease_endings import end_lease
from work.leases import NO_LONGER_YOURS
from work.saving import Conflict, name_conflict, require_own_key
from work.visit import Visit

from .choices import load_boxes, load_drawn
from .drawings import check_rings, list_faults
from .leases import has_open, has_segmented, is_second_due
from .proposals import one_at_a_time, propose

MOST_OBJECTS = 254
"""The labels of a mask are 8 bits: 0 is background and 255 void."""
MOST_REGIONS = 100  # of void in an image, each with as many rings as it needs


@dataclass(frozen=True)
class SavedDrawing:
    """What became of a save or a verdict; `code` is why it was kept as stale, as for boxes.

    `head` is the drawing that stale work met.
    """

    segmentation: Segmentation | None
    choice: SegmentChoice | None
    review: SegmentationReview | None = None
    code: Conflict | None = None
    head: Segmentation | None = None
    is_repeated: bool = False


def save_drawing(
    visit: Visit,
    choice: SegmentChoice | None,
    lease: Lease | None,
    image: Image,
    made: Segmentation,
    may_keep: Callable[[], None],
) -> SavedDrawing:
    """What became of a new drawing; `may_keep` raises where too many stale ones are kept.

    Raises InvalidError where it is wrong, IntegrityError where its save_key has been used.
    """
    _check_segments(visit.session, image, made.annotation_id, made.segments)
    parent = visit.session.get(Segmentation, made.parent_id or 0)
    if parent is not None and parent.image_id != image.id:
        refuse(
            "parent_id",
            say(
                "image {image_id} has no drawing {parent_id}",
                image_id=image.id,
                parent_id=parent.id,
            ),
        )
    made.parent_id = parent.id if parent else None  # one that is gone was lost by a restore
    is_second = lease is not None and _draws_second(visit, choice)
    head = find_own_second(visit, choice) if is_second and choice else _find_drawing(choice)
    code = _find_conflict(lease, made.parent_id, head)
    if code is not None:
        may_keep()
    of_second = Beside.BLIND if is_second else None
    _add_drawing(visit, image.id, made, beside=of_second if code is None else Beside.CONFLICT)
    if code is not None or choice is None or lease is None:
        return SavedDrawing(made, choice, code=code, head=head)
    if not is_second:
        choice.segmentation_id = made.id
        choice.annotation_id = made.annotation_id
    visit.session.flush()
    if made.is_finished:
        if is_second:
            choice.second_id = made.id
        is_awaited = choice.blind and choice.second_id is None
        choice.state = SegmentState.TODO if is_awaited else SegmentState.DRAWN
        end_lease(visit.session, lease, at=visit.at)
        visit.session.flush()
    return SavedDrawing(made, choice)


def save_review(
    visit: Visit,
    choice: SegmentChoice | None,
    lease: Lease | None,
    drawing: Segmentation,
    review: SegmentationReview,
    fixed: Segmentation | None,
    may_keep: Callable[[], None],
) -> SavedDrawing:
    """What became of the visitor's new verdict on a drawing, and of the drawing as they fixed it.

    `may_keep` raises where too many stale ones are kept. Raises InvalidError where it is wrong or
    they drew on it themselves.
    """
    if _has_drawn(visit, drawing.image_id):
        raise ForbiddenError(say("You drew on this image yourself. Another checker must check it."))
    _check_review(visit, drawing, review, fixed)
    head = _find_drawing(choice)
    code = _find_conflict(lease, drawing.id, head)
    if fixed is not None:
        fixed.parent_id = drawing.id
        fixed.annotation_id = drawing.annotation_id
        fixed.is_finished = True
        if code is not None:
            may_keep()
        beside = None if code is None else Beside.CONFLICT
        _add_drawing(visit, drawing.image_id, fixed, beside=beside)
    if code is not None or choice is None or lease is None:
        return SavedDrawing(fixed, choice, code=code, head=head)
    review.segmentation_id = drawing.id
    review.person_id = visit.person.id
    review.created_at = visit.at
    visit.session.add(review)
    if fixed is not None:
        choice.segmentation_id = review.fixed_segmentation_id = fixed.id
    is_returned = review.verdict is Verdict.RETURNED
    choice.state = SegmentState.RETURNED if is_returned else SegmentState.CHECKED
    end_lease(visit.session, lease, at=visit.at)
    visit.session.flush()
    return SavedDrawing(fixed or drawing, choice, review)


def get_drawing(visit: Visit, segmentation_id: int) -> Segmentation:
    """The drawing of this number; raises NotFoundError where there is none."""
    drawing = visit.session.get(Segmentation, segmentation_id)
    if drawing is None:
        raise NotFoundError(
            say("Drawing {segmentation_id} does not exist.", segmentation_id=segmentation_id)
        )
    return drawing


def find_repeated(
    visit: Visit, choice: SegmentChoice | None, lease: Lease | None, image: Image, save_key: str
) -> SavedDrawing | None:
    """What became of a save of this key before, or None where there was none."""
    saved = visit.session.scalar(select(Segmentation).where(Segmentation.save_key == save_key))
    if saved is None:
        return None
    require_own_key(visit, saved.person_id, is_of_same=saved.image_id == image.id)
    is_second = choice is not None and (is_second_due(choice) or choice.second_id is not None)
    is_mine = is_second and lease is not None
    code: Conflict | None = None
    if saved.beside is Beside.CONFLICT or saved.set_aside_at is not None:
        code = "stale" if is_mine else "lease_lost"
    head = find_own_second(visit, choice) if is_second and choice is not None else None
    return SavedDrawing(saved, choice, code=code, head=head, is_repeated=True)


def find_repeated_review(
    visit: Visit, choice: SegmentChoice | None, drawing: Segmentation, save_key: str, fixed_key: str
) -> SavedDrawing | None:
    """What became of a verdict of this key before, or None where there was none."""
    by_key = SegmentationReview.save_key == save_key
    review = visit.session.scalar(select(SegmentationReview).where(by_key))
    fixed = visit.session.scalar(select(Segmentation).where(Segmentation.save_key == fixed_key))
    if review is None and fixed is None:
        return None
    is_of_same = fixed is None or fixed.parent_id == drawing.id
    is_of_same &= review is None or review.segmentation_id == drawing.id
    person_id = review.person_id if review else visit.person.id
    require_own_key(visit, person_id, is_of_same=is_of_same)
    if review is not None:
        return SavedDrawing(drawing, choice, review, is_repeated=True)
    return SavedDrawing(fixed, choice, code="lease_lost", is_repeated=True)


def list_drawing_faults(visit: Visit, made: Segmentation) -> list[tuple[str, str]]:
    """What a finished drawing is asked about, by object; nothing of a draft."""
    if not made.is_finished:
        return []
    image = visit.session.get_one(Image, made.image_id)
    boxes = load_boxes(visit.session, made.annotation_id)
    return list(list_faults(load_drawn(made), boxes, image.width, image.height))


def propose_outline(
    visit: Visit,
    image_id: int,
    object_key: str,
    add: Sequence[Sequence[int]],
    remove: Sequence[Sequence[int]],
) -> list[Ring]:
    """An outline of the object for who holds the image, from flat strokes.

    Raises InvalidError, or TooManyError while another is computed for the visitor.
    """
    if not has_open(visit, image_id):
        raise LeaseLostError(NO_LONGER_YOURS)
    image = visit.session.get_one(Image, image_id)
    box = load_boxes(visit.session, image.annotation_id or 0).get(object_key)
    if box is None:
        refuse("object_key", say("image {image_id} has no such object", image_id=image.id))
    try:
        strokes = unpack_rings(add), unpack_rings(remove)
        for some in strokes:
            check_rings(some, image.width, image.height, fewest=1)
    except RingError as error:
        raise InvalidError(quote_error(error)) from error
    with one_at_a_time((visit.party.folder, visit.person.id)):
        return propose(visit.party.store.get(image.sha256), box, *strokes)


def find_own_second(visit: Visit, choice: SegmentChoice) -> Segmentation | None:
    """The visitor's newest drawing for the blind task that they have on the image, or None."""
    mine = (Segmentation.image_id == choice.image_id, Segmentation.person_id == visit.person.id)
    is_blind = (Segmentation.beside == Beside.BLIND, Segmentation.set_aside_at.is_(None))
    drawn = select(Segmentation).where(*mine, *is_blind).order_by(Segmentation.id.desc())
    return visit.session.scalar(drawn.limit(1))


def find_segment_return(session: Session, choice: SegmentChoice) -> SegmentationReview | None:
    """The verdict that sent the image back to be drawn again, or None."""
    if choice.state is not SegmentState.RETURNED:
        return None
    of_image = SegmentationReview.segmentation.has(Segmentation.image_id == choice.image_id)
    counts = SegmentationReview.set_aside_at.is_(None)
    reviews = select(SegmentationReview).where(of_image, counts)
    reviews = reviews.order_by(SegmentationReview.id.desc())
    review = session.scalar(reviews.limit(1))
    return review if review and review.verdict is Verdict.RETURNED else None


def _find_conflict(
    lease: Lease | None, started_from_id: int | None, head: Segmentation | None
) -> Conflict | None:
    """Why a drawing is kept as stale; None for one that was made from the newest, the `head`."""
    head_id = head.id if head else None
    if lease is not None and head_id == started_from_id:
        return None
    return name_conflict(lease is not None, started_from_id, head_id)


def _find_drawing(choice: SegmentChoice | None) -> Segmentation | None:
    return choice.segmentation if choice else None


def _draws_second(visit: Visit, choice: SegmentChoice | None) -> bool:
    """Whether the visitor, who holds the image, draws it once more, blind."""
    is_due = choice is not None and is_second_due(choice)
    return is_due and choice is not None and not _has_drawn(visit, choice.image_id)


def _has_drawn(visit: Visit, image_id: int) -> bool:
    drawn = exists().where(SegmentChoice.image_id == image_id, has_segmented(visit))
    return bool(visit.session.scalar(select(drawn)))


def _check_segments(
    session: Session, image: Image, annotation_id: int, segments: Sequence[Segment]
) -> None:
    """Raise InvalidError for the first field of a drawing that breaks a rule."""
    keys = set(load_boxes(session, annotation_id))
    seen: set[str] = set()
    corners = 0
    regions = sum(item.object_key is None for item in segments)
    if regions > MOST_REGIONS:
        refuse(
            "segments",
            say(
                "expected at most {most} regions without an object, got {count}",
                most=MOST_REGIONS,
                count=regions,
            ),
        )
    for index, item in enumerate(segments):
        place = f"segments.{index}"
        if item.object_key is not None and item.object_key not in keys:
            refuse(
                f"{place}.object_key",
                say("revision {annotation_id} has no such object", annotation_id=annotation_id),
            )
        if item.object_key in seen:
            refuse(
                f"{place}.object_key", say("expected {object_key} once", object_key=item.object_key)
            )
        seen |= {item.object_key} if item.object_key else set()
        corners += sum(map(len, item.rings)) // 2
        if corners > MOST_CORNERS:
            refuse(
                "segments",
                say("expected at most {most} corners in an image", most=MOST_CORNERS),
            )
        try:
            check_rings(unpack_rings(item.rings), image.width, image.height)
        except RingError as error:
            raise InvalidError(quote_error(error), field=f"{place}.rings") from error
    _check_sets(session, segments)
    if len(seen) > MOST_OBJECTS:
        refuse(
            "segments",
            say("expected at most {most} objects, got {count}", most=MOST_OBJECTS, count=len(seen)),
        )


def _check_sets(session: Session, segments: Sequence[Segment]) -> None:
    """Raise InvalidError where an outline is said to come from a set that is not there."""
    named = {item.suggestion_set_id for item in segments} - {None}
    if not named:
        return
    known = set(session.scalars(select(SuggestionSet.id).where(SuggestionSet.id.in_(named))))
    for index, item in enumerate(segments):
        if item.suggestion_set_id is not None and item.suggestion_set_id not in known:
            field = f"segments.{index}.suggestion_set_id"
            refuse(field, say("there is no set {set_id}", set_id=item.suggestion_set_id))


def _check_review(
    visit: Visit, drawing: Segmentation, review: SegmentationReview, fixed: Segmentation | None
) -> None:
    is_accepted, is_fixed = (
        review.verdict is verdict for verdict in (Verdict.ACCEPT, Verdict.FIXED)
    )
    is_lacking = review.missing or any(
        verdict["verdict"] != "accept" for verdict in review.object_verdicts
    )
    if is_accepted and is_lacking:
        refuse("verdict", say("expected returned or fixed, as not all is accepted"))
    has_reason = is_lacking or (review.comments or "").strip()
    if review.verdict is Verdict.RETURNED and not has_reason:
        refuse("comments", say("expected a comment that says why it goes back"))
    if is_fixed != (fixed is not None):
        refuse("segments", say("expected the fixed drawing where the verdict is fixed, only then"))
    keys = set(load_boxes(visit.session, drawing.annotation_id))
    for index, item in enumerate(review.object_verdicts):
        if item["object_key"] not in keys:
            refuse(
                f"objects.{index}.object_key",
                say("drawing {drawing_id} has no such object", drawing_id=drawing.id),
            )
    if fixed is not None:
        image = visit.session.get_one(Image, drawing.image_id)
        _check_segments(visit.session, image, drawing.annotation_id, fixed.segments)


def _add_drawing(visit: Visit, image_id: int, made: Segmentation, *, beside: Beside | None) -> None:
    """Store the visitor's drawing; raises IntegrityError where its save_key has been used."""
    made.image_id = image_id
    made.person_id = visit.person.id
    made.created_at = visit.at
    made.beside = beside
    visit.session.add(made)
    visit.session.flush()
