"""Who is signed in."""

from __future__ import annotations

from flask import Blueprint
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import generate_csrf

from annotate_ui.answers import format_moment, format_person
from annotate_ui.roles import EVERYBODY, allowed
from annotate_ui.service import current_service
from annotate_ui.visit import Visit

blueprint = Blueprint("session", __name__)


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
