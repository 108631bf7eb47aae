"""The signed-in person, the party's words and rules, one's own images and preferences."""

from __future__ import annotations

from datetime import datetime

from flask_wtf.csrf import generate_csrf
from pydantic import JsonValue

from annotate_ui.guard import EVERYBODY
from annotate_ui.service import current_service
from catalog.annotated import GROUP_OF
from catalog.group_limits import list_path
from catalog.preset import ClassSpec, Preset
from catalog.sentences import say
from catalog.states import Role, WordKind
from catalog.words import Words
from web.language import translate
from work.bodies import Body
from work.feedback import find_event_work, list_own_images, save_preferences
from work.visit import Visit

from .addresses import image_url
from .drawn import Revision
from .guidelines import load_guidelines
from .names import PersonName, Term, Word, show_name
from .schemas import Answer, Reply, Routes

blueprint = Routes("party", __name__)
Preferences = dict[str, JsonValue]


class PreferencesBody(Body):
    """What the pages store, at most 4,096 bytes."""

    preferences: Preferences


class ClassAnswer(Answer):
    """A class, and what of it is marked; `name` and `display` are for people."""

    id: str
    name: str
    display: Term
    groups: tuple[Term, ...]
    synonyms: tuple[Term, ...]
    examples: tuple[Term, ...]
    short_rule: Term
    has_views: bool
    has_parts: bool
    has_actions: bool


class PartName(Word):
    """A part of a person, and how many an object has at most."""

    most: int


class ActionName(Word):
    """An action of a person."""

    excludes_others: bool


class PartyAnswer(Answer):
    """What does not change while a page is open; another `classes_number` ends that.

    `moved` tells for each kind of word what ids count as that were merged or split, and which
    saves may still have; `retired` how words are called that only objects of earlier have.
    """

    name: str
    guidelines_html: str
    classes: list[ClassAnswer]
    views: list[Word]
    flags: list[str]
    parts: list[PartName]
    actions: list[ActionName]
    discard_reasons: list[Word]
    min_box_px: int
    max_objects: int
    lease_secs: int
    images_ahead: int
    judge_each_object: bool
    guidelines_number: int
    classes_number: int
    moved: dict[WordKind, dict[str, str]]
    retired: dict[WordKind, dict[str, str]]


class OwnImage(Answer):
    """An image whose newest revision is the visitor's."""

    image_id: int
    objects: int
    state: str
    image_url: str
    saved_at: datetime


class OwnImages(Answer):
    """The visitor's images, newest first."""

    images: list[OwnImage]


class Visitor(PersonName):
    """The person who asks."""

    role: Role


class SessionAnswer(Answer):
    """The person, which party it is, the token against forged requests, the server's clock."""

    person: Visitor
    party_id: str
    csrf_token: str
    server_time: datetime


class EventWork(Answer):
    """What the visitor drew on another image of an event; both null where there is none."""

    image_id: int | None
    annotation: Revision | None


class PreferencesAnswer(Answer):
    """What the pages stored last."""

    preferences: Preferences


@blueprint.on_get("/session", *EVERYBODY, answers=SessionAnswer)
def show_session(visit: Visit) -> Reply:
    """The person, which party it is, the token against forged requests, the server's clock."""
    person = visit.person
    return SessionAnswer(
        person=Visitor(id=person.id, name=show_name(person), role=person.role),
        party_id=current_service().party_id,
        csrf_token=generate_csrf(),
        server_time=visit.at,
    )


@blueprint.on_get("/party", *EVERYBODY, answers=PartyAnswer)
def show_party(visit: Visit) -> Reply:
    """Everything that does not change while a page is open."""
    party = visit.party
    preset = visit.party.preset
    limits = party.settings.annotate
    guidelines = load_guidelines(visit)
    flags: list[str] = [flag.name for flag in preset.flags]
    if limits.groups:
        flags.append(GROUP_OF)
    return PartyAnswer(
        name=party.settings.name,
        classes=[_make_class(preset, spec) for spec in preset.classes],
        views=[Word(id=view.key, display=view.display) for view in preset.views],
        flags=flags,
        parts=[
            PartName(id=part.key, display=part.display, most=part.max_count)
            for part in preset.parts
        ],
        actions=[
            ActionName(id=action.key, display=action.display, excludes_others=action.is_exclusive)
            for action in preset.actions
        ],
        discard_reasons=[
            Word(id=reason.key, display=reason.display) for reason in preset.discard_reasons
        ],
        min_box_px=limits.min_box_px,
        max_objects=limits.max_objects,
        lease_secs=limits.lease_secs,
        images_ahead=limits.images_ahead,
        judge_each_object=limits.judge_each_object,
        guidelines_html=guidelines.html,
        guidelines_number=guidelines.number,
        classes_number=party.classes_number,
        moved={kind: dict(words.moved) for kind, words in party.words.items()},
        retired={kind: _say_retired(words) for kind, words in party.words.items()},
    )


def _say_retired(words: Words) -> dict[str, str]:
    return {
        key: translate(say("{name} (retired)", name=name)) for key, name in words.retired.items()
    }


def _make_class(preset: Preset, spec: ClassSpec) -> ClassAnswer:
    return ClassAnswer(
        id=spec.key,
        name=spec.name,
        display=spec.display,
        groups=list_path(preset, spec),
        synonyms=spec.synonyms,
        examples=spec.examples,
        short_rule=spec.short_rule,
        has_views=spec.has_views,
        has_parts=spec.has_parts,
        has_actions=spec.has_actions,
    )


@blueprint.on_get("/mine", *EVERYBODY, answers=OwnImages)
def show_mine(visit: Visit) -> Reply:
    """The images whose newest revision is one's own, newest first."""
    images = list_own_images(visit.session, visit.person.id)
    answers = [
        OwnImage(
            image_id=image.image_id,
            objects=image.objects,
            state=image.state,
            image_url=image_url(image.sha256),
            saved_at=image.saved_at,
        )
        for image in images
    ]
    return OwnImages(images=answers)


@blueprint.on_get("/images/<int:image_id>/event", *EVERYBODY, answers=EventWork)
def show_event_work(visit: Visit, image_id: int) -> Reply:
    """What the visitor drew last on another image of the same event, to be copied."""
    work = find_event_work(visit, image_id)
    if work is None:
        return EventWork(image_id=None, annotation=None)
    return EventWork(image_id=work.image_id, annotation=Revision.model_validate(work))


@blueprint.on_get("/me/preferences", *EVERYBODY, answers=PreferencesAnswer)
def show_preferences(visit: Visit) -> Reply:
    """What the pages stored last."""
    return PreferencesAnswer(preferences=visit.person.preferences or {})


@blueprint.on_put("/me/preferences", *EVERYBODY, answers=PreferencesAnswer)
def put_preferences(visit: Visit, body: PreferencesBody) -> Reply:
    """What is stored now, at most 4,096 bytes."""
    save_preferences(visit, body.preferences)
    return PreferencesAnswer(preferences=body.preferences)
