"""What the pages remember for a person."""

from __future__ import annotations

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from annotate_ui.preferences import load_preferences, save_preferences
from annotate_ui.roles import EVERYBODY, allowed
from annotate_ui.schemas import PreferencesBody, parse_body
from annotate_ui.visit import Visit

blueprint = Blueprint("preferences", __name__, url_prefix="/me/preferences")


@blueprint.get("")
@allowed(*EVERYBODY)
def show_preferences(visit: Visit) -> ResponseReturnValue:
    """What was stored last."""
    return {"preferences": load_preferences(visit)}


@blueprint.put("")
@allowed(*EVERYBODY)
def put_preferences(visit: Visit) -> ResponseReturnValue:
    """What is stored now."""
    body = parse_body(PreferencesBody, request.get_data())
    save_preferences(visit, body.preferences)
    return {"preferences": body.preferences}
