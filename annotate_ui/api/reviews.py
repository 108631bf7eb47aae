"""A checker's verdicts, and the images on which verdicts do not agree."""

from __future__ import annotations

from annotate_ui.organise.disputes import list_disputes
from annotate_ui.visit import Visit
from annotate_ui.work.reviews import save_review
from annotate_ui.work.revision_rows import load_head
from annotate_ui.work.revisions import Kept
from catalog.states import Role

from .answers import format_revision
from .revisions import format_conflict
from .routing import Reply, Routes
from .schemas import ReviewBody

blueprint = Routes("reviews", __name__)


@blueprint.on_post("/images/<int:image_id>/reviews", Role.CHECKER)
def post_review(visit: Visit, image_id: int, body: ReviewBody) -> Reply:
    """The saved verdict and the image's newest revision, or what became of it."""
    outcome = save_review(visit, image_id, body)
    if isinstance(outcome, Kept):
        return format_conflict(visit, outcome)
    head = load_head(visit.session, outcome.image)
    answer = {
        "review_id": outcome.review.id,
        "state": outcome.image.state,
        "annotation": format_revision(head) if head else None,
    }
    return answer, 200 if outcome.is_repeated else 201


@blueprint.on_get("/disputes")
def show_disputes(visit: Visit) -> Reply:
    """Every disputed image with all that was said of it, those first that wait for a word."""
    return {
        "at": visit.at,
        "most_returns": visit.party.settings.qa.return_rounds,
        "disputes": list_disputes(visit),
    }
