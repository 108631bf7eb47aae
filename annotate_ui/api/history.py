"""The revisions of an image, two of them compared, one restored; and each person's feedback."""

from __future__ import annotations

from flask import request

from annotate_ui.roles import EVERYBODY
from annotate_ui.visit import Visit
from annotate_ui.work.feedback import load_feedback
from annotate_ui.work.history import compare_revisions, load_history, restore_revision
from annotate_ui.work.remarks import keep_submitted

from .answers import format_revision
from .schemas import Id, Reply, Routes, SaveKey, parse_number
from .told import SavedTold

blueprint = Routes("history", __name__)
_REVISIONS = "/images/<int:image_id>/revisions"
_ID = "<int:revision_id>"


@blueprint.on_get(_REVISIONS, *EVERYBODY)
def show(visit: Visit, image_id: int) -> Reply:
    """The revisions that the visitor may see, the newest first."""
    return load_history(visit, image_id)


@blueprint.on_get(f"{_REVISIONS}/{_ID}/compare/<int:other_id>", *EVERYBODY)
def compare(visit: Visit, image_id: int, revision_id: int, other_id: int) -> Reply:
    """What differs from the first revision to the second, and what stayed the same."""
    changes, same = compare_revisions(visit, image_id, revision_id, other_id)
    return {"changes": changes, "same": same}


@blueprint.on_post(f"{_REVISIONS}/{_ID}/restore", *EVERYBODY, told=SavedTold)
def restore(
    visit: Visit, image_id: int, revision_id: int, *, save_key: SaveKey, head_id: Id | None
) -> Reply:
    """The new revision, as an earlier one; `head_id` is the newest that was seen."""
    saved = restore_revision(visit, image_id, revision_id, save_key, head_id)
    if not saved.is_repeated:
        keep_submitted(visit, saved.image, saved.annotation)
    answer = {"annotation": format_revision(saved.annotation), "state": saved.state}
    return answer, 200 if saved.is_repeated else 201


@blueprint.on_get("/me/feedback", *EVERYBODY)
def show_feedback(visit: Visit) -> Reply:
    """What became of the visitor's own work."""
    return load_feedback(visit, parse_number(request.args, "before"))
