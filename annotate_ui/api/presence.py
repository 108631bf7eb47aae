"""The presence pass: who sees thumbnails of a class's queries says which of them show it.

What shows no class is discarded before anyone opens it; ILSVRC, too, asks which images show a class
before it asks for boxes (Russakovsky et al., 2015, section 3.2).
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import Field
from sqlalchemy import ColumnElement, Select, exists, func, select

from annotate_ui.organise.image_actions import discard_image
from annotate_ui.roles import EVERYBODY
from annotate_ui.visit import Visit
from catalog.class_changes import name_today
from catalog.image_store import digest_of
from catalog.preset import UNWANTED_REASON
from catalog.states import ImageState, Shows
from catalog.tables import Image, Photo, Presence, Query
from catalog.transitions import move_image
from present.refusals import NotFoundError

from .answers import format_picture, get_class, list_classes
from .schemas import Body, Id, Reply, Routes, shape
from .told import Picture, Word

blueprint = Routes("presence", __name__, url_prefix="/presence")
THUMBNAILS = 24
R = TypeVar("R", bound=tuple[Any, ...])


class Seen(Body):
    """One word on one image."""

    image_id: Id
    shows: Annotated[Shows, Field(strict=False)]


Answers = Annotated[tuple[Seen, ...], Field(min_length=1, max_length=THUMBNAILS)]
Ids = Annotated[tuple[Id, ...], Field(min_length=1, max_length=THUMBNAILS)]


WaitingClass = shape("WaitingClass: a class, and how many images wait.", Word, waiting=int)
Thumbnail = shape("Thumbnail: an image to look at.", Picture, image_id=int)


@blueprint.on_get("/classes", *EVERYBODY, told={"classes": [WaitingClass]})
def show_classes(visit: Visit) -> Reply:
    """Every class, with the number of images of its queries that are still to be seen."""
    counted = _join(select(Query.class_name, func.count(func.distinct(Image.id))))
    rows = visit.session.execute(counted.group_by(Query.class_name))
    return {"classes": list_classes(visit, dict(rows.tuples().all()))}


@blueprint.on_get("/classes/<class_name>", *EVERYBODY, told={"images": [Thumbnail]})
def show_thumbnails(visit: Visit, class_name: str) -> Reply:
    """The next images of a class's queries to look at."""
    _require_pass(visit)
    place = digest_of(f"presence {visit.person.id}".encode())  # two people see other images
    of_class = Query.class_name == get_class(visit, class_name)
    ordered = _join(select(Image)).where(of_class).order_by(Image.sha256 < place, Image.sha256)
    images = visit.session.scalars(ordered.distinct().limit(THUMBNAILS))
    return {"images": [format_picture(it) | {"image_id": it.id} for it in images]}


@blueprint.on_post("/classes/<class_name>", *EVERYBODY, told={"kept": list[int]})
def post_answers(visit: Visit, class_name: str, *, answers: Answers) -> Reply:
    """The images of which the answer was kept; others were seen or opened meanwhile."""
    _require_pass(visit)
    told = {"class_name": get_class(visit, class_name), "person_id": visit.person.id}
    said = {one.image_id: one.shows for one in answers}
    waiting = select(Image).where(Image.id.in_(said), *_waits()).with_for_update()
    images = visit.session.scalars(waiting.order_by(Image.id)).all()
    for image in images:
        shows = said[image.id]
        visit.session.add(Presence(image_id=image.id, shows=shows, judged_at=visit.at, **told))
        if shows is Shows.NONE:  # no class at all
            discard_image(visit, image, UNWANTED_REASON)
    return {"kept": [image.id for image in images]}


@blueprint.on_post("/undo", *EVERYBODY, told={"undone": int})
def post_undo(visit: Visit, *, image_ids: Ids) -> Reply:
    """How many of one's own answers were taken back."""
    own = (Presence.person_id == visit.person.id, Presence.set_aside_at.is_(None))
    found = select(Presence).where(Presence.image_id.in_(image_ids), *own)
    answers = visit.session.scalars(found.with_for_update()).all()
    for answer in answers:
        answer.set_aside_at = visit.at
        if answer.shows is Shows.NONE:
            _bring_back(visit, visit.session.get_one(Image, answer.image_id))
    return {"undone": len(answers)}


def _require_pass(visit: Visit) -> None:
    if not visit.party.settings.annotate.presence_pass:
        raise NotFoundError("This party does not ask which images show a class.")


def _bring_back(visit: Visit, image: Image) -> None:
    """Let the image wait as before the visitor's discard, unless it was changed since."""
    head = image.annotation
    is_own = head is not None and head.person_id == visit.person.id
    is_discard = head is not None and head.discard_reason == UNWANTED_REASON
    if head is None or not (is_own and is_discard and image.state is ImageState.DISCARDED):
        return
    head.set_aside_at, head.is_stale, image.annotation_id = visit.at, True, None
    visit.session.flush()
    states = ImageState.DISCARDED, ImageState.POOL
    move_image(visit.session, image.id, *states, at=visit.at)


def find_shown(visit: Visit, image_ids: list[int]) -> dict[int, str]:
    """The class that was seen on each of the images that show what was asked for."""
    holds = (Presence.shows == Shows.ASKED, Presence.set_aside_at.is_(None))
    chosen = select(Presence.image_id, Presence.class_name).where(*holds)
    rows = visit.session.execute(chosen.where(Presence.image_id.in_(image_ids)))
    former = visit.party.former_classes
    return {image_id: name_today([name], former)[0] for image_id, name in rows.tuples()}


def _waits() -> tuple[ColumnElement[bool], ...]:
    seen = exists().where(Presence.image_id == Image.id, Presence.set_aside_at.is_(None))
    return Image.state == ImageState.POOL, Image.annotation_id.is_(None), ~seen


def _join(chosen: Select[R]) -> Select[R]:
    """The images that wait, with the queries that found them."""
    joined = chosen.select_from(Image).join(Photo, Photo.image_id == Image.id)
    return joined.join(Query, Query.id == Photo.query_id).where(*_waits())
