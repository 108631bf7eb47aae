"""Blind tasks as a page sees them: images like any other, whose head and state stay.

No answer tells a lease on one from a lease to annotate.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Select, delete, exists, func, or_, select

from catalog.image_store import digest_of
from catalog.states import BlindKind, ImageState, LeaseKind
from catalog.tables import Annotation, BlindTask, EndedLease, Image, Lease
from qa.blind_rows import find_blind_of, find_held_blind, take_blind_task
from work.visit import Visit

from .leases import add_lease, find_last_ending, hold_image

FINAL_AFTER = timedelta(minutes=30)
"""A blind answer can be changed for so long; its author sees the image nowhere else until then."""


def hold_blind(visit: Visit, *, takes_again: bool = True) -> Lease | None:
    """The lease on the visitor's blind task, renewed, or None.

    Unless a page `takes_again`, what was given or taken back is not held: no lease begins again by
    itself but one that ran out, which no other person can have asked for.
    """
    task = find_held_blind(visit.session, visit.person.id)
    if task is None:
        return None
    if (lease := hold_image(visit, task.image_id, LeaseKind.BLIND)) is not None:
        return lease
    is_over = find_last_ending(visit, task.image_id, LeaseKind.BLIND) != "expired"
    return None if is_over and not takes_again else renew_blind(visit, task)


def renew_blind(visit: Visit, task: BlindTask) -> Lease:
    """The lease on the task, which its holder has for a lease's time from now."""
    lease = hold_image(visit, task.image_id, LeaseKind.BLIND)
    if lease is None:
        image = visit.session.get_one(Image, task.image_id)
        lease = add_lease(visit, image, image.state, LeaseKind.BLIND)
    return lease


def draw_blind(visit: Visit) -> Lease | None:
    """A blind task instead of a new image, by the shares in force; never a second one at a time."""
    if find_held_blind(visit.session, visit.person.id) is not None:
        return None
    task = take_blind_task(
        visit.session, visit.person.id, visit.settings.qa, at=visit.at, draw=draw_share(visit)
    )
    return None if task is None else renew_blind(visit, task)


def reopen_blind(visit: Visit, image_id: int) -> Lease | None:
    """The lease on the visitor's blind task, open again where it was finished, or None.

    A training image that was answered stays answered. Other answers are final once their author saw
    the image otherwise: had it to check, or may find it on other pages (FINAL_AFTER).
    """
    task = find_blind_of(visit.session, visit.person.id, image_id)
    is_gone = task and visit.session.get_one(Image, image_id).state is ImageState.TAKEN_DOWN
    if task is None or is_gone or is_final(visit, task):
        return None
    task.finished_at = None
    task.score = None
    task.is_passed = None
    return renew_blind(visit, task)


def is_final(visit: Visit, task: BlindTask) -> bool:
    """Whether the visitor can change a finished answer no more, so may see what others drew."""
    if task.finished_at is None:
        return False
    if task.kind is BlindKind.TRAINING or task.finished_at <= visit.at - FINAL_AFTER:
        return True
    me = visit.person.id
    check = LeaseKind.CHECK
    held = (  # and saw what others drew
        exists().where(lease.image_id == task.image_id, lease.person_id == me, lease.kind == check)
        for lease in (Lease, EndedLease)
    )
    return bool(visit.session.scalar(select(or_(*held))))


def find_open_blind(visit: Visit, image: Image) -> BlindTask | None:
    """The visitor's unfinished blind task on an image that was not taken down, or None."""
    task = find_blind_of(visit.session, visit.person.id, image.id)
    is_open = task is not None and task.finished_at is None
    return task if is_open and image.state is not ImageState.TAKEN_DOWN else None


def is_blind_answer(visit: Visit, annotation: Annotation) -> bool:
    """Whether a revision of the visitor's became the answer to a blind task of theirs.

    The answer is the task's revision with those that it was made from. What another window saved on
    an earlier one is kept, but is not among them.
    """
    task = find_blind_of(visit.session, visit.person.id, annotation.image_id)
    of_answer = task and task.annotation_id
    while of_answer is not None and of_answer != annotation.id:
        parent = select(Annotation.parent_id).where(Annotation.id == of_answer)
        of_answer = visit.session.scalar(parent)
    return of_answer is not None


def lock_blind(visit: Visit, image: Image) -> BlindTask | None:
    """The visitor's open blind task on the image, or None; no other save changes it meanwhile."""
    hold_image(visit, image.id, LeaseKind.BLIND)  # the lease before the task
    task = find_open_blind(visit, image)
    if task is not None:
        visit.session.refresh(task, with_for_update=True)
    return task if task is not None and task.finished_at is None else None


def drop_undrawn(visit: Visit, image_id: int) -> None:
    """Forget the visitor's blind task on an image that they gave back before they drew anything.

    What was drawn comes back to who drew it.
    """
    session = visit.session
    person_id = visit.person.id
    undrawn = (BlindTask.annotation_id.is_(None), BlindTask.finished_at.is_(None))
    mine = (BlindTask.image_id == image_id, BlindTask.person_id == person_id)
    session.execute(delete(BlindTask).where(*mine, *undrawn))


def select_unsettled(at: datetime) -> Select[tuple[int]]:
    """The images of which somebody's blind answer may still change."""
    is_new = BlindTask.finished_at > at - FINAL_AFTER
    is_open = BlindTask.finished_at.is_(None) | (BlindTask.kind != BlindKind.TRAINING) & is_new
    return select(BlindTask.image_id).where(is_open)


def select_hidden(visit: Visit) -> Select[tuple[int]]:
    """The images of which the visitor sees nothing of others while their own answer may change."""
    return select_unsettled(visit.at).where(BlindTask.person_id == visit.person.id)


def count_taken(visit: Visit) -> int:
    """How many blind tasks the visitor was given in place of new images."""
    mine = (BlindTask.person_id == visit.person.id, BlindTask.kind != BlindKind.TRAINING)
    return visit.session.scalar(select(func.count()).where(*mine)) or 0


def draw_share(visit: Visit) -> float:
    """An unguessable number from 0 to 1."""
    return int(digest_of(visit.tokens().encode())[:8], 16) / 16.0**8
