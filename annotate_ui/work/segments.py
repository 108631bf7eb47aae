"""Saving drawings of pixels: append-only, and a stale one is kept as well, as for boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NoReturn

from pydantic import Field
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from annotate_ui.api.schemas import Body, Id, ObjectKey, SaveKey, Secs
from annotate_ui.errors import ForbiddenError, InvalidError, LeaseLostError, UnavailableError
from annotate_ui.visit import Visit
from catalog.rings import MOST_CORNERS, Ring, RingError, check_rings, unpack_rings
from catalog.states import SegmentState
from catalog.tables import (
    Image,
    Segment,
    Segmentation,
    SegmentationReview,
    SegmentChoice,
)
from segment.choices import load_boxes, load_drawn, note_agreement
from segment.drawings import list_faults
from segment.proposals import ProposalError, Request, propose

from .leases import NO_LONGER_YOURS
from .revisions import MOST_STALE, find_parent, get_image
from .segment_leases import end_segment, is_held, is_second_due, lock_choice

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

    Raises NotFoundError, InvalidError, or ForbiddenError where too much is kept beside already,
    and then nothing was saved.
    """
    choice = lock_choice(visit, image_id)  # a second post waits here for the first
    image = get_image(visit.session, image_id)
    if repeated := _find_repeated(visit, choice, image_id, body.save_key):
        return repeated
    find_parent(visit.session, image, body.annotation_id, "annotation_id")
    check_segments(visit.session, image, body.annotation_id, body.segments)
    parent = visit.session.get(Segmentation, body.parent_id or 0)
    if body.parent_id is not None and (parent is None or parent.image_id != image_id):
        message = f"parent_id is wrong: image {image_id} has no drawing {body.parent_id}."
        raise InvalidError(message, field="parent_id")
    is_mine = choice is not None and is_held(visit, choice, "segment")
    is_second = choice is not None and is_mine and is_second_due(choice)
    is_current = choice is not None and body.parent_id == choice.segmentation_id
    code = None if is_second or (is_mine and is_current) else "stale" if is_mine else "lease_lost"
    if code is not None:
        _require_room(visit, image_id)
    told = body.model_dump(include={"save_key", "parent_id", "annotation_id", "inputs"})
    told |= {"is_finished": body.finish, "active_secs": body.active_secs}
    made = make_drawing(visit, image_id, is_stale=is_second or code is not None, **told)
    try:
        with visit.session.begin_nested():
            insert_drawing(visit.session, made, body.segments)
    except IntegrityError:  # another image has a save of this key
        if repeated := _find_repeated(visit, choice, image_id, body.save_key):
            return repeated
        raise
    if code is not None or choice is None:
        return SavedDrawing(made, choice, code=code)
    _settle(visit, choice, made, is_second=is_second)
    return SavedDrawing(made, choice, faults=_list_faults(visit, image, made))


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
    if choice is None or choice.holder_id != visit.person.id:
        raise LeaseLostError(NO_LONGER_YOURS)
    image = choice.image
    box = load_boxes(visit.session, image.annotation_id or 0).get(object_key)
    if box is None:
        refuse("object_key", f"image {image_id} has no such object")
    try:
        strokes = unpack_rings(add), unpack_rings(remove)
        for some in strokes:
            check_rings(some, image.width, image.height, fewest=1)
    except RingError as error:
        raise InvalidError(str(error)) from error
    data = visit.party.store.get(image.sha256)
    try:
        return propose(Request(data, box, tuple(strokes[0]), tuple(strokes[1])))
    except ProposalError as error:
        raise UnavailableError(str(error)) from error


def find_own_second(visit: Visit, choice: SegmentChoice) -> Segmentation | None:
    """The visitor's newest drawing for the blind task that they have on the image, or None."""
    mine = (Segmentation.image_id == choice.image_id, Segmentation.person_id == visit.person.id)
    newest = select(Segmentation).where(*mine).order_by(Segmentation.id.desc()).limit(1)
    return visit.session.scalar(newest)


def _settle(visit: Visit, choice: SegmentChoice, made: Segmentation, *, is_second: bool) -> None:
    """Make the drawing the image's newest, or the second; a finished one ends the lease."""
    if not is_second:
        choice.segmentation_id, choice.annotation_id = made.id, made.annotation_id
    visit.session.flush()
    if not made.is_finished:
        return
    if is_second:
        choice.second_id = made.id
        note_agreement(visit.session, choice)
    is_awaited = choice.blind and choice.second_id is None
    choice.state = SegmentState.TODO if is_awaited else SegmentState.DRAWN
    end_segment(choice)
    visit.session.flush()


def _list_faults(visit: Visit, image: Image, made: Segmentation) -> list[tuple[str, str]]:
    if not made.is_finished:
        return []
    boxes = load_boxes(visit.session, made.annotation_id)
    return list(list_faults(load_drawn(made), boxes, image.width, image.height))


def check_segments(
    session: Session, image: Image, annotation_id: int, segments: Sequence[SegmentBody]
) -> None:
    """Raise InvalidError for the first field of a drawing that breaks a rule."""
    keys = set(load_boxes(session, annotation_id))
    seen: set[str] = set()
    corners = 0
    for index, item in enumerate(segments):
        place = f"segments.{index}"
        if item.object_key is not None and item.object_key not in keys:
            refuse(f"{place}.object_key", f"revision {annotation_id} has no such object")
        if item.object_key in seen:
            refuse(f"{place}.object_key", f"expected {item.object_key} once")
        seen |= {item.object_key} if item.object_key else set()
        corners += sum(map(len, item.rings)) // 2
        if corners > MOST_CORNERS:
            refuse("segments", f"expected at most {MOST_CORNERS} corners in an image")
        try:
            check_rings(unpack_rings(item.rings), image.width, image.height)
        except RingError as error:
            raise InvalidError(str(error), field=f"{place}.rings") from error
    if len(seen) > MOST_OBJECTS:
        refuse("segments", f"expected at most {MOST_OBJECTS} objects, got {len(seen)}")


def refuse(field: str, message: str) -> NoReturn:
    """Raise InvalidError for a field that breaks a rule."""
    raise InvalidError(f"{field} is wrong: {message}.", field=field)


def _require_room(visit: Visit, image_id: int) -> None:
    mine = (Segmentation.image_id == image_id, Segmentation.person_id == visit.person.id)
    kept = select(func.count()).where(*mine, Segmentation.is_stale.is_(True))
    if (count := visit.session.scalar(kept) or 0) >= MOST_STALE:
        raise ForbiddenError(
            f"Image {image_id} is not open for you, and {count} drawings of yours are kept "
            "already. Open the next image."
        )


def _find_repeated(
    visit: Visit, choice: SegmentChoice | None, image_id: int, save_key: str
) -> SavedDrawing | None:
    """What became of a save of this key before, or None where there was none."""
    saved = visit.session.scalar(select(Segmentation).where(Segmentation.save_key == save_key))
    if saved is None:
        return None
    if (saved.person_id, saved.image_id) != (visit.person.id, image_id):
        refuse("save_key", "expected a name that no other save has had")
    is_second = choice is not None and (is_second_due(choice) or choice.second_id == saved.id)
    code = "lease_lost" if saved.is_stale and not is_second else None
    faults = _list_faults(visit, get_image(visit.session, image_id), saved)
    return SavedDrawing(saved, choice, code=code, faults=faults, is_repeated=True)


def make_drawing(visit: Visit, image_id: int, **values: Any) -> Segmentation:
    """A drawing by the visitor, not yet stored and without segments."""
    return Segmentation(image_id=image_id, person_id=visit.person.id, created_at=visit.at, **values)


def insert_drawing(session: Session, made: Segmentation, segments: Sequence[SegmentBody]) -> None:
    """Store a drawing; raises IntegrityError where another one of its save_key came first."""
    made.segments = [Segment(**it.model_dump(mode="json")) for it in segments]
    session.add(made)
    session.flush()
