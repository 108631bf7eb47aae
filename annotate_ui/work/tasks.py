"""What comes next: the image to annotate or to check, leased to the person who asks.

It is a random image of the first set of the plan that holds one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import ColumnElement, and_, exists, func, or_, select

from annotate_ui.api.queue import FirstSet, QueuePlan, load_plan
from annotate_ui.errors import ForbiddenError, LeaseLostError
from annotate_ui.organise.campaigns import settle_campaigns
from annotate_ui.visit import Visit
from catalog.image_store import digest_of
from catalog.states import ImageState, LeaseKind, Role
from catalog.tables import Annotation, Image, Lease, Person, Photo, Query, Review
from qa.blind_rows import find_held_blind, is_due_discard
from qa.repeats import has_gold, is_due_again
from qa.switches import apply_live_settings

from .blind import BlindLease, count_taken, draw_blind, draw_share, hold_blind, reopen_blind
from .gold import is_in_training, next_in_training
from .leases import (
    FREE_STATES,
    HELD_STATES,
    Use,
    find_held,
    has_lost,
    has_opened,
    hold_image,
    renew_others,
    sweep_leases,
    take_lease,
    take_reserved,
)
from .reviews import has_drawn, is_checkable_by, is_disputed
from .revisions import get_image

PACE_SECS = 60

Held = Lease | BlindLease


@dataclass(frozen=True)
class Queue:
    """The lease on the next image, or why there is none; how many are left after it.

    `ahead` are the images after it that the person holds already.
    """

    lease: Held | None
    left: int
    reason: str | None = None
    ahead: tuple[Held, ...] = ()


def next_to_annotate(visit: Visit, ahead: int = 0) -> Queue:
    """What the person holds already, else the next by the organisers' plan.

    Where nothing is left but what others reserved ahead and did not open, one of these.
    """
    if is_in_training(visit):
        trial = next_in_training(visit)
        return Queue(trial, 0, None if trial else "untrained")
    if is_too_fast(visit):
        return Queue(None, 0, "too_fast")
    plan = load_plan(visit.session)
    blind = None if has_opened(visit) else hold_blind(visit)
    lease: Held | None = blind or find_held(visit, LeaseKind.ANNOTATE)
    if lease is None:
        sweep_leases(visit.session, at=visit.at)
        settle_campaigns(visit.session, at=visit.at)
        lease = _draw_next(visit, plan, "opened") or take_reserved(visit)
    return _queue_behind(visit, plan, lease, ahead)


def is_too_fast(visit: Visit) -> bool:
    """Whether the visitor finished more images within a minute than the party allows.

    It is noted on the person, for the board. Simulated people have no limit.
    """
    most = visit.party.settings.annotate.images_per_minute
    lately = Annotation.saved_at > visit.at - timedelta(seconds=PACE_SECS)
    mine = (Annotation.person_id == visit.person.id, Annotation.is_finished.is_(True))
    finished = select(func.count()).where(*mine, lately)
    if visit.person.is_simulated or (visit.session.scalar(finished) or 0) < most:
        return False
    visit.person.slowed_at = visit.at
    return True


def _count_waiting(visit: Visit) -> int:
    """How many images the person may yet be given to annotate.

    As if blind tasks were new images: these leave the pool when they are taken.
    """
    theirs = Image.state == ImageState.RETURNED
    waiting = or_(Image.state == ImageState.POOL, theirs & (_is_own(visit) | _is_left_behind()))
    return _count_images(visit, waiting) - count_taken(visit)


def count_tasks(visit: Visit) -> dict[str, int]:
    """What waits for the visitor: to `annotate`, `returned` ones of these, and to `check`.

    What they hold counts too. Blind images count as if they were new, as in the queue.
    """
    drawn, checked = (_count_images(visit, _is_held_by(visit, kind)) for kind in LeaseKind)
    blind = find_held_blind(visit.session, visit.person.id)
    own = and_(Image.state == ImageState.RETURNED, _is_own(visit))
    may_check = visit.person.role is not Role.ANNOTATOR
    to_check = and_(Image.state == ImageState.ANNOTATED, is_checkable_by(visit))
    return {
        "annotate": max(_count_waiting(visit), 0) + drawn + (blind is not None),
        "returned": _count_images(visit, own),
        "check": _count_images(visit, to_check) + checked if may_check else 0,
    }


def _is_held_by(visit: Visit, kind: LeaseKind) -> ColumnElement[bool]:
    mine = (Lease.person_id == visit.person.id, Lease.kind == kind)
    return and_(Image.state == HELD_STATES[kind], exists().where(Lease.image_id == Image.id, *mine))


def next_to_check(visit: Visit) -> Queue:
    """What the person holds already, else an image that others annotated and they may check."""
    by_others = is_checkable_by(visit)
    lease = find_held(visit, LeaseKind.CHECK)
    if lease is None:
        sweep_leases(visit.session, at=visit.at)
        for leaves, condition in _list_to_check(visit, by_others):
            lease = _draw_image(visit, LeaseKind.CHECK, leaves, condition)
            if lease is not None:
                break
    waiting = Image.state == ImageState.ANNOTATED
    if lease is None and _count_images(visit, waiting):
        return Queue(None, 0, "nothing_of_others")
    left = _count_images(visit, and_(waiting, by_others))
    return Queue(lease, left, None if lease else "empty")


def _list_to_check(
    visit: Visit, by_others: ColumnElement[bool]
) -> Iterator[tuple[ImageState, ColumnElement[bool]]]:
    """What is drawn from to be checked, one after the other.

    What only organisers can settle; discards that no checker judged yet; checked images that the
    visitor checks too, not knowing that they were; the work of others.
    """
    if visit.person.role is Role.ORGANISER:
        yield ImageState.ANNOTATED, and_(by_others, is_disputed(visit))
    settings = apply_live_settings(visit.session, visit.party.settings).qa
    of_head = Review.annotation_id == Image.annotation_id
    judged = exists().where(of_head, Review.set_aside_at.is_(None))
    yield ImageState.DISCARDED, and_(is_due_discard(settings), by_others, ~judged)
    with_gold = has_gold(visit.session) and draw_share(visit) < settings.gold_share
    due_again = is_due_again(settings, visit.person.id, with_gold=with_gold)
    yield ImageState.CHECKED, and_(due_again, by_others)
    yield ImageState.ANNOTATED, by_others


def open_to_check(visit: Visit, image_id: int) -> Queue:
    """One image to check now, say where a finding is; for organisers also one checked before.

    Raises NotFoundError, ForbiddenError for one's own work, LeaseLostError where it is not free.
    """
    lease = hold_image(visit, image_id, LeaseKind.CHECK)
    if lease is None:
        sweep_leases(visit.session, at=visit.at)
        image = get_image(visit.session, image_id)
        visit.session.refresh(image)
        chosen = exists().where(Image.id == image_id, is_checkable_by(visit))
        if not visit.session.scalar(select(chosen)):
            raise ForbiddenError(f"Image {image_id} is not yours to check.")
        is_checked = image.state is ImageState.CHECKED and visit.person.role is Role.ORGANISER
        if image.state is ImageState.ANNOTATED or is_checked or may_correct(visit, image.state):
            lease = take_lease(visit, image_id, image.state, LeaseKind.CHECK)
        if lease is None:
            raise LeaseLostError(f"Image {image_id} cannot be checked now. Open the next image.")
    waiting = and_(Image.state == ImageState.ANNOTATED, is_checkable_by(visit))
    return Queue(lease, _count_images(visit, waiting))


def reopen(visit: Visit, image_id: int, ahead: int = 0) -> Queue:
    """An image that the person holds or reserved, or one of their own, leased again.

    Raises NotFoundError, ForbiddenError where it is not theirs, LeaseLostError where it is but
    another person has it or it was checked.
    """
    lease = hold_image(visit, image_id, LeaseKind.ANNOTATE) or reopen_blind(visit, image_id)
    if lease is None:
        if is_too_fast(visit):
            return Queue(None, 0, "too_fast")
        lease = take_own(visit, get_image(visit.session, image_id))
    return _queue_behind(visit, load_plan(visit.session), lease, ahead)


def _queue_behind(visit: Visit, plan: QueuePlan, lease: Held | None, ahead: int) -> Queue:
    """The queue behind the image in hand; as much of it reserved as was asked for and is allowed.

    A lease that ran out offline is swept by others only, so that its holder may still go on.
    """
    reserved = _renew_behind(visit, lease) if lease else []
    wanted = min(ahead, visit.party.settings.annotate.images_ahead) if lease else 0
    wanted = 0 if is_too_fast(visit) else wanted
    if lease and wanted and plan.first and plan.first[0].kind == "returned":
        returned = ImageState.RETURNED  # work that came back meanwhile goes before anything new
        if _draw_image(visit, LeaseKind.ANNOTATE, returned, _is_own(visit), "ahead"):
            reserved = _renew_behind(visit, lease)
    while len(reserved) < wanted:
        more = _draw_next(visit, plan, "ahead")
        if more is None:
            break
        reserved.append(more)
    left = max(len(reserved) + _count_waiting(visit), len(reserved))
    return Queue(lease, left, None if lease else "empty", tuple(reserved))


def _renew_behind(visit: Visit, lease: Held) -> list[Held]:
    """What else the person holds, renewed, in the order in which it comes."""
    blind = hold_blind(visit)
    others = renew_others(visit, lease.id)
    return [blind, *others] if blind and blind.id != lease.id else [*others]


def may_correct(visit: Visit, state: ImageState) -> bool:
    """Whether the visitor may open an image in this state that is not their own.

    Organisers may open any discard and any released image; checkers a released one where
    annotate.checkers_open_released says so.
    """
    if visit.person.role is Role.ORGANISER:
        return state in (ImageState.DISCARDED, ImageState.RELEASED)
    is_open = visit.party.settings.annotate.checkers_open_released
    return is_open and visit.person.role is Role.CHECKER and state is ImageState.RELEASED


def take_own(visit: Visit, image: Image) -> Lease:
    """The lease on an image that is free and the visitor's own, or theirs to correct.

    Raises ForbiddenError, or LeaseLostError where another person has it.
    """
    sweep_leases(visit.session, at=visit.at)
    visit.session.refresh(image)
    is_correction = may_correct(visit, image.state)
    if not is_correction and not _is_owner(visit, image):
        raise ForbiddenError(f"Image {image.id} is not yours, so you cannot go back to it.")
    lease = None
    if is_correction or image.state in FREE_STATES:
        lease = take_lease(visit, image.id, image.state, LeaseKind.ANNOTATE)
    if lease is None:
        raise LeaseLostError(f"Image {image.id} is with another person. Open the next image.")
    return lease


def _is_owner(visit: Visit, image: Image) -> bool:
    """Whether the newest revision is the person's, or the image is free and was theirs before.

    A stale revision does not count: it lost against another one.
    """
    if image.annotation is not None and image.annotation.person_id == visit.person.id:
        return True
    if image.state is not ImageState.POOL:
        return False
    if image.annotation is None and has_lost(visit, image.id):
        return True
    drawn = exists().where(Image.id == image.id, has_drawn(visit.person.id))
    return bool(visit.session.scalar(select(drawn)))


def _draw_next(visit: Visit, plan: QueuePlan, use: Use) -> Held | None:
    """The lease on an image of the first set of the plan that holds one, or None.

    Where a new image is due, one that was annotated before may come in its place, blind.
    """
    is_new_due = False
    for leaves, condition in _list_sets(visit, plan):
        if leaves is ImageState.POOL and not is_new_due:
            is_new_due = True
            if (blind := draw_blind(visit)) is not None:
                return blind
        lease = _draw_image(visit, LeaseKind.ANNOTATE, leaves, condition, use)
        if lease is not None:
            return lease
    return None


def _list_sets(
    visit: Visit, plan: QueuePlan
) -> Iterator[tuple[ImageState, ColumnElement[bool] | None]]:
    """What is drawn from, one after the other: the plan's sets, then all there is."""
    for item in plan.first:
        if item.kind == "returned":
            yield ImageState.RETURNED, _is_own(visit)
        else:
            yield ImageState.POOL, _is_of_queries(item)
    yield ImageState.POOL, None
    yield ImageState.RETURNED, _is_own(visit)
    yield ImageState.RETURNED, _is_left_behind()


def _draw_image(
    visit: Visit,
    kind: LeaseKind,
    leaves: ImageState,
    condition: ColumnElement[bool] | None = None,
    use: Use = "opened",
) -> Lease | None:
    """The lease on an image drawn at random among those in the state, or None where none is left.

    A candidate that was taken meanwhile is no longer in the state, so another is drawn.
    """
    conditions = [Image.state == leaves] + ([] if condition is None else [condition])
    while (image_id := _find_near(visit, and_(*conditions))) is not None:
        lease = take_lease(visit, image_id, leaves, kind, use)
        if lease is not None:
            return lease
    return None


def _find_near(visit: Visit, condition: ColumnElement[bool]) -> int | None:
    """The first image at or after a random digest, from the start again where there is none.

    One that another transaction is taking is passed over: with several images to a transaction, two
    that waited for each other's would wait for ever.
    """
    pivot = digest_of(visit.tokens().encode())
    first = select(Image.id).where(condition).order_by(Image.sha256).limit(1)
    first = first.with_for_update(of=Image, skip_locked=True)
    found = visit.session.scalar(first.where(Image.sha256 >= pivot))
    return found if found is not None else visit.session.scalar(first)


def _count_images(visit: Visit, condition: ColumnElement[bool]) -> int:
    return visit.session.scalar(select(func.count()).select_from(Image).where(condition)) or 0


def _is_own(visit: Visit) -> ColumnElement[bool]:
    """Whether the newest revision is the visitor's."""
    return Image.annotation.has(Annotation.person_id == visit.person.id)


def _is_left_behind() -> ColumnElement[bool]:
    """Whether the author of the newest revision no longer takes part."""
    return Image.annotation.has(Annotation.person.has(Person.ended_at.is_not(None)))


def _is_of_queries(item: FirstSet) -> ColumnElement[bool]:
    """Whether a photo of the image was found by the set's query, or by one of its class."""
    by_class = Query.class_name == item.class_name
    chosen = by_class if item.kind == "class" else Query.id == item.query_id
    found = select(Photo.image_id).join(Query, Photo.query_id == Query.id)
    return Image.id.in_(found.where(chosen))
