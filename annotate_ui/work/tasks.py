"""What comes next: the image to annotate or to check, leased to the person who asks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import ColumnElement, and_, exists, func, select

from annotate_ui.errors import ForbiddenError, LeaseLostError
from annotate_ui.organise.queue_plan import QueuePlan, load_plan
from annotate_ui.visit import Visit
from catalog.states import ImageState, LeaseKind, Role
from catalog.tables import Annotation, Image, Lease, Review
from qa.blind_rows import is_due_discard
from qa.repeats import has_gold, is_due_again
from qa.switches import apply_live_settings

from .blind import BlindLease, count_taken, draw_share, hold_blind, reopen_blind
from .draws import count_images, count_waiting, draw_image, draw_next, is_own
from .leases import (
    FREE_STATES,
    find_held,
    has_lost,
    has_opened,
    hold_image,
    renew_others,
    sweep_leases,
    take_lease,
    take_reserved,
)
from .reviews import is_checkable_by, is_disputed
from .revision_rows import get_image
from .training import is_in_training, next_in_training

PACE_SECS = 60


@dataclass(frozen=True)
class Queue:
    """The lease on the next image, or why there is none; how many are left after it.

    `ahead` are the images after it that the person holds already.
    """

    lease: Lease | BlindLease | None
    left: int
    reason: str | None = None
    ahead: tuple[Lease | BlindLease, ...] = ()


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
    lease: Lease | BlindLease | None = blind or find_held(visit, LeaseKind.ANNOTATE)
    if lease is None:
        sweep_leases(visit.session, at=visit.at)
        lease = draw_next(visit, plan, "opened") or take_reserved(visit)
    return _queue_behind(visit, plan, lease, ahead)


def is_too_fast(visit: Visit) -> bool:
    """Whether the visitor finished more images within a minute than the party allows.

    It is noted on the person, for the board. Simulated people have no limit.
    """
    most = visit.party.settings.annotate.images_per_minute
    finished = select(func.count()).where(
        Annotation.person_id == visit.person.id,
        Annotation.is_finished.is_(True),
        Annotation.saved_at > visit.at - timedelta(seconds=PACE_SECS),
    )
    if visit.person.is_simulated or (visit.session.scalar(finished) or 0) < most:
        return False
    visit.person.slowed_at = visit.at
    return True


def next_to_check(visit: Visit) -> Queue:
    """What the person holds already, else an image that others annotated and they may check."""
    by_others = is_checkable_by(visit)
    lease = find_held(visit, LeaseKind.CHECK)
    if lease is None:
        sweep_leases(visit.session, at=visit.at)
        if visit.person.role is Role.ORGANISER:  # only organisers can settle these
            disputed = and_(by_others, is_disputed(visit))
            lease = draw_image(visit, LeaseKind.CHECK, ImageState.ANNOTATED, disputed)
        lease = lease or draw_image(visit, LeaseKind.CHECK, ImageState.DISCARDED, _is_due(visit))
        lease = lease or draw_image(
            visit, LeaseKind.CHECK, ImageState.CHECKED, _is_due_again(visit)
        )
        lease = lease or draw_image(visit, LeaseKind.CHECK, ImageState.ANNOTATED, by_others)
    waiting = Image.state == ImageState.ANNOTATED
    if lease is None and count_images(visit, waiting):
        return Queue(None, 0, "nothing_of_others")
    left = count_images(visit, and_(waiting, by_others))
    return Queue(lease, left, None if lease else "empty")


def _is_due(visit: Visit) -> ColumnElement[bool]:
    """Whether an image is a discard that the visitor may judge, and that no checker judged yet."""
    settings = apply_live_settings(visit.session, visit.party.settings)
    judged = exists().where(
        Review.annotation_id == Image.annotation_id, Review.set_aside_at.is_(None)
    )
    return and_(is_due_discard(settings.qa), is_checkable_by(visit), ~judged)


def _is_due_again(visit: Visit) -> ColumnElement[bool]:
    """Whether a checked image is one that the visitor checks too, not knowing that it was."""
    settings = apply_live_settings(visit.session, visit.party.settings).qa
    with_gold = has_gold(visit.session) and draw_share(visit) < settings.gold_share
    due = is_due_again(settings, visit.person.id, with_gold=with_gold)
    return and_(due, is_checkable_by(visit))


def open_to_check(visit: Visit, image_id: int) -> Queue:
    """One image to check now, say where a finding is; for organisers also one checked before.

    Raises NotFoundError, ForbiddenError for one's own work, LeaseLostError where it is not free.
    """
    lease = hold_image(visit, image_id, LeaseKind.CHECK)
    if lease is None:
        sweep_leases(visit.session, at=visit.at)
        image = get_image(visit.session, image_id)
        visit.session.refresh(image)
        chosen = select(Image.id).where(Image.id == image_id, is_checkable_by(visit))
        if visit.session.scalar(chosen) is None:
            raise ForbiddenError(f"Image {image_id} is not yours to check.")
        is_checked = image.state is ImageState.CHECKED and visit.person.role is Role.ORGANISER
        if image.state is ImageState.ANNOTATED or is_checked or may_correct(visit, image.state):
            lease = take_lease(visit, image_id, image.state, LeaseKind.CHECK)
        if lease is None:
            raise LeaseLostError(f"Image {image_id} is not free to be checked; ask for the next.")
    waiting = and_(Image.state == ImageState.ANNOTATED, is_checkable_by(visit))
    return Queue(lease, count_images(visit, waiting))


def reopen(visit: Visit, image_id: int, ahead: int = 0) -> Queue:
    """An image that the person holds or reserved, or one of their own, leased again.

    Raises NotFoundError, ForbiddenError where it is not theirs, LeaseLostError where it is but
    another person has it or it was checked.
    """
    lease = hold_image(visit, image_id, LeaseKind.ANNOTATE) or reopen_blind(visit, image_id)
    if lease is None:
        if is_too_fast(visit):
            return Queue(None, 0, "too_fast")
        sweep_leases(visit.session, at=visit.at)
        lease = _take_own(visit, get_image(visit.session, image_id))
    return _queue_behind(visit, load_plan(visit.session), lease, ahead)


def _queue_behind(
    visit: Visit, plan: QueuePlan, lease: Lease | BlindLease | None, ahead: int
) -> Queue:
    """The queue behind the image in hand; as much of it reserved as was asked for and is allowed.

    A lease that ran out offline is swept by others only, so that its holder may still go on.
    """
    reserved = _renew_behind(visit, lease) if lease else []
    wanted = min(ahead, visit.party.settings.annotate.images_ahead) if lease else 0
    wanted = 0 if is_too_fast(visit) else wanted
    if wanted and plan.first and plan.first[0].kind == "returned":
        reserved = _put_returned_first(visit, reserved)
    while len(reserved) < wanted:
        more = draw_next(visit, plan, "ahead")
        if more is None:
            break
        reserved.append(more)
    # As if blind tasks were new images: these leave the pool when they are taken.
    left = max(len(reserved) + count_waiting(visit) - count_taken(visit), len(reserved))
    return Queue(lease, left, None if lease else "empty", tuple(reserved))


def _put_returned_first(
    visit: Visit, reserved: list[Lease | BlindLease]
) -> list[Lease | BlindLease]:
    """What is reserved, with the person's work that came back meanwhile before anything new."""
    returned = draw_image(visit, LeaseKind.ANNOTATE, ImageState.RETURNED, is_own(visit), "ahead")
    if returned is None:
        return reserved
    is_new = [isinstance(one, Lease) and one.opened_at is None for one in reserved]
    place = is_new.index(True) if True in is_new else len(reserved)
    return [*reserved[:place], returned, *reserved[place:]]


def _renew_behind(visit: Visit, lease: Lease | BlindLease) -> list[Lease | BlindLease]:
    """What else the person holds, renewed, in the order in which it comes."""
    blind = hold_blind(visit)
    others: list[Lease | BlindLease] = [*renew_others(visit, lease.id)]
    if blind is None or blind.id == lease.id:
        return others
    return [blind, *others]


def may_correct(visit: Visit, state: ImageState) -> bool:
    """Whether the visitor may open an image in this state that is not their own.

    Organisers may open any discard and any released image; checkers a released one where
    annotate.checkers_open_released says so.
    """
    if visit.person.role is Role.ORGANISER:
        return state in (ImageState.DISCARDED, ImageState.RELEASED)
    is_open = visit.party.settings.annotate.checkers_open_released
    return is_open and visit.person.role is Role.CHECKER and state is ImageState.RELEASED


def _take_own(visit: Visit, image: Image) -> Lease:
    visit.session.refresh(image)
    is_correction = may_correct(visit, image.state)
    if not is_correction and not _is_owner(visit, image):
        raise ForbiddenError(f"Image {image.id} is not yours to go back to.")
    lease = None
    if is_correction or image.state in FREE_STATES:
        lease = take_lease(visit, image.id, image.state, LeaseKind.ANNOTATE)
    if lease is None:
        raise LeaseLostError(f"Image {image.id} has gone on to another person; ask for the next.")
    return lease


def _is_owner(visit: Visit, image: Image) -> bool:
    """Whether the newest revision is the person's, or the image is free and was theirs before.

    A stale revision does not count: it lost against another one.
    """
    if image.annotation is not None and image.annotation.person_id == visit.person.id:
        return True
    if image.annotation is None and has_lost(visit, image.id):
        return image.state is ImageState.POOL
    own = select(Annotation.id).where(
        Annotation.image_id == image.id,
        Annotation.person_id == visit.person.id,
        Annotation.is_stale.is_(False),
    )
    has_own = visit.session.scalar(own.limit(1)) is not None
    return has_own and image.state is ImageState.POOL
