"""The verification page: questions about boxes of one class, and what people answer."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from annotate_ui.guard import EVERYBODY
from catalog.states import QuestionKind, Said
from work.bodies import Body, Id, Xyxy
from work.people import get_person_of
from work.questions.answering import (
    TakenBack,
    keep_answer,
    keep_drawn,
    take_back,
    take_back_all,
    version_of_answers,
)
from work.questions.asked import Asked
from work.questions.asking import AT_ONCE, count_waiting, take_questions
from work.questions.shown import lock_asked, version_of_question
from work.visit import Visit

from .addresses import image_url
from .answers import WaitingClass, answer_each, get_class, list_classes
from .drawn import Picture
from .schemas import Answer, Now, Reply, Routes, Shown, Version, VersionBody

blueprint = Routes("questions", __name__, url_prefix="/questions")
LONGEST_MS = 3_600_000


class AnswerBody(VersionBody):
    """What a person answers to a question of this version, and how long they had it."""

    said: Annotated[Said, Field(strict=False)]
    took_ms: Annotated[int, Field(ge=0, le=LONGEST_MS)]


class DrawnBody(VersionBody):
    """The box that a person drew for a question of this version, and how long they had it."""

    box: Xyxy
    took_ms: Annotated[int, Field(ge=0, le=LONGEST_MS)]


class UndoAnswersBody(Body):
    """One's own answers that are taken back."""

    answer_ids: Annotated[tuple[Id, ...], Field(min_length=1, max_length=AT_ONCE)]


class ClassesToVerify(Answer):
    """Every class, and how many of its questions wait."""

    classes: list[WaitingClass]


class QuestionAsked(Picture):
    """A question: about a crop of a box, whether an image shows another object, or to draw one.

    `image_url` is the crop with its surroundings, or the image, on which `others` are the boxes of
    the class that are known. An answer names `version`.
    """

    id: int
    version: Version
    kind: QuestionKind
    others: list[Xyxy]


class QuestionsAsked(Answer):
    """The next questions of a class, all of one kind."""

    questions: list[QuestionAsked]


class AnswerKept(Answer):
    """The number of the answer; null where the question is not asked any more."""

    answer_id: int | None


class AnswersTakenBack(Answer):
    """How many answers were taken back, and the images that were drawn with such boxes."""

    undone: int
    images: list[int]


@blueprint.on_get("/classes", *EVERYBODY, answers=ClassesToVerify)
def show_classes(visit: Visit) -> Reply:
    """Every class, with the number of its questions that wait; in a large party a minute old."""
    key = ("questions", visit.party.classes_number)
    return ClassesToVerify(classes=list_classes(visit, visit.share(key, count_waiting)))


@blueprint.on_post("/classes/<class_id>/take", *EVERYBODY, answers=QuestionsAsked)
def take_class(visit: Visit, class_id: str) -> Reply:
    """The next questions for the visitor: what they left open first."""
    asked = take_questions(visit, get_class(visit, class_id).key)
    questions = answer_each(
        visit,
        asked,
        lambda asked: _make_question(visit, asked),
        lambda asked: asked.image.id,
    )
    return QuestionsAsked(questions=questions)


def _make_question(visit: Visit, asked: Asked) -> QuestionAsked:
    question = asked.question
    version = version_of_question(visit, asked)
    crop_url = f"/crops/questions/{question.id}/{version}.jpg"
    is_box = question.kind is QuestionKind.BOX
    return QuestionAsked(
        id=question.id,
        version=version,
        kind=question.kind,
        image_url=crop_url if is_box else image_url(asked.image.sha256),
        width=question.box.width_px,
        height=question.box.height_px,
        others=[box.xyxy for box in asked.others],
    )


def _load_now(visit: Visit, question_id: int) -> Now:
    """The question as it is now; raises NotFoundError for one of another person."""
    asked = lock_asked(visit, question_id)
    return Now(version_of_question(visit, asked), _make_question(visit, asked))


_SHOWN = Shown("version", _load_now)


@blueprint.on_post("/<int:question_id>/answer", *EVERYBODY, shows=_SHOWN, answers=AnswerKept)
def post_answer(visit: Visit, question_id: int, body: AnswerBody) -> Reply:
    """The answer that holds from now on; the page may correct it by sending another one."""
    answer = keep_answer(visit, question_id, body.said, body.took_ms)
    return AnswerKept(answer_id=answer.id if answer else None)


@blueprint.on_post("/<int:question_id>/draw", *EVERYBODY, shows=_SHOWN, answers=AnswerKept)
def post_drawn(visit: Visit, question_id: int, body: DrawnBody) -> Reply:
    """The answer with a box of the class, which another person then verifies."""
    answer = keep_drawn(visit, question_id, body.box, body.took_ms)
    return AnswerKept(answer_id=answer.id if answer else None)


@blueprint.on_post("/undo", *EVERYBODY, shows=Shown("answer_ids"), answers=AnswersTakenBack)
def post_undo(visit: Visit, body: UndoAnswersBody) -> Reply:
    """How many of one's own answers were taken back; their questions are open again."""
    return _tell(take_back(visit, body.answer_ids))


def _load_person_now(visit: Visit, person_id: int) -> Now:
    """The answers of a person as they are now; raises NotFoundError where there is none."""
    person = get_person_of(visit.session, person_id)
    return Now(version_of_answers(visit.session, person.id))


@blueprint.on_post(
    "/people/<int:person_id>/take-back",
    shows=Shown("version", _load_person_now),
    answers=AnswersTakenBack,
)
def post_take_back(visit: Visit, person_id: int, body: VersionBody) -> Reply:
    """How many answers of a person count no more, and which images were drawn with their boxes."""
    return _tell(take_back_all(visit, person_id))


def _tell(taken: TakenBack) -> AnswersTakenBack:
    return AnswersTakenBack(undone=taken.answers, images=list(taken.drawn))
