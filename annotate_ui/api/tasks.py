"""The next image to work on, keeping it by heartbeats, and giving it back."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from sqlalchemy import select
from sqlalchemy.orm import selectinload

from catalog.states import ImageState, LeaseKind, PhotoState, Role
from catalog.stuck import about_image, require_of_image, require_sound
from catalog.tables import Image, Lease
from qa.blind_rows import find_blind_of
from qa.check_list import enabled_checks
from qa.finding_rows import list_findings
from web.guard import EVERYBODY
from web.operation import note_tick
from work import tasks
from work.bodies import Id
from work.campaigns import describe_campaign, find_campaigns
from work.history import find_author_of_repeat, list_changes_since_verdict
from work.leases import read_number
from work.people import display_name
from work.presence import find_shown
from work.reviews import find_return
from work.revisions import load_head, load_revision
from work.visit import Visit

from .answers import Json, format_found, format_picture, name_kind, safe_url, tell
from .queue import format_live
from .reviews import list_rounds, tell_verdict
from .schemas import Reply, Routes
from .told import Asked, LeaseTold, Live, PhotoTold, Returned, Tasks

blueprint = Routes("tasks", __name__)
_LEASE = {"lease": LeaseTold, "live": Live}

Ahead = Annotated[int, Field(ge=0, le=100)]


@blueprint.on_post("/tasks/annotate", *EVERYBODY, told=Tasks)
def take_to_annotate(visit: Visit, *, image_id: Id | None = None, ahead: Ahead = 0) -> Reply:
    """The next image to annotate, or one's own to go back to.

    That which the visitor holds, else by the organisers' plan, else one at random; `ahead` has so
    many reserved behind it. With `image_id`: 403 where it is not one's own, 409 where it is held by
    another, being checked or checked.
    """
    if image_id is not None:
        return _format_queue(visit, tasks.reopen(visit, image_id, ahead))
    return _format_queue(visit, tasks.next_to_annotate(visit, ahead))


@blueprint.on_post("/tasks/check", Role.CHECKER, told=Tasks)
def take_to_check(visit: Visit, *, image_id: Id | None = None) -> Reply:
    """The next image to check, or the one that is named."""
    if image_id is not None:
        return _format_queue(visit, tasks.open_to_check(visit, image_id))
    return _format_queue(visit, tasks.next_to_check(visit))


@blueprint.on_post("/leases/<int:lease_id>/heartbeat", *EVERYBODY, told=_LEASE)
def extend_lease(visit: Visit, lease_id: int) -> Reply:
    """The lease, extended with all that its holder has to annotate; 409 where it was taken."""
    note_tick()
    kind, image_id = read_number(lease_id)
    return {"lease": tasks.renew_lease(visit, kind, image_id), "live": format_live(visit)}


@blueprint.on_post("/leases/<int:lease_id>/give-back", *EVERYBODY)
def give_image_back(visit: Visit, lease_id: int) -> Reply:
    """Nothing; the image is where it came from, and saved revisions stay."""
    kind, image_id = read_number(lease_id)
    tasks.give_back(visit, kind, image_id)
    return {}


def _format_queue(visit: Visit, queue: tasks.Queue) -> Json:
    answer: Json = {"task": None, "left": queue.left, "live": format_live(visit)}
    if queue.lease is None:
        note_tick()
        return answer | {"reason": queue.reason}
    leases = (queue.lease, *queue.ahead)
    held = select(Image).where(Image.id.in_([lease.image_id for lease in leases]))
    found = visit.session.scalars(held.options(selectinload(Image.photos)))
    images = {image.id: image for image in found}
    told = list[Json]()
    for lease in leases:
        with about_image(lease.image_id):
            told.append(_format_task(visit, lease, images[lease.image_id]))
    if visit.party.settings.annotate.presence_pass:
        shown = find_shown(visit, list(images))
        told = [task | {"shows": shown.get(task["image_id"])} for task in told]
    task, *ahead = told
    return answer | {"task": task, "ahead": ahead}


def format_held(lease: Lease, image: Image) -> Json:
    """A leased image without what was drawn on it."""
    photos = (photo for photo in image.photos if photo.state is not PhotoState.WITHDRAWN)
    photo = next(photos, None)
    return format_picture(image) | {
        "image_id": image.id,
        "kind": name_kind(lease),
        "photo": photo and tell(PhotoTold, photo, page_url=safe_url(photo.page_url)),
        "lease": lease,
        "review": None,
    }


def _format_task(visit: Visit, lease: Lease, image: Image) -> Json:
    """A leased image with all that the page shows of it.

    A checker is told of earlier verdicts and the open findings of the checks that are on.
    """
    session, task = visit.session, format_held(lease, image)
    if lease.kind is LeaseKind.BLIND:
        blind = find_blind_of(session, visit.person.id, image.id)
        drawn = load_revision(session, blind.annotation_id) if blind else None
        task["annotation"] = drawn
        require_of_image(image, drawn)
        return task
    task["annotation"] = head = load_head(session, image)
    require_sound(image, head, lease.returns_to)
    if head is None:
        return task
    if (review := find_return(session, image.id)) is not None:
        words = [tell_verdict(item) for item in review.object_verdicts]
        task["review"] = tell(Returned, review, checker=display_name(review.person), objects=words)
    if campaigns := find_campaigns(session, image.id):
        task["campaigns"] = [
            tell(Asked, it, by=it.made_by, text=describe_campaign(it)) for it in campaigns
        ]
    if lease.kind is not LeaseKind.CHECK:
        return task
    checks = [check.name for check in enabled_checks(visit.settings)]
    found = list_findings(session, image_id=image.id, checks=checks)
    task["findings"] = [format_found(row) for row in found]
    task["is_released"] = lease.returns_to is ImageState.RELEASED
    if author := find_author_of_repeat(visit, lease):
        return task | {"rounds": [], "changes": [], "author": author}
    rounds, changes = list_rounds(session, image.id), list_changes_since_verdict(session, image)
    return task | {"rounds": rounds, "changes": changes, "author": head.person}
