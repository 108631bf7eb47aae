"""The next image to work on."""

from __future__ import annotations

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from annotate_ui.organise.disputes import list_rounds
from annotate_ui.roles import EVERYBODY, allowed
from annotate_ui.visit import Visit
from annotate_ui.work.blind import BlindLease
from annotate_ui.work.reviews import find_return
from annotate_ui.work.revisions import load_head, load_revision
from annotate_ui.work.tasks import Queue, next_to_annotate, next_to_check, open_to_check, reopen
from catalog.states import LeaseKind, Role
from catalog.tables import Lease
from qa.check_list import check_names
from qa.finding_rows import list_findings
from qa.switches import apply_live_settings

from .answers import Json, format_found, format_task
from .queue import format_live
from .reviews import format_round
from .schemas import AnnotateTaskBody, CheckTaskBody, parse_body

blueprint = Blueprint("tasks", __name__, url_prefix="/tasks")


@blueprint.post("/annotate")
@allowed(*EVERYBODY)
def take_to_annotate(visit: Visit) -> ResponseReturnValue:
    """The next image to annotate, or one's own to go back to."""
    body = parse_body(AnnotateTaskBody, request.get_data())
    if body.image_id is not None:
        return _format_queue(visit, reopen(visit, body.image_id, body.ahead))
    return _format_queue(visit, next_to_annotate(visit, body.ahead))


@blueprint.post("/check")
@allowed(Role.CHECKER)
def take_to_check(visit: Visit) -> ResponseReturnValue:
    """The next image to check, or the one that is named."""
    body = parse_body(CheckTaskBody, request.get_data())
    if body.image_id is not None:
        return _format_queue(visit, open_to_check(visit, body.image_id))
    return _format_queue(visit, next_to_check(visit))


def _format_queue(visit: Visit, queue: Queue) -> Json:
    answer: Json = {"task": None, "left": queue.left, "live": format_live(visit)}
    if queue.lease is None:
        return answer | {"reason": queue.reason}
    ahead = [_format_lease(visit, lease) for lease in queue.ahead]
    return answer | {"task": _format_lease(visit, queue.lease), "ahead": ahead}


def _format_lease(visit: Visit, lease: Lease | BlindLease) -> Json:
    if isinstance(lease, BlindLease):
        own = load_revision(visit.session, lease.task.annotation_id)
        return format_task(lease, own, None)
    head = load_head(visit.session, lease.image)
    task = format_task(lease, head, find_return(visit.session, lease.image_id))
    return task if lease.kind is LeaseKind.ANNOTATE else task | _format_to_check(visit, lease)


def _format_to_check(visit: Visit, lease: Lease) -> Json:
    """What only a checker is told: open findings of the checks that are on, earlier verdicts."""
    off = apply_live_settings(visit.session, visit.party.settings).qa.switched_off
    checks = [name for name in check_names() if name not in off]
    found = list_findings(visit.session, image_id=lease.image_id, checks=checks)
    rounds = list_rounds(visit.session, lease.image_id)
    return {
        "findings": [format_found(row) for row in found],
        "rounds": [format_round(one) for one in rounds],
    }
