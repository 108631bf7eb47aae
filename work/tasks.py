"""What comes next: a random image of the first set of the plan that holds one, leased."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import ColumnElement, and_, bindparam, exists, func, select, true
from sqlalchemy.orm import Session

from catalog.locks import lock_image
from catalog.preset import UNWANTED_REASON
from catalog.refusals import ForbiddenError, LeaseLostError
from catalog.sentences import say
from catalog.states import HELD_STATES, ImageState, LeaseKind, Role
from catalog.tables import (
    Annotation,
    Image,
    Lease,
    Person,
    Photo,
    Presence,
    Query,
    Review,
)
from qa.blind_rows import find_held_blind, is_due_discard
from qa.repeats import has_gold, is_due_again
from qa.seen import has_seen
from work.visit import Visit

from . import leases
from .blind import (
    count_taken,
    draw_blind,
    draw_share,
    drop_undrawn,
    hold_blind,
    reopen_blind,
    select_hidden,
)
from .campaigns import settle_campaigns
from .gold import is_in_training, next_in_training
from .lease_endings import Ending, release_leases, sweep_leases
from .questions.drawing import is_boxed
from .queue_plan import load_plan
from .reviews import has_drawn, is_checkable_by, is_disputed
from .revision_rows import get_image
from .seen import may_see

PACE_SECS = 60
_NOT_OPEN = say("This image is no longer open for you.")

_IS_OWN = Image.annotation.has(Annotation.person_id == bindparam("visitor_id"))
"""Whether the newest revision is the visitor's."""
_IS_LEFT_BEHIND = Image.annotation.has(Annotation.person.has(Person.ended_at.is_not(None)))
"""Whether the author of the newest revision no longer takes part."""
_OWN = (ImageState.RETURNED, _IS_OWN)
_ALL_SETS = ((ImageState.POOL, true()), _OWN, (ImageState.RETURNED, _IS_LEFT_BEHIND))
_IS_SEEN = exists().where(
    Presence.image_id == Image.id, Presence.set_aside_at.is_(None), Presence.known.is_(None)
)
_SEEN = (ImageState.POOL, _IS_SEEN)
"""With a presence pass, images that people saw on thumbnails go before the others."""

Sets = list[tuple[ImageState, ColumnElement[bool]]]


@dataclass(frozen=True)
class Queue:
    """The lease on the next image or why there is none, and those held behind it.

    `counts_left`: how many wait besides is counted when the lease is stored.
    """

    lease: Lease | None
    reason: str | None = None
    ahead: tuple[Lease, ...] = ()
    counts_left: bool = True


def renew_lease(visit: Visit, kind: LeaseKind, image_id: int) -> Lease:
    """The lease, extended with all that the person holds of its kind; else LeaseLostError."""
    held: list[Lease] = []
    if kind is LeaseKind.CHECK:  # each page that checks keeps its own image
        lease = leases.hold_image(visit, image_id, kind, is_opened=False)
        held = [lease] if lease else []
    else:
        held += leases.hold_all(visit, kind, with_stuck=True)
    if kind is LeaseKind.ANNOTATE and (blind := hold_blind(visit, takes_again=False)) is not None:
        held.append(blind)
    asked = next((lease for lease in held if lease.image_id == image_id), None)
    if asked is None:
        raise LeaseLostError(leases.NO_LONGER_YOURS)
    return asked


def give_back(visit: Visit, kind: LeaseKind, image_id: int, *, of_id: int | None = None) -> None:
    """Put the image back where it came from, or as an organiser that of a person; saves stay.

    Raises LeaseLostError where it is held no more.
    """
    is_taken = of_id is not None
    person_id = visit.person.id if of_id is None else of_id
    how: Ending = "taken_back" if is_taken else "given_back"
    kinds = (kind, LeaseKind.BLIND) if kind is LeaseKind.ANNOTATE else (kind,)
    of_person = (Lease.person_id == person_id) & Lease.kind.in_(kinds)
    held = of_person & (Lease.image_id == image_id)
    if not release_leases(visit.session, held, how, at=visit.at):
        raise LeaseLostError(_NOT_OPEN if is_taken else leases.NO_LONGER_YOURS)
    if kind is LeaseKind.ANNOTATE and not is_taken:
        drop_undrawn(visit, image_id)


def lock_lease(session: Session, kind: LeaseKind, image_id: int, person_id: int) -> Lease:
    """The person's lease on the image, as pages name it; raises LeaseLostError without one."""
    lock_image(session, image_id)
    kinds = (kind, LeaseKind.BLIND) if kind is LeaseKind.ANNOTATE else (kind,)
    theirs = (Lease.person_id == person_id, Lease.image_id == image_id, Lease.kind.in_(kinds))
    lease = session.scalar(select(Lease).where(*theirs).with_for_update())
    if lease is None:
        raise LeaseLostError(_NOT_OPEN)
    return lease


def next_to_annotate(visit: Visit, ahead: int = 0, leaving: Collection[int] = ()) -> Queue:
    """What the person holds already, else the next by the organisers' plan.

    Where nothing is left but what others reserved ahead and did not open, one of these. The end of
    images that the person is `leaving` is on its way: they are not held any more.
    """
    if is_in_training(visit):
        trial = next_in_training(visit)
        return Queue(trial, None if trial else "untrained", counts_left=False)
    if is_too_fast(visit):
        return Queue(None, "too_fast", counts_left=False)
    held = _list_held(visit, leaving)
    if not held:
        sweep_leases(visit.session, at=visit.at)
        settle_campaigns(visit.session, at=visit.at)
    elif held[0].opened_at is None:
        held[0].opened_at = visit.at
    return _fill(visit, held, ahead, leaving)


def is_too_fast(visit: Visit) -> bool:
    """Whether a real visitor finished too many images within a minute; the board then tells it."""
    most = visit.party.settings.annotate.images_per_minute
    lately = Annotation.saved_at.between(visit.at - timedelta(seconds=PACE_SECS), visit.at)
    is_opened = Annotation.discard_reason.is_distinct_from(UNWANTED_REASON)
    mine = (Annotation.person_id == visit.person.id, Annotation.is_finished.is_(True), is_opened)
    finished = select(func.count()).where(*mine, lately)
    if visit.person.is_simulated or (visit.session.scalar(finished) or 0) < most:
        return False
    visit.person.slowed_at = visit.at
    return True


def count_left(visit: Visit, kind: LeaseKind) -> int:
    """About how many images wait to be annotated, or to be checked, by the visitor."""
    return _count_to_check(visit) if kind is LeaseKind.CHECK else _count_waiting(visit)


def _count_waiting(visit: Visit) -> int:
    """Images that may yet be annotated, as if blind tasks were new ones and left the pool."""
    pool = visit.share("pool", lambda visit: _count_images(visit, Image.state == ImageState.POOL))
    returned = _count_images(visit, Image.state == ImageState.RETURNED, _IS_OWN | _IS_LEFT_BEHIND)
    return max(pool + returned - count_taken(visit), 0)


def count_tasks(visit: Visit) -> dict[str, int]:
    """What waits for the visitor or is held by them; blind images count as if they were new."""
    mine = Lease.image.has(Image.state.in_(HELD_STATES.values()))
    counted = select(Lease.kind, func.count()).where(Lease.person_id == visit.person.id, mine)
    held = dict(visit.session.execute(counted.group_by(Lease.kind)).tuples().all())
    blind = find_held_blind(visit.session, visit.person.id)
    may_check = visit.person.role is not Role.ANNOTATOR
    drawn, checked = (held.get(kind, 0) for kind in (LeaseKind.ANNOTATE, LeaseKind.CHECK))
    return {
        "annotate": _count_waiting(visit) + drawn + (blind is not None),
        "returned": count_returned(visit),
        "check": _count_to_check(visit) + checked if may_check else 0,
    }


def count_returned(visit: Visit) -> int:
    """How many images wait for the visitor's correction."""
    return _count_images(visit, Image.state == ImageState.RETURNED, _IS_OWN)


def _count_to_check(visit: Visit) -> int:
    key = ("to check", visit.person.id, visit.person.role)
    waits = (Image.state == ImageState.ANNOTATED, is_checkable_by(visit))
    return visit.share(key, lambda visit: _count_images(visit, *waits))


def next_to_check(visit: Visit, leaving: Collection[int] = (), *, is_opened: bool = True) -> Queue:
    """What the person holds already, else an image that others annotated and they may check.

    The verdict on images that they are `leaving` is on its way. Unless `is_opened`, the image is
    only reserved.
    """
    by_others = is_checkable_by(visit)
    held = leases.hold_all(visit, LeaseKind.CHECK)
    lease = next((lease for lease in held if lease.image_id not in leaving), None)
    if lease is None:
        sweep_leases(visit.session, at=visit.at)
        sets = _list_to_check(visit, by_others)
        drawn = (
            leases.take_lease(visit, condition, state, LeaseKind.CHECK, "ahead")
            for state, condition in sets
        )
        lease = next(filter(None, drawn), None)
    if lease is None:
        waits = _count_images(visit, Image.state == ImageState.ANNOTATED)
        return Queue(None, "nothing_of_others" if waits else "empty", counts_left=False)
    if is_opened and lease.opened_at is None:
        lease.opened_at = visit.at
    return Queue(lease)


def _list_to_check(
    visit: Visit, by_others: ColumnElement[bool]
) -> Iterator[tuple[ImageState, ColumnElement[bool]]]:
    """What is drawn from to be checked, one after the other.

    What only organisers can settle; discards that no checker judged yet; checked images that the
    visitor checks too, not knowing that they were; the work of others.
    """
    if visit.person.role is Role.ORGANISER:
        yield ImageState.ANNOTATED, and_(by_others, is_disputed(visit))
    settings = visit.settings.qa
    of_head = (Review.annotation_id == Image.annotation_id, Review.set_aside_at.is_(None))
    judged = exists().where(*of_head)
    yield ImageState.DISCARDED, and_(is_due_discard(settings), by_others, ~judged)
    with_gold = has_gold(visit.session) and draw_share(visit) < settings.gold_share
    due_again = is_due_again(settings, visit.person.id, with_gold=with_gold)
    yield ImageState.CHECKED, and_(due_again, by_others, ~has_seen(visit.person.id))
    yield ImageState.ANNOTATED, by_others


def open_to_check(visit: Visit, image_id: int) -> Queue:
    """One image to check now, say where a finding is; for organisers also one checked before.

    Raises NotFoundError, ForbiddenError for one's own work, LeaseLostError where it is not free.
    """
    lease = leases.hold_image(visit, image_id, LeaseKind.CHECK)
    if lease is None:
        sweep_leases(visit.session, at=visit.at)
        image = get_image(visit.session, image_id)
        visit.session.refresh(image)
        chosen = exists().where(Image.id == image_id, is_checkable_by(visit))
        if not visit.session.scalar(select(chosen)):
            raise ForbiddenError(say("Image {image_id} is not yours to check.", image_id=image_id))
        is_checked = image.state is ImageState.CHECKED and visit.person.role is Role.ORGANISER
        if image.state is ImageState.ANNOTATED or is_checked or may_correct(visit, image.state):
            lease = leases.take_lease(visit, image_id, image.state, LeaseKind.CHECK)
        if lease is None:
            raise LeaseLostError(
                say(
                    "Image {image_id} cannot be checked now. Open the next image.",
                    image_id=image_id,
                )
            )
    return Queue(lease)


def reopen(visit: Visit, image_id: int, ahead: int = 0, leaving: Collection[int] = ()) -> Queue:
    """An image that the person holds or reserved, or one of their own, leased again.

    Raises NotFoundError, ForbiddenError where it is not theirs, LeaseLostError where it is but
    another person has it or it was checked.
    """
    lease = leases.hold_image(visit, image_id, LeaseKind.ANNOTATE) or reopen_blind(visit, image_id)
    if is_too_fast(visit) and lease is None:
        return Queue(None, "too_fast", counts_left=False)
    lease = lease or take_own(visit, get_image(visit.session, image_id))
    return _fill(visit, [lease, *_list_held(visit, {*leaving, image_id})], ahead, leaving)


def _fill(visit: Visit, held: list[Lease], ahead: int, leaving: Collection[int] = ()) -> Queue:
    """The queue of what is held, with as much drawn as was asked for and is allowed.

    The first image is opened, those behind it are reserved; of new images, some come blind.
    """
    sets = _list_sets(visit)
    asked_blind_at = -1
    wanted = leases.count_wanted(visit, ahead)
    if held and wanted > 1 and sets[0] is _OWN:  # what came back meanwhile goes before what is new
        if leases.take_lease(visit, _IS_OWN, ImageState.RETURNED, LeaseKind.ANNOTATE, "ahead"):
            held = [held[0], *_list_held(visit, {*leaving, held[0].image_id})]
        else:
            del sets[0]
    while sets and len(held) < wanted:
        state, of_set = sets[0]
        use: leases.Use = "ahead" if held else "opened"
        more: Lease | None = None
        if state is ImageState.POOL and asked_blind_at < len(held):
            asked_blind_at = len(held)
            more = draw_blind(visit)
        is_new = of_set & may_see(visit)
        more = more or leases.take_lease(visit, is_new, state, LeaseKind.ANNOTATE, use)
        if more is None:
            del sets[0]
        else:
            held.append(more)
    if not held and (passed_on := leases.take_reserved(visit, select_hidden(visit))) is not None:
        held.append(passed_on)
    return Queue(held[0] if held else None, None if held else "empty", tuple(held[1:]))


def _list_held(visit: Visit, but: Collection[int] = ()) -> list[Lease]:
    """What is held to annotate, renewed, but for these images; what is only reserved comes last."""
    drawn = leases.hold_all(visit, LeaseKind.ANNOTATE)
    held: list[Lease] = [*drawn]
    if (blind := hold_blind(visit)) is not None:
        held.insert(1 if drawn and drawn[0].opened_at else 0, blind)
    return [lease for lease in held if lease.image_id not in but]


def may_correct(visit: Visit, state: ImageState) -> bool:
    """Whether the visitor may open an image in this state that is not their own."""
    if visit.person.role is Role.ORGANISER:
        return state in (ImageState.DISCARDED, ImageState.RELEASED)
    is_open = visit.party.settings.annotate.checkers_open_released
    return is_open and visit.person.role is Role.CHECKER and state is ImageState.RELEASED


def take_own(visit: Visit, image: Image) -> Lease:
    """The lease on an image to go back to or correct; else ForbiddenError or LeaseLostError."""
    sweep_leases(visit.session, at=visit.at)
    visit.session.refresh(image)
    is_correction = may_correct(visit, image.state)
    if not is_correction and not _is_owner(visit, image):
        raise ForbiddenError(
            say("Image {image_id} is not yours, so you cannot go back to it.", image_id=image.id)
        )
    if is_correction or image.state in leases.FREE_STATES:
        lease = leases.take_lease(visit, image.id, image.state, LeaseKind.ANNOTATE)
        if lease is not None:
            return lease
    raise LeaseLostError(
        say("Image {image_id} is with another person. Open the next image.", image_id=image.id)
    )


def _is_owner(visit: Visit, image: Image) -> bool:
    """Whether the newest revision is the person's, or the image is free and was theirs before."""
    if image.annotation is not None and image.annotation.person_id == visit.person.id:
        return True
    if image.state is not ImageState.POOL:
        return False
    if image.annotation is None and leases.has_lost(visit, image.id):
        return True
    drawn = exists().where(Image.id == image.id, has_drawn(visit.person.id))
    return bool(visit.session.scalar(select(drawn)))


def _list_sets(visit: Visit) -> Sets:
    """What is drawn from, one after the other: the plan's sets, then all there is."""
    chosen = Sets()
    of_queries = select(Photo.image_id).join(Query, Photo.query_id == Query.id)
    for priority in load_plan(visit.session, visit.party.classes).first:
        members = visit.party.classes.members(priority.class_id or "")
        of_class = Query.class_id.in_(members)
        of_query = Query.id == priority.query_id
        by_queries = Image.id.in_(
            of_queries.where(of_class if priority.kind == "class" else of_query)
        )
        chosen.append(_OWN if priority.kind == "returned" else (ImageState.POOL, by_queries))
    seen = [_SEEN] if visit.party.settings.annotate.presence_pass else []
    sets = [*chosen, *seen, *_ALL_SETS]
    if visit.party.settings.questions.boxes:  # new images come once their boxes are there
        boxed = is_boxed()
        sets = [
            (state, condition & boxed if state is ImageState.POOL else condition)
            for state, condition in sets
        ]
    return sets


def _count_images(visit: Visit, *conditions: ColumnElement[bool]) -> int:
    counted = select(func.count(Image.id)).where(*conditions)
    return visit.session.scalar(counted, {"visitor_id": visit.person.id}) or 0
