"""The party's words and rules."""

from __future__ import annotations

from flask import Blueprint
from flask.typing import ResponseReturnValue

from annotate_ui.answers import format_preset
from annotate_ui.guidelines import load_guidelines
from annotate_ui.roles import EVERYBODY, allowed
from annotate_ui.visit import Visit

blueprint = Blueprint("party", __name__)


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
        "guidelines_html": guidelines.html,
        "guidelines_number": guidelines.number,
    }
