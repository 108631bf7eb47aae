"""The images that an organiser has to settle."""

from __future__ import annotations

from flask import Blueprint
from flask.typing import ResponseReturnValue

from annotate_ui.answers import Json, format_moment, format_person, image_url
from annotate_ui.disputes import Dispute, Round, list_disputes
from annotate_ui.people import display_name
from annotate_ui.roles import allowed
from annotate_ui.visit import Visit
from catalog.states import Role

from .wall import format_boxed

blueprint = Blueprint("disputes", __name__, url_prefix="/disputes")


@blueprint.get("")
@allowed(Role.ORGANISER)
def show_disputes(visit: Visit) -> ResponseReturnValue:
    """Every disputed image with all that was said of it, those first that wait for a word."""
    return {
        "at": format_moment(visit.at),
        "most_returns": visit.party.settings.qa.return_rounds,
        "disputes": [_format(one) for one in list_disputes(visit)],
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


def _format(dispute: Dispute) -> Json:
    image = dispute.image
    return {
        "image_id": image.id,
        "image_url": image_url(image.sha256),
        "width": image.width,
        "height": image.height,
        "state": image.state,
        "since": format_moment(image.state_at),
        "may_settle": dispute.may_settle,
        "holder": format_person(dispute.holder) if dispute.holder else None,
        "author": format_person(dispute.head.person),
        "objects": [format_boxed(one) for one in dispute.head.objects],
        "rounds": [format_round(one) for one in dispute.rounds],
    }
