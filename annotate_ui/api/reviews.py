"""A checker's verdicts, and the images on which verdicts do not agree."""

from __future__ import annotations

from annotate_ui.organise.disputes import Dispute, list_disputes
from annotate_ui.organise.people import display_name
from annotate_ui.visit import Visit
from annotate_ui.work.reviews import save_review
from annotate_ui.work.revision_rows import load_head
from annotate_ui.work.revisions import Kept
from catalog.states import Role
from catalog.tables import Review

from .answers import (
    Json,
    format_boxed,
    format_person,
    format_picture,
    format_revision,
)
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
        "disputes": [_format_dispute(one) for one in list_disputes(visit)],
    }


def format_round(review: Review) -> Json:
    """A verdict with its comments, each with the class of its object."""
    classes = {item.object_key: item.class_name for item in review.annotation.objects}
    return {
        "verdict": review.verdict,
        "checker": display_name(review.person),
        "at": review.reviewed_at,
        "comment": review.comment or "",
        "objects": [
            {
                "key": item["object_key"],
                "class": classes.get(item["object_key"], ""),
                "verdict": item["verdict"],
                "comment": item["comment"],
            }
            for item in review.object_verdicts
            if item["comment"] or item["verdict"] == "reject"
        ],
    }


def _format_dispute(dispute: Dispute) -> Json:
    image = dispute.image
    return {
        "image_id": image.id,
        **format_picture(image),
        "state": image.state,
        "since": image.state_at,
        "may_settle": dispute.may_settle,
        "holder": format_person(dispute.holder) if dispute.holder else None,
        "author": format_person(dispute.head.person),
        "objects": [format_boxed(one) for one in dispute.head.objects],
        "rounds": [format_round(one) for one in dispute.rounds],
    }
