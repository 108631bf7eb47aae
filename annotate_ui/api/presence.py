"""The presence pass: thumbnails of one class's queries, and what people see on them.

The questions of a hierarchy, of which the pass is the simplest case, are in presence_questions.py.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from annotate_ui.guard import EVERYBODY
from catalog.refusals import NotFoundError
from catalog.sentences import say
from catalog.states import Shows
from work.bodies import Body, Id
from work.presence import thumbnails as presence
from work.visit import Visit

from .addresses import image_url
from .answers import WaitingClass, get_class, list_classes
from .drawn import Picture
from .schemas import Answer, Reply, Routes, Shown

blueprint = Routes("presence", __name__, url_prefix="/presence")


class Seen(Body):
    """One word on one image."""

    image_id: Id
    shows: Annotated[Shows, Field(strict=False)]


class SeenBody(Body):
    """What a person saw on a page of thumbnails."""

    answers: Annotated[tuple[Seen, ...], Field(min_length=1, max_length=presence.THUMBNAILS)]


class UndoSeenBody(Body):
    """One's own answers that are taken back."""

    answer_ids: Annotated[tuple[Id, ...], Field(min_length=1, max_length=presence.THUMBNAILS)]


class WaitingClasses(Answer):
    """Every class, and how many images of it wait."""

    classes: list[WaitingClass]


class Thumbnail(Picture):
    """An image to look at."""

    image_id: int


class Thumbnails(Answer):
    """The next images to look at."""

    images: list[Thumbnail]


class KeptAnswers(Answer):
    """The images of which the answer was kept, and the numbers of these answers."""

    kept: list[int]
    answer_ids: list[int]


class UndoneAnswers(Answer):
    """How many answers were taken back."""

    undone: int


def _require_pass(visit: Visit) -> None:
    if not visit.party.settings.annotate.presence_pass:
        raise NotFoundError(say("This party does not ask which images show a class."))


@blueprint.on_get("/classes", *EVERYBODY, answers=WaitingClasses)
def show_classes(visit: Visit) -> Reply:
    """Every class, with the number of images of its queries that are still to be seen."""
    return WaitingClasses(classes=list_classes(visit, count_waiting(visit)))


def count_waiting(visit: Visit) -> dict[str, int]:
    """How many images of each class wait; in a large party it may be a minute old."""
    return visit.share(("presence", visit.party.classes_number), presence.count_waiting)


@blueprint.on_get("/classes/<class_id>", *EVERYBODY, answers=Thumbnails)
def show_thumbnails(visit: Visit, class_id: str) -> Reply:
    """The next images of a class's queries to look at."""
    _require_pass(visit)
    thumbnails = [
        Thumbnail(
            image_id=image.id,
            image_url=image_url(image.sha256),
            width=image.width,
            height=image.height,
        )
        for image in presence.list_thumbnails(visit, get_class(visit, class_id).key)
    ]
    return Thumbnails(images=thumbnails)


@blueprint.on_post("/classes/<class_id>", *EVERYBODY, answers=KeptAnswers)
def post_answers(visit: Visit, class_id: str, body: SeenBody) -> Reply:
    """The images of which the answer was kept; others were seen or opened meanwhile."""
    _require_pass(visit)
    words: dict[int, Shows] = {seen.image_id: seen.shows for seen in body.answers}
    spec = get_class(visit, class_id)
    answers = presence.keep_answers(visit, spec.key, words)
    return KeptAnswers(
        kept=[answer.image_id for answer in answers], answer_ids=[answer.id for answer in answers]
    )


@blueprint.on_post("/undo", *EVERYBODY, shows=Shown("answer_ids"), answers=UndoneAnswers)
def post_undo(visit: Visit, body: UndoSeenBody) -> Reply:
    """How many of one's own answers were taken back."""
    return UndoneAnswers(undone=presence.take_answers_back(visit, body.answer_ids))
