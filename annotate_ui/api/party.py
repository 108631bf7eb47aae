"""The signed-in person, the party's words and rules, one's own images and preferences."""

from __future__ import annotations

from flask import Blueprint, request
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import generate_csrf

from annotate_ui.organise.guidelines import load_guidelines
from annotate_ui.roles import EVERYBODY, allowed
from annotate_ui.visit import Visit, current_service
from annotate_ui.work.feedback import list_own_images, load_preferences, save_preferences

from .answers import format_moment, format_person, format_preset, image_url
from .schemas import PreferencesBody, parse_body

blueprint = Blueprint("party", __name__)


@blueprint.get("/session")
@allowed(*EVERYBODY)
def show_session(visit: Visit) -> ResponseReturnValue:
    """The person, which party it is, the token against forged requests, the server's clock."""
    return {
        "person": format_person(visit.person) | {"role": visit.person.role},
        "party_id": current_service().party_id,
        "csrf_token": generate_csrf(),
        "server_time": format_moment(visit.at),
    }


@blueprint.get("/party")
@allowed(*EVERYBODY)
def show_party(visit: Visit) -> ResponseReturnValue:
    """Everything that does not change while a page is open."""
    limits = visit.party.settings.annotate
    guidelines = load_guidelines(visit.session, visit.party)
    return {
        "name": visit.party.settings.name,
        **format_preset(visit.party.preset),
        "min_box_px": limits.min_box_px,
        "max_objects": limits.max_objects,
        "lease_secs": limits.lease_secs,
        "images_ahead": limits.images_ahead,
        "judge_each_object": limits.judge_each_object,
        "guidelines_html": guidelines.html,
        "guidelines_number": guidelines.number,
    }


@blueprint.get("/mine")
@allowed(*EVERYBODY)
def show_mine(visit: Visit) -> ResponseReturnValue:
    """The images whose newest revision is one's own, newest first."""
    return {
        "images": [
            {
                "image_id": own.image_id,
                "state": own.state,
                "saved_at": format_moment(own.saved_at),
                "image_url": image_url(own.sha256),
                "objects": own.objects,
            }
            for own in list_own_images(visit.session, visit.person.id)
        ]
    }


@blueprint.get("/me/preferences")
@allowed(*EVERYBODY)
def show_preferences(visit: Visit) -> ResponseReturnValue:
    """What the pages stored last."""
    return {"preferences": load_preferences(visit)}


@blueprint.put("/me/preferences")
@allowed(*EVERYBODY)
def put_preferences(visit: Visit) -> ResponseReturnValue:
    """What is stored now."""
    body = parse_body(PreferencesBody, request.get_data())
    save_preferences(visit, body.preferences)
    return {"preferences": body.preferences}
