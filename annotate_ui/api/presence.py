"""The presence pass: thumbnails of one class's queries, and what people see on them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from catalog.refusals import NotFoundError
from catalog.states import Shows
from web.guard import EVERYBODY
from work import presence
from work.bodies import Body, Id
from work.visit import Visit

from .answers import format_picture, get_class, list_classes
from .schemas import Reply, Routes, shape
from .told import Picture, Word

blueprint = Routes("presence", __name__, url_prefix="/presence")


class Seen(Body):
    """One word on one image."""

    image_id: Id
    shows: Annotated[Shows, Field(strict=False)]


Answers = Annotated[tuple[Seen, ...], Field(min_length=1, max_length=presence.THUMBNAILS)]
Ids = Annotated[tuple[Id, ...], Field(min_length=1, max_length=presence.THUMBNAILS)]


WaitingClass = shape("WaitingClass: a class, and how many images wait.", Word, waiting=int)
Thumbnail = shape("Thumbnail: an image to look at.", Picture, image_id=int)


def _require_pass(visit: Visit) -> None:
    if not visit.party.settings.annotate.presence_pass:
        raise NotFoundError("This party does not ask which images show a class.")


@blueprint.on_get("/classes", *EVERYBODY, told={"classes": [WaitingClass]})
def show_classes(visit: Visit) -> Reply:
    """Every class, with the number of images of its queries that are still to be seen."""
    return {"classes": list_classes(visit, presence.count_waiting(visit))}


@blueprint.on_get("/classes/<class_name>", *EVERYBODY, told={"images": [Thumbnail]})
def show_thumbnails(visit: Visit, class_name: str) -> Reply:
    """The next images of a class's queries to look at."""
    _require_pass(visit)
    images = presence.list_thumbnails(visit, get_class(visit, class_name))
    return {"images": [format_picture(it) | {"image_id": it.id} for it in images]}


@blueprint.on_post("/classes/<class_name>", *EVERYBODY, told={"kept": list[int]})
def post_answers(visit: Visit, class_name: str, *, answers: Answers) -> Reply:
    """The images of which the answer was kept; others were seen or opened meanwhile."""
    _require_pass(visit)
    said: dict[int, Shows] = {one.image_id: one.shows for one in answers}
    return {"kept": presence.keep_answers(visit, get_class(visit, class_name), said)}


@blueprint.on_post("/undo", *EVERYBODY, told={"undone": int})
def post_undo(visit: Visit, *, image_ids: Ids) -> Reply:
    """How many of one's own answers were taken back."""
    return {"undone": presence.take_answers_back(visit, list(image_ids))}
