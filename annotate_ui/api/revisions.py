"""Saving what was drawn."""

from __future__ import annotations

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from annotate_ui.roles import EVERYBODY, allowed
from annotate_ui.visit import Visit
from annotate_ui.work.gold import find_trial, load_progress, note_trained
from annotate_ui.work.remarks import find_hints, keep_submitted
from annotate_ui.work.revisions import Kept, Saved, load_head, save_revision

from .answers import Json, format_finding, format_lease, format_revision
from .schemas import MAX_ID, RevisionBody, parse_body

blueprint = Blueprint("revisions", __name__)

_CONFLICTS = {
    "stale": "The image was saved in between; what you sent is kept with the newer revision.",
    "lease_lost": "You no longer hold this image; what you sent is kept.",
}


@blueprint.post(f"/images/<int(max={MAX_ID}):image_id>/revisions")
@allowed(*EVERYBODY)
def post_revision(visit: Visit, image_id: int) -> ResponseReturnValue:
    """The saved revision, or what became of it."""
    outcome = save_revision(visit, image_id, parse_body(RevisionBody, request.get_data()))
    if isinstance(outcome, Kept):
        return format_conflict(visit, outcome)
    return _format_saved(visit, outcome)


def format_conflict(visit: Visit, kept: Kept) -> ResponseReturnValue:
    """409 with the code, under which number the work is kept, and what is newer.

    An answer, not an error: an error would undo the transaction that keeps the work.
    """
    answer: Json = {
        "error": {"code": kept.code, "message": _CONFLICTS[kept.code]},
        "kept_as": kept.annotation.id if kept.annotation else None,
    }
    if kept.code == "stale":
        head = load_head(visit.session, kept.image)
        answer["head"] = format_revision(head) if head else None
    return answer, 409


def _format_saved(visit: Visit, saved: Saved) -> ResponseReturnValue:
    if not saved.is_repeated:
        keep_submitted(visit, saved.image, saved.annotation)
    answer: Json = {
        "annotation": format_revision(saved.annotation),
        "state": saved.state,
        "lease": format_lease(saved.lease) if saved.lease else None,
        "findings": [
            format_finding(found) for found in find_hints(visit, saved.image, saved.annotation)
        ],
    }
    if saved.annotation.is_stale:
        answer |= _format_trial(visit, saved.image.id)
    return answer, 200 if saved.is_repeated else 201


def _format_trial(visit: Visit, image_id: int) -> Json:
    """What a trainee is told after a training image; nothing after every other image."""
    trial = find_trial(visit, image_id)
    if trial is None:
        return {}
    note_trained(visit)
    progress = load_progress(visit)
    return {
        "feedback": list(trial.sentences),
        "training": {
            "is_passed": trial.is_passed,
            "note": trial.note,
            "needed": progress.needed,
            "passed": progress.passed,
            "is_done": progress.is_done,
        },
    }
