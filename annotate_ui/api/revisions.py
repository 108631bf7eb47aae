"""Saving what was drawn."""

from __future__ import annotations

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from annotate_ui.answers import Json, format_finding, format_lease, format_revision
from annotate_ui.hints import find_hints, keep_submitted
from annotate_ui.revisions import Kept, Saved, save_revision
from annotate_ui.roles import EVERYBODY, allowed
from annotate_ui.schemas import MAX_ID, RevisionBody, parse_body
from annotate_ui.training import find_trial, load_progress, note_trained
from annotate_ui.visit import Visit

from .conflicts import format_conflict

blueprint = Blueprint("revisions", __name__)


@blueprint.post(f"/images/<int(max={MAX_ID}):image_id>/revisions")
@allowed(*EVERYBODY)
def post_revision(visit: Visit, image_id: int) -> ResponseReturnValue:
    """The saved revision, or what became of it."""
    outcome = save_revision(visit, image_id, parse_body(RevisionBody, request.get_data()))
    if isinstance(outcome, Kept):
        return format_conflict(visit, outcome)
    return _format_saved(visit, outcome)


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
