"""Images to segment or to check, each held by one person for minutes.

The row of the choice is the lease, so that an image can be in the track of the boxes meanwhile. Of
an image that is drawn twice, the second person sees nothing of the first drawing.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Literal, TypeGuard

from sqlalchemy import ColumnElement, and_, case, exists, func, or_, select

from catalog.refusals import LeaseLostError, NotFoundError
from catalog.states import ImageState, SegmentState
from catalog.stuck import is_stuck
from catalog.tables import Image, Person, Segmentation, SegmentChoice
from work.visit import Visit

from .choices import SEGMENTED_STATES, describe_wait, settle_changed

NO_LONGER_YOURS = "This image was reassigned. Open the next image."
Kind = Literal["segment", "check-segment"]
_TO_DRAW = (SegmentState.TODO, SegmentState.RETURNED)
STATES: dict[str, tuple[SegmentState, ...]] = {
    "segment": _TO_DRAW,
    "check-segment": (SegmentState.DRAWN,),
}


def find_kind(choice: SegmentChoice) -> Kind:
    """What an image in its state is held for."""
    return "segment" if choice.state in _TO_DRAW else "check-segment"


def take_segments(visit: Visit, kind: Kind, ahead: int = 0) -> list[SegmentChoice]:
    """What the person holds, with the next image and as many behind it as they may reserve.

    Where nothing is left but what others reserved ahead and did not open, one of these.
    """
    settle_changed(visit.session)
    held = _list_held(visit, kind)
    wanted = 1 + min(ahead, visit.party.settings.annotate.images_ahead)
    is_reserved = SegmentChoice.opened_at.is_(None)
    while len(held) < wanted:
        choice = _find_next(visit, kind, _is_free(visit))
        if choice is None and not held:
            choice = _find_next(visit, kind, is_reserved)
        if choice is None:
            break
        _hold(visit, choice, is_opened=False)
        held.append(choice)
    for choice in held:
        _hold(visit, choice, is_opened=choice is held[0])
    return held


def open_segment(visit: Visit, kind: Kind, image_id: int) -> SegmentChoice:
    """One image, held by the visitor, free, or their own drawing that waits to be checked.

    Raises NotFoundError where it is not chosen, LeaseLostError where it is not theirs to take.
    """
    settle_changed(visit.session)
    choice = lock_choice(visit, image_id)
    if choice is None:
        raise NotFoundError(f"Image {image_id} is not chosen for segmentation.")
    if wait := describe_wait(choice.image):
        raise LeaseLostError(f"Image {image_id} is not segmented now: {wait}.")
    if not is_held(choice, visit, kind):
        is_own = choice.segmentation and choice.segmentation.person_id == visit.person.id
        is_taken = choice.expires_at is not None and choice.expires_at > visit.at
        if kind == "segment" and is_own and choice.state is SegmentState.DRAWN and not is_taken:
            choice.state = SegmentState.RETURNED  # to its author, who finishes it again
        elif not _find_next(visit, kind, _is_free(visit) & (SegmentChoice.image_id == image_id)):
            raise LeaseLostError(f"Image {image_id} is not free. Open the next image.")
    _hold(visit, choice, is_opened=True)
    return choice


def renew_segment(visit: Visit, image_id: int) -> SegmentChoice:
    """The visitor's lease, extended with all that they hold of its kind; or LeaseLostError."""
    choice = _get_held(visit, image_id)
    for one in _list_held(visit, find_kind(choice)):
        _hold(visit, one, is_opened=False)
    return choice


def give_segment_back(visit: Visit, image_id: int) -> None:
    """Let another have the image; what was drawn stays. Raises LeaseLostError."""
    end_segment(_get_held(visit, image_id))


def end_segment(choice: SegmentChoice) -> None:
    """End the lease on an image."""
    choice.holder_id = choice.opened_at = choice.expires_at = None


def lock_choice(visit: Visit, image_id: int) -> SegmentChoice | None:
    """The image's choice, which no other transaction changes until this one ends, or None."""
    chosen = select(SegmentChoice).where(SegmentChoice.image_id == image_id).with_for_update()
    return visit.session.scalar(chosen.execution_options(populate_existing=True))


def is_held(choice: SegmentChoice | None, visit: Visit, kind: Kind) -> TypeGuard[SegmentChoice]:
    """Whether the visitor holds the image for this; one that ran out is held until it is taken."""
    is_mine = choice is not None and choice.holder_id == visit.person.id
    is_there = choice is not None and choice.image.state is not ImageState.TAKEN_DOWN
    return is_mine and is_there and choice is not None and choice.state in STATES[kind]


def is_second_due(choice: SegmentChoice) -> bool:
    """Whether another person is to draw the image once more, blind."""
    is_open = choice.state is SegmentState.TODO and choice.second_id is None
    first = choice.segmentation
    return choice.blind and is_open and first is not None and first.is_finished


def count_segments(visit: Visit, kind: Kind) -> int:
    """How many images the visitor holds or may be given."""
    mine = SegmentChoice.holder_id == visit.person.id
    waits = and_(_is_theirs(visit, kind), or_(mine, _is_free(visit)))
    chosen = select(func.count()).select_from(SegmentChoice).join(Image)
    return visit.session.scalar(chosen.where(waits)) or 0


def has_segmented(visit: Visit) -> ColumnElement[bool]:
    """Whether the visitor drew any part of what is the image's drawing now."""
    mine = (Segmentation.person_id == visit.person.id, Segmentation.is_stale.is_(False))
    return exists().where(Segmentation.image_id == SegmentChoice.image_id, *mine)


def _is_theirs(visit: Visit, kind: Kind) -> ColumnElement[bool]:
    """Whether the image waits for this visitor, and its boxes are checked."""
    own = has_segmented(visit)
    if kind == "check-segment":
        waits = and_(SegmentChoice.state == SegmentState.DRAWN, ~own)
    else:
        first = SegmentChoice.segmentation
        is_second = and_(
            SegmentChoice.blind,
            SegmentChoice.second_id.is_(None),
            first.has(Segmentation.is_finished.is_(True)),
        )
        is_author = first.has(Segmentation.person_id == visit.person.id)
        is_left = first.has(Segmentation.person.has(Person.ended_at.is_not(None)))
        waits = or_(
            and_(SegmentChoice.state == SegmentState.TODO, ~and_(is_second, own)),
            and_(SegmentChoice.state == SegmentState.RETURNED, or_(is_author, is_left)),
        )
    return and_(waits, Image.state.in_(SEGMENTED_STATES), ~is_stuck())


def _is_free(visit: Visit) -> ColumnElement[bool]:
    return or_(SegmentChoice.holder_id.is_(None), SegmentChoice.expires_at <= visit.at)


def _list_held(visit: Visit, kind: Kind) -> list[SegmentChoice]:
    """What the visitor holds, what they opened first."""
    mine = (SegmentChoice.holder_id == visit.person.id, SegmentChoice.state.in_(STATES[kind]))
    held = select(SegmentChoice).join(Image).where(*mine, Image.state.in_(SEGMENTED_STATES))
    held = held.where(~is_stuck())
    ordered = held.order_by(SegmentChoice.opened_at.desc().nulls_last(), SegmentChoice.image_id)
    return list(visit.session.scalars(ordered.with_for_update(of=SegmentChoice)))


def _find_next(visit: Visit, kind: Kind, condition: ColumnElement[bool]) -> SegmentChoice | None:
    """An image that waits for the visitor, first what came back; none that another is taking."""
    is_other = SegmentChoice.holder_id.is_distinct_from(visit.person.id)
    found = select(SegmentChoice).join(Image).where(_is_theirs(visit, kind), is_other, condition)
    came_back = case((SegmentChoice.state == SegmentState.RETURNED, 0), else_=1)
    ordered = found.order_by(came_back, SegmentChoice.image_id).limit(1)
    return visit.session.scalar(ordered.with_for_update(of=SegmentChoice, skip_locked=True))


def _hold(visit: Visit, choice: SegmentChoice, *, is_opened: bool) -> None:
    if choice.holder_id != visit.person.id:
        choice.holder_id, choice.opened_at = visit.person.id, None
    choice.opened_at = choice.opened_at or (visit.at if is_opened else None)
    lease_secs = visit.party.settings.annotate.lease_secs
    choice.expires_at = visit.at + timedelta(seconds=lease_secs)
    visit.session.flush()


def _get_held(visit: Visit, image_id: int) -> SegmentChoice:
    choice = lock_choice(visit, image_id)
    if choice is None or choice.holder_id != visit.person.id:
        raise LeaseLostError(NO_LONGER_YOURS)
    return choice
