"""A checker's verdicts."""

from __future__ import annotations

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from annotate_ui.answers import format_revision
from annotate_ui.reviews import save_review
from annotate_ui.revision_rows import load_head
from annotate_ui.revisions import Kept
from annotate_ui.roles import allowed
from annotate_ui.schemas import MAX_ID, ReviewBody, parse_body
from annotate_ui.visit import Visit
from catalog.states import Role

from .conflicts import format_conflict

blueprint = Blueprint("reviews", __name__)


@blueprint.post(f"/images/<int(max={MAX_ID}):image_id>/reviews")
@allowed(Role.CHECKER)
def post_review(visit: Visit, image_id: int) -> ResponseReturnValue:
    """The saved verdict and the image's newest revision, or what became of it."""
    outcome = save_review(visit, image_id, parse_body(ReviewBody, request.get_data()))
    if isinstance(outcome, Kept):
        return format_conflict(visit, outcome)
    head = load_head(visit.session, outcome.image)
    answer = {
        "review_id": outcome.review.id,
        "state": outcome.image.state,
        "annotation": format_revision(head) if head else None,
    }
    return answer, 200 if outcome.is_repeated else 201
