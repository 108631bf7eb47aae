"""Who is signed in."""

from __future__ import annotations

from flask import Blueprint
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import generate_csrf

from annotate_ui.answers import format_moment, format_person
from annotate_ui.roles import EVERYBODY, allowed
from annotate_ui.visit import Visit

blueprint = Blueprint("session", __name__)


@blueprint.get("/session")
@allowed(*EVERYBODY)
def show_session(visit: Visit) -> ResponseReturnValue:
    """The person, the token against forged requests, the server's clock."""
    return {
        "person": format_person(visit.person) | {"role": visit.person.role},
        "csrf_token": generate_csrf(),
        "server_time": format_moment(visit.at),
    }
