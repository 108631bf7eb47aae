"""Images to segment or to check: leases on the track of segments.

An image can be in the track of the boxes meanwhile. Of an image that is drawn twice, the second
person sees nothing of the first drawing. A transaction locks the image, its lease, then its choice.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import ColumnElement, and_, case, exists, func, or_, select

from catalog.at_rest import rests_in
from catalog.refusals import LeaseLostError, NotFoundError
from catalog.sentences import say
from catalog.states import ImageState, LeaseKind, SegmentState
from catalog.stuck import is_stuck
from catalog.tables import EndedLease, Image, Lease, Person, Segmentation, SegmentChoice
from work.lease_endings import IS_OF_SEGMENTS, list_unlocked, release, sweep_leases
from work.leases import Use, add_lease, count_wanted, hold_all, hold_image, lock_work
from work.seen import may_see
from work.visit import Visit

from .choices import SEGMENTED_STATES, describe_wait, settle_changed

STATES: Mapping[LeaseKind, tuple[SegmentState, ...]] = {
    LeaseKind.SEGMENT: (SegmentState.TODO, SegmentState.RETURNED),
    LeaseKind.CHECK_SEGMENT: (SegmentState.DRAWN,),
}
"""Where a chosen image stands that is held for this."""
_IS_FREE = ~exists().where(Lease.image_id == SegmentChoice.image_id, IS_OF_SEGMENTS)


def take_segments(
    visit: Visit,
    kind: LeaseKind,
    ahead: int = 0,
    leaving: Collection[int] = (),
    *,
    is_opened: bool = True,
) -> list[Lease]:
    """What the person holds, with the next image and as many behind it as they may reserve.

    Where nothing is left but what others reserved ahead and did not open, one of these. The end of
    images that the person is `leaving` is on its way: they are not held any more. Unless
    `is_opened`, the next image is only reserved, too.
    """
    lock_work(visit)
    settle_changed(visit.session, at=visit.at)
    held = _fill(visit, kind, _list_held(visit, kind, leaving), ahead)
    if held and is_opened and held[0].opened_at is None:
        held[0].opened_at = visit.at
        visit.session.flush()
    return held


def open_segments(
    visit: Visit, kind: LeaseKind, image_id: int, ahead: int = 0, leaving: Collection[int] = ()
) -> list[Lease]:
    """One image as `open_segment` gives it, and as many behind it as `take_segments` reserves."""
    opened = open_segment(visit, kind, image_id)
    held = [opened, *_list_held(visit, kind, {*leaving, image_id})]
    return _fill(visit, kind, held, ahead)


def _fill(visit: Visit, kind: LeaseKind, held: list[Lease], ahead: int) -> list[Lease]:
    wanted = count_wanted(visit, ahead)
    if len(held) < wanted:
        sweep_leases(visit.session, at=visit.at)
    while len(held) < wanted:
        choice = _find_next(visit, kind)
        if choice is None and not held:
            choice = _take_reserved(visit, kind)
        if choice is None:
            break
        held.append(_add(visit, choice, kind, "ahead"))
    return held


def open_segment(visit: Visit, kind: LeaseKind, image_id: int) -> Lease:
    """One image, held by the visitor, free, or their own drawing that waits to be checked.

    Raises NotFoundError where it is not chosen, LeaseLostError where it is not theirs to take.
    """
    lock_work(visit, [image_id])
    settle_changed(visit.session, at=visit.at)
    lease = hold_image(visit, image_id, kind)
    sweep_leases(visit.session, at=visit.at)
    choice = lock_choice(visit, image_id)
    if choice is None:
        raise NotFoundError(
            say("Image {image_id} is not chosen for segmentation.", image_id=image_id)
        )
    if wait := describe_wait(visit.session, choice.image):
        raise LeaseLostError(
            say("Image {image_id} is not segmented now: {wait}.", image_id=image_id, wait=wait)
        )
    if lease is not None and choice.state in STATES[kind]:
        return lease
    is_own = choice.segmentation and choice.segmentation.person_id == visit.person.id
    is_back = kind is LeaseKind.SEGMENT and is_own and choice.state is SegmentState.DRAWN
    if is_back and not _is_leased(visit, image_id):
        choice.state = SegmentState.RETURNED  # to its author, who finishes it again
    elif not _find_next(visit, kind, SegmentChoice.image_id == image_id):
        raise LeaseLostError(
            say("Image {image_id} is not free. Open the next image.", image_id=image_id)
        )
    return _add(visit, choice, kind, "opened")


def hold_segment(
    visit: Visit, image_id: int, kind: LeaseKind
) -> tuple[SegmentChoice | None, Lease | None]:
    """The image's choice, and the visitor's lease on it for this, or None for what is not there.

    No other transaction changes the choice until this one ends. A lease that ran out is as good as
    before, until another person takes the image.
    """
    lease = hold_image(visit, image_id, kind, is_opened=False)
    choice = lock_choice(visit, image_id)
    if choice is None or choice.state not in STATES[kind]:
        return choice, None
    if lease is None and _was_swept(visit, choice, kind):
        lease = _add(visit, choice, kind, "opened")
    return choice, lease


def has_open(visit: Visit, image_id: int) -> bool:
    """Whether the visitor holds the segments of an image that was not taken down."""
    mine = (Lease.image_id == image_id, Lease.person_id == visit.person.id, IS_OF_SEGMENTS)
    is_there = Lease.image.has(Image.state != ImageState.TAKEN_DOWN)
    return bool(visit.session.scalar(select(exists().where(*mine, is_there))))


def lock_choice(visit: Visit, image_id: int) -> SegmentChoice | None:
    """The image's choice, which no other transaction changes until this one ends, or None."""
    chosen = select(SegmentChoice).where(SegmentChoice.image_id == image_id).with_for_update()
    return visit.session.scalar(chosen.execution_options(populate_existing=True))


def is_second_due(choice: SegmentChoice) -> bool:
    """Whether another person is to draw the image once more, blind."""
    is_open = choice.state is SegmentState.TODO and choice.second_id is None
    first = choice.segmentation
    return choice.blind and is_open and first is not None and first.is_finished


def count_segments(visit: Visit, kind: LeaseKind, but: Collection[int] = ()) -> int:
    """How many images the visitor holds or may be given, but for these."""
    of_image = (Lease.image_id == SegmentChoice.image_id, IS_OF_SEGMENTS)
    in_hand = exists().where(
        *of_image, Lease.expires_at > visit.at, Lease.person_id != visit.person.id
    )
    chosen = select(func.count()).select_from(SegmentChoice).join(Image)
    chosen = chosen.where(_is_theirs(visit, kind), ~in_hand, SegmentChoice.image_id.not_in(but))
    return visit.session.scalar(chosen) or 0


def has_segmented(visit: Visit) -> ColumnElement[bool]:
    """Whether the visitor drew any part of what is the image's drawing now."""
    mine = (Segmentation.person_id == visit.person.id, Segmentation.is_stale.is_(False))
    return exists().where(Segmentation.image_id == SegmentChoice.image_id, *mine)


def _is_theirs(visit: Visit, kind: LeaseKind) -> ColumnElement[bool]:
    """Whether the image waits for this visitor, and its boxes are checked."""
    has_drawn = has_segmented(visit)
    if kind is LeaseKind.CHECK_SEGMENT:
        waits = and_(SegmentChoice.state == SegmentState.DRAWN, ~has_drawn)
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
            and_(SegmentChoice.state == SegmentState.TODO, ~and_(is_second, has_drawn)),
            and_(SegmentChoice.state == SegmentState.RETURNED, or_(is_author, is_left)),
        )
    return and_(waits, may_see(visit), rests_in(SEGMENTED_STATES), ~is_stuck())


def _list_held(visit: Visit, kind: LeaseKind, but: Collection[int]) -> list[Lease]:
    """What the visitor holds but for these images, renewed, what they opened last first."""
    held = hold_all(visit, kind)
    chosen = select(SegmentChoice.image_id).join(Image)
    chosen = chosen.where(SegmentChoice.image_id.in_([lease.image_id for lease in held]))
    chosen = chosen.where(SegmentChoice.state.in_(STATES[kind]), rests_in(SEGMENTED_STATES))
    image_ids = set(visit.session.scalars(chosen))
    return [lease for lease in held if lease.image_id in image_ids.difference(but)]


def _find_next(
    visit: Visit, kind: LeaseKind, *conditions: ColumnElement[bool]
) -> SegmentChoice | None:
    """A free image that waits for the visitor, first what came back; none another is taking."""
    waiting = select(SegmentChoice).join(Image).where(_is_theirs(visit, kind), _IS_FREE)
    waiting = waiting.where(*conditions)
    came_back = case((SegmentChoice.state == SegmentState.RETURNED, 0), else_=1)
    ordered = waiting.order_by(came_back, SegmentChoice.image_id).limit(1)
    locked = ordered.with_for_update(of=SegmentChoice, skip_locked=True)
    choice = visit.session.scalar(locked)
    while choice is not None and _is_leased(visit, choice.image_id):
        # Another took it, and let go of the lock, while we searched: search again.
        choice = visit.session.scalar(locked)
    return choice


def _take_reserved(visit: Visit, kind: LeaseKind) -> SegmentChoice | None:
    """An image that another reserved ahead and did not open, taken from them, or None."""
    unopened = Lease.opened_at.is_(None) & IS_OF_SEGMENTS & (Lease.person_id != visit.person.id)
    waits = exists().where(
        SegmentChoice.image_id == Lease.image_id,
        Image.id == SegmentChoice.image_id,
        _is_theirs(visit, kind),
    )
    for lease in list_unlocked(visit.session, unopened & waits):
        image_id = lease.image_id
        if release(visit.session, lease, unopened, "passed_on", at=visit.at):
            return _find_next(visit, kind, SegmentChoice.image_id == image_id)
    return None


def _add(visit: Visit, choice: SegmentChoice, kind: LeaseKind, use: Use) -> Lease:
    return add_lease(visit, choice.image, choice.image.state, kind, use)


def _was_swept(visit: Visit, choice: SegmentChoice, kind: LeaseKind) -> bool:
    """Whether the visitor's lease ran out, and no person has had the image since."""
    if _is_leased(visit, choice.image_id) or choice.image.state is ImageState.TAKEN_DOWN:
        return False
    ended = select(EndedLease).where(
        EndedLease.image_id == choice.image_id, EndedLease.kind.in_(STATES)
    )
    last = visit.session.scalar(ended.order_by(EndedLease.id.desc()).limit(1))
    if last is None:
        return False
    return (last.person_id, last.kind, last.how) == (visit.person.id, kind, "expired")


def _is_leased(visit: Visit, image_id: int) -> bool:
    leased = exists().where(Lease.image_id == image_id, IS_OF_SEGMENTS)
    return bool(visit.session.scalar(select(leased)))
