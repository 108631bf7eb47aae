"""The signed-in person, the party's words and rules, one's own images and preferences."""

from __future__ import annotations

from datetime import datetime

from flask_wtf.csrf import generate_csrf
from pydantic import JsonValue

from annotate_ui.roles import EVERYBODY
from annotate_ui.visit import Visit, current_service
from annotate_ui.work.feedback import find_event_work, list_own_images, save_preferences
from catalog.states import Role

from .answers import format_person, format_preset, format_revision, pick
from .guidelines import load_guidelines
from .schemas import Reply, Routes, Told
from .told import PersonName, Revision, Word

blueprint = Routes("party", __name__)
Preferences = dict[str, JsonValue]


class Visitor(PersonName):
    """The person who asks."""

    role: Role


class ClassTold(Told):
    """A class, and what of it is marked."""

    name: str
    display: str
    groups: list[str]
    short_rule: str
    has_views: bool
    has_parts: bool
    has_actions: bool


class PartTold(Word):
    """A part of a person, and how many an object has at most."""

    most: int


class ActionTold(Word):
    """An action of a person."""

    excludes_others: bool


class PartyTold(Told):
    """What does not change while a page is open; another `classes_number` ends that.

    `former_classes` gives today's names; saves may still have the former ones.
    """

    name: str
    classes: list[ClassTold]
    views: list[Word]
    flags: list[str]
    parts: list[PartTold]
    actions: list[ActionTold]
    discard_reasons: list[Word]
    min_box_px: int
    max_objects: int
    lease_secs: float
    images_ahead: int
    judge_each_object: bool
    guidelines_html: str
    guidelines_number: int
    classes_number: int
    former_classes: dict[str, str]


class OwnImage(Told):
    """An image whose newest revision is the visitor's."""

    image_id: int
    state: str
    saved_at: datetime
    image_url: str
    objects: int


_SESSION = {"person": Visitor, "party_id": str, "csrf_token": str, "server_time": datetime}
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


@blueprint.on_get("/mine", *EVERYBODY, told={"images": list[OwnImage]})
def show_mine(visit: Visit) -> Reply:
    """The images whose newest revision is one's own, newest first."""
    return {"images": list_own_images(visit.session, visit.person.id)}


@blueprint.on_get("/images/<int:image_id>/event", *EVERYBODY, told=_EVENT)
def show_event_work(visit: Visit, image_id: int) -> Reply:
    """What the visitor drew last on another image of the same event, to be copied."""
    own = find_event_work(visit, image_id)
    return {
        "image_id": own.image_id if own else None,
        "annotation": format_revision(own) if own else None,
    }


@blueprint.on_get("/me/preferences", *EVERYBODY, told={"preferences": Preferences})
def show_preferences(visit: Visit) -> Reply:
    """What the pages stored last."""
    return {"preferences": visit.person.preferences or {}}


@blueprint.on_put("/me/preferences", *EVERYBODY, told={"preferences": Preferences})
def put_preferences(visit: Visit, *, preferences: Preferences) -> Reply:
    """What is stored now, at most 4,096 bytes."""
    save_preferences(visit, preferences)
    return {"preferences": preferences}
