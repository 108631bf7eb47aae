"""The next image to work on, keeping it by heartbeats, and giving it back."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from sqlalchemy import select
from sqlalchemy.orm import selectinload

from annotate_ui.guard import EVERYBODY
from catalog.states import LeaseKind, Role
from catalog.stuck import about_image
from catalog.tables import Image
from web.guard import Later
from web.operation import note_tick
from work import tasks
from work.bodies import Body, Id
from work.leases import read_number
from work.presence.thumbnails import find_shown
from work.visit import Visit

from .held import Task, make_task
from .leases import LeaseAnswer
from .queue import Live, load_live
from .schemas import Answer, NoAnswer, Reply, Routes

blueprint = Routes("tasks", __name__)
Ahead = Annotated[int, Field(ge=0, le=100)]
Leaving = Annotated[list[Id], Field(max_length=100)]


class AnnotateBody(Body):
    """Which image is opened, how many are reserved behind it, and what the page is leaving.

    Images that a page is leaving are those of which the end is on its way: they are not next.
    """

    image_id: Id | None = None
    ahead: Ahead = 0
    leaving: Leaving = Field(default_factory=list)


class CheckBody(Body):
    """Which image is checked, null for the next one, and what the page is leaving.

    The next image is only reserved where the page does not show it yet: `is_opened` is false.
    """

    image_id: Id | None = None
    leaving: Leaving = Field(default_factory=list)
    is_opened: bool = True


class Tasks(Answer):
    """The next image, those held ahead, how many are left; without a task, the reason.

    Each image has its own lease. Reasons are `empty`, `nothing_of_others` (only one's own work
    waits), `untrained` (no training image is left to try), `too_fast` (more images were finished
    within a minute than the party allows).
    """

    task: Task | None
    left: int
    live: Live
    ahead: list[Task] = Field(default_factory=list)
    reason: str | None = None


class ExtendedLease(Answer):
    """The lease, extended."""

    lease: LeaseAnswer
    live: Live


@blueprint.on_post("/tasks/annotate", *EVERYBODY, answers=Tasks)
def take_to_annotate(visit: Visit, body: AnnotateBody) -> Reply | Later:
    """The next image to annotate, or one's own to go back to.

    That which the visitor holds, else by the organisers' plan, else one at random; `ahead` has so
    many reserved behind it. With `image_id`: 403 where it is not one's own, 409 where it is held by
    another, being checked or checked.
    """
    wish = body.ahead, body.leaving
    if body.image_id is not None:
        return _answer(visit, tasks.reopen(visit, body.image_id, *wish), LeaseKind.ANNOTATE)
    return _answer(visit, tasks.next_to_annotate(visit, *wish), LeaseKind.ANNOTATE)


@blueprint.on_post("/tasks/check", Role.CHECKER, answers=Tasks)
def take_to_check(visit: Visit, body: CheckBody) -> Reply | Later:
    """The next image to check, or the one that is named."""
    if body.image_id is not None:
        return _answer(visit, tasks.open_to_check(visit, body.image_id), LeaseKind.CHECK)
    queue = tasks.next_to_check(visit, body.leaving, is_opened=body.is_opened)
    return _answer(visit, queue, LeaseKind.CHECK)


@blueprint.on_post("/leases/<int:lease_id>/heartbeat", *EVERYBODY, answers=ExtendedLease)
def extend_lease(visit: Visit, lease_id: int) -> Reply:
    """The lease, extended with all that its holder has to annotate; 409 where it was taken."""
    note_tick()
    kind, image_id = read_number(lease_id)
    lease = tasks.renew_lease(visit, kind, image_id)
    return ExtendedLease(lease=LeaseAnswer.model_validate(lease), live=load_live(visit))


@blueprint.on_post("/leases/<int:lease_id>/give-back", *EVERYBODY)
def give_image_back(visit: Visit, lease_id: int) -> Reply:
    """Nothing; the image is where it came from, and saved revisions stay."""
    kind, image_id = read_number(lease_id)
    tasks.give_back(visit, kind, image_id)
    return NoAnswer()


def _answer(visit: Visit, queue: tasks.Queue, kind: LeaseKind) -> Reply | Later:
    """The image and those behind it; how many are left is counted when the leases are stored."""
    answer = _make_tasks(visit, queue)

    def add_left(later: Visit) -> Reply:
        answer.left += tasks.count_left(later, kind)
        return answer

    return Later(add_left) if queue.counts_left else answer


def _make_tasks(visit: Visit, queue: tasks.Queue) -> Tasks:
    if queue.lease is None:
        note_tick()
        return Tasks(task=None, left=0, live=load_live(visit), reason=queue.reason)
    leases = (queue.lease, *queue.ahead)
    held = select(Image).where(Image.id.in_([lease.image_id for lease in leases]))
    rows = visit.session.scalars(held.options(selectinload(Image.photos)))
    images = {image.id: image for image in rows}
    answers = list[Task]()
    for lease in leases:
        with about_image(lease.image_id):
            answers.append(make_task(visit, lease, images[lease.image_id]))
    if visit.party.settings.annotate.presence_pass:
        shown = find_shown(visit, list(images))
        for answer in answers:
            answer.shows = shown.get(answer.image_id)
    ahead = answers[1:]
    return Tasks(task=answers[0], left=len(ahead), live=load_live(visit), ahead=ahead)
