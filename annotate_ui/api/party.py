"""The signed-in person, the party's words and rules, one's own images and preferences."""

from __future__ import annotations

import json
from datetime import datetime

from flask_wtf.csrf import generate_csrf
from pydantic import JsonValue
from sqlalchemy import case, exists, func, or_, select

from annotate_ui.roles import EVERYBODY
from annotate_ui.visit import Visit, current_service
from catalog.preset import ClassSpec
from catalog.settings import AnnotateSettings
from catalog.states import BlindKind, ImageState, Role
from catalog.tables import Annotation, BlindTask, Duplicate, Image, Object
from present.refusals import refuse

from .answers import format_person, image_url, pick, tell
from .guidelines import load_guidelines
from .schemas import Reply, Routes, each, like, shape
from .told import PersonName, Revision, Word

blueprint = Routes("party", __name__)
Preferences = dict[str, JsonValue]
MAX_IMAGES = 200
MAX_BYTES = 4096


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
    """The images whose newest revision is one's own, newest first, at most 200.

    Blind answers are among them, in the state of new images.
    """
    counted = select(func.count()).where(Object.annotation_id == Annotation.id)
    is_head = Image.annotation_id == Annotation.id
    of_blind = (BlindTask.annotation_id == Annotation.id, BlindTask.kind != BlindKind.TRAINING)
    state = case(
        (is_head, Image.state),
        (Annotation.discard_reason.is_not(None), ImageState.DISCARDED),
        (Annotation.is_finished.is_(True), ImageState.ANNOTATED),
        else_=ImageState.ANNOTATING,
    )
    rows = visit.session.execute(
        select(
            Image.id.label("image_id"),
            state.label("state"),
            Annotation.saved_at,
            counted.correlate(Annotation).scalar_subquery().label("objects"),
            Image.sha256,
        )
        .join(Image, Image.id == Annotation.image_id)
        .where(Annotation.person_id == visit.person.id, Image.state != ImageState.TAKEN_DOWN)
        .where(or_(is_head, exists().where(*of_blind)))
        .order_by(Annotation.saved_at.desc(), Annotation.id.desc())
        .limit(MAX_IMAGES)
    )
    return {"images": [tell(OwnImage, it, image_url=image_url(it.sha256)) for it in rows]}


@blueprint.on_get("/images/<int:image_id>/event", *EVERYBODY, told=_EVENT)
def show_event_work(visit: Visit, image_id: int) -> Reply:
    """What the visitor finished last on another image of the same event, to be copied."""
    event = {image_id}
    for _ in range(2):  # as dedup linked them: directly, or through an image in between
        ends = (Duplicate.image_id, Duplicate.kept_image_id)
        is_event = (Duplicate.relation == "same_event", Duplicate.undone_at.is_(None))
        linked = select(*ends).where(*is_event, or_(*(end.in_(event) for end in ends)))
        event |= {one for pair in visit.session.execute(linked) for one in pair}
    others = Annotation.image_id.in_(event - {image_id})
    mine = (Annotation.person_id == visit.person.id, Annotation.is_finished.is_(True))
    finished = select(Annotation).where(others, *mine).order_by(Annotation.id.desc())
    own = visit.session.scalar(finished.limit(1))
    return {"image_id": own and own.image_id, "annotation": own}


@blueprint.on_get("/me/preferences", *EVERYBODY, told={"preferences": Preferences})
def show_preferences(visit: Visit) -> Reply:
    """What the pages stored last."""
    return {"preferences": visit.person.preferences or {}}


@blueprint.on_put("/me/preferences", *EVERYBODY, told={"preferences": Preferences})
def put_preferences(visit: Visit, *, preferences: Preferences) -> Reply:
    """What is stored now, at most 4,096 bytes."""
    try:
        text = json.dumps(preferences, allow_nan=False)
    except ValueError:
        refuse("preferences", "expected no number beyond 1.8e308")
    if len(text) > MAX_BYTES:
        refuse("preferences", f"expected at most {MAX_BYTES} bytes of JSON, got {len(text)}")
    if "\\u0000" in text:
        refuse("preferences", "expected no NUL characters")
    visit.person.preferences = preferences
    return {"preferences": preferences}
