"""The presence answers about one image, for organisers: who gave them, and one taken back."""

from __future__ import annotations

from datetime import datetime

from work.bodies import Id
from work.presence.of_image import (
    ImageAnswer,
    list_answers,
    take_back_answer,
    version_of_image,
)
from work.revision_rows import get_image
from work.visit import Visit

from .names import PersonName, Term
from .presence_questions import PageUndone, tell_taken
from .schemas import Answer, Now, Reply, Routes, Shown, Version, VersionBody

blueprint = Routes("presence_answers", __name__, url_prefix="/presence/images/<int:image_id>")


class AnswerBody(VersionBody):
    """The answer that is taken back, and the version of the answers that the sender saw."""

    answer_id: Id


class ImageAnswerLine(Answer):
    """An answer; `known` is what is known of a gold image, null of others."""

    id: int
    words: Term
    is_yes: bool
    known: bool | None
    person: PersonName
    judged_at: datetime
    taken_back_at: datetime | None
    taken_back_by: PersonName | None


class ImageAnswers(Answer):
    """The answers about an image, the newest first."""

    version: Version
    answers: list[ImageAnswerLine]


def _load_now(visit: Visit, image_id: int) -> Now:
    """The answers as they are now; raises NotFoundError where there is no such image."""
    get_image(visit.session, image_id)
    return Now(version_of_image(visit.session, image_id))


@blueprint.on_get("/answers", answers=ImageAnswers)
def show_answers(visit: Visit, image_id: int) -> Reply:
    """All answers about an image, also those that were taken back."""
    return ImageAnswers(
        version=version_of_image(visit.session, image_id),
        answers=[_make_line(answer) for answer in list_answers(visit.session, image_id)],
    )


@blueprint.on_post("/take-back", shows=Shown("version", _load_now), answers=PageUndone)
def post_take_back(visit: Visit, image_id: int, body: AnswerBody) -> Reply:
    """One answer counts no more; the image is asked again, also where it was discarded."""
    return tell_taken(take_back_answer(visit, image_id, body.answer_id))


def _make_line(answer: ImageAnswer) -> ImageAnswerLine:
    row = answer.row
    undoer = answer.taken_back_by
    return ImageAnswerLine(
        id=row.id,
        words=answer.words,
        is_yes=row.is_yes,
        known=row.known,
        person=PersonName.model_validate(answer.person),
        judged_at=row.judged_at,
        taken_back_at=row.set_aside_at,
        taken_back_by=PersonName.model_validate(undoer) if undoer else None,
    )
