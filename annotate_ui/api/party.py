"""The signed-in person, the party's words and rules, one's own images and preferences."""

from __future__ import annotations

from datetime import datetime

from flask_wtf.csrf import generate_csrf
from pydantic import JsonValue

from catalog.preset import ClassSpec
from catalog.settings import AnnotateSettings
from catalog.states import Role
from web.guard import EVERYBODY
from web.service import current_service
from work.feedback import find_event_work, list_own_images, save_preferences
from work.visit import Visit

from .answers import format_person, pick, tell
from .format_history import format_own_image
from .guidelines import load_guidelines
from .schemas import Reply, Routes, each, like, shape
from .told import PersonName, Revision, Word

blueprint = Routes("party", __name__)
Preferences = dict[str, JsonValue]


ClassTold = shape(
    "ClassTold: a class, and what of it is marked.",
    **like(ClassSpec, "name display groups short_rule has_views has_parts has_actions"),
)
PartyTold = shape(
    """PartyTold: what does not change while a page is open; another `classes_number` ends that.

    `former_classes` gives today's names; saves may still have the former ones.
    """,
    **each(str, "name guidelines_html"),
    classes=[ClassTold],
    views=[Word],
    flags=list[str],
    parts=[shape("PartTold: of a person, and how many an object has at most.", Word, most=int)],
    actions=[shape("ActionTold: an action of a person.", Word, excludes_others=bool)],
    discard_reasons=[Word],
    **like(AnnotateSettings, "min_box_px max_objects lease_secs images_ahead judge_each_object"),
    **each(int, "guidelines_number classes_number"),
    former_classes=dict[str, str],
)
OwnImage = shape(
    "OwnImage: an image whose newest revision is the visitor's.",
    **each(int, "image_id objects"),
    **each(str, "state image_url"),
    saved_at=datetime,
)
_SESSION = {
    "person": shape("Visitor: the person who asks.", PersonName, role=Role),
    **each(str, "party_id csrf_token"),
    "server_time": datetime,
}
_EVENT = {"image_id": int | None, "annotation": Revision | None}
"""Both null where there is none."""


@blueprint.on_get("/session", *EVERYBODY, told=_SESSION)
def show_session(visit: Visit) -> Reply:
    """The person, which party it is, the token against forged requests, the server's clock."""
    return {
        "person": format_person(visit.person) | {"role": visit.person.role},
        "party_id": current_service().party_id,
        "csrf_token": generate_csrf(),
        "server_time": visit.at,
    }


@blueprint.on_get("/party", *EVERYBODY, told=PartyTold)
def show_party(visit: Visit) -> Reply:
    """Everything that does not change while a page is open."""
    party, guidelines = visit.party, load_guidelines(visit)
    limits, preset = party.settings.annotate, party.preset
    return tell(
        PartyTold,
        limits,
        name=party.settings.name,
        classes=[tell(ClassTold, item) for item in preset.classes],
        views=[{"name": view, "display": view.lower()} for view in preset.views],
        flags=[flag.name for flag in preset.flags],
        parts=[pick(it, "name", "display", most="max_count") for it in preset.parts],
        actions=[
            pick(it, "name", "display", excludes_others="is_exclusive") for it in preset.actions
        ],
        discard_reasons=[pick(it, "display", name="key") for it in preset.discard_reasons],
        guidelines_html=guidelines["html"],
        guidelines_number=guidelines["number"],
        classes_number=party.classes_number,
        former_classes=dict(party.former_classes),
    )


@blueprint.on_get("/mine", *EVERYBODY, told={"images": [OwnImage]})
def show_mine(visit: Visit) -> Reply:
    """The images whose newest revision is one's own, newest first."""
    images = list_own_images(visit.session, visit.person.id)
    return {"images": [format_own_image(image) for image in images]}


@blueprint.on_get("/images/<int:image_id>/event", *EVERYBODY, told=_EVENT)
def show_event_work(visit: Visit, image_id: int) -> Reply:
    """What the visitor drew last on another image of the same event, to be copied."""
    own = find_event_work(visit, image_id)
    return {"image_id": own and own.image_id, "annotation": own}


@blueprint.on_get("/me/preferences", *EVERYBODY, told={"preferences": Preferences})
def show_preferences(visit: Visit) -> Reply:
    """What the pages stored last."""
    return {"preferences": visit.person.preferences or {}}


@blueprint.on_put("/me/preferences", *EVERYBODY, told={"preferences": Preferences})
def put_preferences(visit: Visit, *, preferences: Preferences) -> Reply:
    """What is stored now, at most 4,096 bytes."""
    save_preferences(visit, preferences)
    return {"preferences": preferences}
