"""A checker's verdicts, and the images on which verdicts do not agree."""

from __future__ import annotations

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from annotate_ui.organise.disputes import Dispute, Round, list_disputes
from annotate_ui.organise.people import display_name
from annotate_ui.roles import allowed
from annotate_ui.visit import Visit
from annotate_ui.work.reviews import save_review
from annotate_ui.work.revisions import Kept, load_head
from catalog.states import Role

from .answers import (
    Json,
    format_boxed,
    format_moment,
    format_person,
    format_picture,
    format_revision,
)
from .revisions import format_conflict
from .schemas import MAX_ID, ReviewBody, parse_body

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


@blueprint.get("/disputes")
@allowed(Role.ORGANISER)
def show_disputes(visit: Visit) -> ResponseReturnValue:
    """Every disputed image with all that was said of it, those first that wait for a word."""
    return {
        "at": format_moment(visit.at),
        "most_returns": visit.party.settings.qa.return_rounds,
        "disputes": [_format_dispute(one) for one in list_disputes(visit)],
    }


def format_round(one: Round) -> Json:
    """A verdict with its comments, each with the class of its object."""
    review = one.review
    return {
        "verdict": review.verdict,
        "checker": display_name(review.person),
        "at": format_moment(review.reviewed_at),
        "comment": review.comment or "",
        "objects": [
            {
                "key": item["object_key"],
                "class": one.classes.get(item["object_key"], ""),
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
        "since": format_moment(image.state_at),
        "may_settle": dispute.may_settle,
        "holder": format_person(dispute.holder) if dispute.holder else None,
        "author": format_person(dispute.head.person),
        "objects": [format_boxed(one) for one in dispute.head.objects],
        "rounds": [format_round(one) for one in dispute.rounds],
    }
