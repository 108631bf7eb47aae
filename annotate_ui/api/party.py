"""The signed-in person, the party's words and rules, one's own images and preferences."""

from __future__ import annotations

from flask_wtf.csrf import generate_csrf
from pydantic import JsonValue

from annotate_ui.roles import EVERYBODY
from annotate_ui.visit import Visit, current_service
from annotate_ui.work.feedback import find_event_work, list_own_images, save_preferences

from .answers import format_person, format_preset, format_revision, pick
from .guidelines import load_guidelines
from .schemas import Reply, Routes

blueprint = Routes("party", __name__)


@blueprint.on_get("/session", *EVERYBODY)
def show_session(visit: Visit) -> Reply:
    """The person, which party it is, the token against forged requests, the server's clock."""
    return {
        "person": format_person(visit.person) | {"role": visit.person.role},
        "party_id": current_service().party_id,
        "csrf_token": generate_csrf(),
        "server_time": visit.at,
    }


@blueprint.on_get("/party", *EVERYBODY)
def show_party(visit: Visit) -> Reply:
    """Everything that does not change while a page is open."""
    limits = visit.party.settings.annotate
    guidelines = load_guidelines(visit)
    return {
        "name": visit.party.settings.name,
        **format_preset(visit.party.preset),
        **pick(limits, "min_box_px", "max_objects", "lease_secs"),
        **pick(limits, "images_ahead", "judge_each_object"),
        "guidelines_html": guidelines["html"],
        "guidelines_number": guidelines["number"],
        "classes_number": visit.party.classes_number,
        "former_classes": dict(visit.party.former_classes),
    }


@blueprint.on_get("/mine", *EVERYBODY)
def show_mine(visit: Visit) -> Reply:
    """The images whose newest revision is one's own, newest first."""
    return {"images": list_own_images(visit.session, visit.person.id)}


@blueprint.on_get("/images/<int:image_id>/event", *EVERYBODY)
def show_event_work(visit: Visit, image_id: int) -> Reply:
    """What the visitor drew last on another image of the same event, to be copied."""
    own = find_event_work(visit, image_id)
    return {
        "image_id": own.image_id if own else None,
        "annotation": format_revision(own) if own else None,
    }


@blueprint.on_get("/me/preferences", *EVERYBODY)
def show_preferences(visit: Visit) -> Reply:
    """What the pages stored last."""
    return {"preferences": visit.person.preferences or {}}


@blueprint.on_put("/me/preferences", *EVERYBODY)
def put_preferences(visit: Visit, *, preferences: dict[str, JsonValue]) -> Reply:
    """What is stored now."""
    save_preferences(visit, preferences)
    return {"preferences": preferences}
