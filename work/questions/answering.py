"""Answers to questions: kept, corrected, taken back; what was drawn because of them is named."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, exists, func, select, update
from sqlalchemy.orm import Session

from catalog.refusals import InvalidError
from catalog.sentences import say
from catalog.states import ImageState, QuestionKind, Said, Suggested
from catalog.suggested import stands
from catalog.tables import (
    Image,
    Object,
    Person,
    Question,
    QuestionAnswer,
    Suggestion,
    SuggestionSet,
)
from work.bodies import Xyxy
from work.visit import Visit

from .drawing import keep_box
from .shown import lock_own

WORDS = {
    QuestionKind.BOX: (Said.RIGHT, Said.PART, Said.LARGE, Said.SEVERAL, Said.WRONG),
    QuestionKind.MORE: (Said.YES, Said.NO),
    QuestionKind.DRAW: (Said.NO,),
}
"""What may be answered to each kind of question."""


@dataclass(frozen=True)
class TakenBack:
    """How many answers were taken back, and the images, by id, that have a box because of them.

    Their newest revisions hold such a box as it was suggested: who drew them accepted it too.
    """

    answers: int
    drawn: tuple[int, ...] = ()


def keep_answer(visit: Visit, question_id: int, said: Said, took_ms: int) -> QuestionAnswer | None:
    """The answer that holds now, None where the question is not asked any more.

    The same answer again changes nothing; another one corrects the first, but a box that was drawn
    is taken back first. Raises NotFoundError for the question of another person, and InvalidError
    for a word that answers another kind.
    """
    question = lock_own(visit, question_id)
    if said not in WORDS[question.kind]:
        raise InvalidError(say("This question has other answers. Reload the page."))
    if not _is_asked(visit.session, question):
        return None
    held = visit.session.scalar(
        select(QuestionAnswer).where(
            QuestionAnswer.question_id == question.id, QuestionAnswer.set_aside_at.is_(None)
        )
    )
    if held is not None and held.said is said:
        return held
    if held is not None and question.kind is QuestionKind.DRAW:
        return None
    if held is not None:
        held.set_aside_at = visit.at
        visit.session.flush()
    answer = QuestionAnswer(
        question_id=question.id, said=said, answered_at=visit.at, took_ms=took_ms
    )
    visit.session.add(answer)
    visit.session.flush()
    return answer


def keep_drawn(visit: Visit, question_id: int, xyxy: Xyxy, took_ms: int) -> QuestionAnswer | None:
    """The answer with the box that the visitor drew, None where that is not asked any more.

    The same box again changes nothing; where another window answered, that is taken back first.
    Raises NotFoundError for the question of another person, and InvalidError for another kind or a
    box that cannot be.
    """
    question = lock_own(visit, question_id)
    of_question = QuestionAnswer.question_id == question.id, QuestionAnswer.set_aside_at.is_(None)
    held = visit.session.scalar(select(QuestionAnswer).where(*of_question))
    if held is not None:
        drawn = visit.session.get(Suggestion, question.suggestion_id or 0)
        is_same = drawn is not None and drawn.box.xyxy == xyxy and held.said is Said.RIGHT
        return held if is_same else None
    state = visit.session.scalar(select(Image.state).where(Image.id == question.image_id))
    if state is ImageState.TAKEN_DOWN:
        return None
    return keep_box(visit, question, xyxy, took_ms)


def _is_asked(session: Session, question: Question) -> bool:
    """Whether an answer still says something: photograph, set and box are not taken back."""
    state = session.scalar(select(Image.state).where(Image.id == question.image_id))
    if state is ImageState.TAKEN_DOWN:
        return False
    if question.suggestion_id is None or question.kind is QuestionKind.DRAW:
        return True
    is_there = select(and_(SuggestionSet.is_shown, stands())).join(
        Suggestion, Suggestion.set_id == SuggestionSet.id
    )
    return bool(session.scalar(is_there.where(Suggestion.id == question.suggestion_id)))


def list_seen_more(session: Session, image_id: int) -> list[str]:
    """The classes, by the ids of today, of which somebody saw another object in an image."""
    said_yes = (
        select(Question.class_today.label("class_id"))
        .join(QuestionAnswer, QuestionAnswer.question_id == Question.id)
        .where(
            Question.image_id == image_id,
            QuestionAnswer.said == Said.YES,
            QuestionAnswer.set_aside_at.is_(None),
        )
        .distinct()
    )
    return sorted(session.scalars(said_yes))


def take_back(visit: Visit, answer_ids: Collection[int]) -> TakenBack:
    """Let answers of the visitor count no more; their questions are open for them again."""
    mine = Question.person_id == visit.person.id
    return _set_aside(
        visit.session, visit.person, visit.at, mine, QuestionAnswer.id.in_(answer_ids)
    )


def take_back_all(visit: Visit, person_id: int) -> TakenBack:
    """Let no answer of a person count any more, as an organiser decides."""
    return _set_aside(visit.session, visit.person, visit.at, Question.person_id == person_id)


def undo_answers(
    session: Session, person_id: int, since: datetime, *, at: datetime, undoer: Person | None
) -> TakenBack:
    """Let the answers of a person from a moment on count no more, as all their work."""
    is_since = QuestionAnswer.answered_at >= since
    return _set_aside(session, undoer, at, Question.person_id == person_id, is_since)


def count_answers(session: Session, person_id: int, since: datetime | None = None) -> TakenBack:
    """What an undo of the person's answers would take back. This is a read-only operation."""
    of_time = [QuestionAnswer.answered_at >= since] if since else []
    theirs = _select_standing(Question.person_id == person_id, *of_time)
    chosen = [row.id for row in session.execute(theirs)]
    return TakenBack(len(chosen), _find_drawn(session, theirs))


def version_of_answers(session: Session, person_id: int) -> str:
    """The version of a person's answers, as the board shows them: how many hold, and the last."""
    theirs = _select_standing(Question.person_id == person_id).subquery()
    count, last = session.execute(
        select(func.count(), func.max(theirs.c.id)).select_from(theirs)
    ).one()
    return f"{count}-{last or 0}"


def _select_standing(*conditions: ColumnElement[bool]) -> Select[Any]:
    return (
        select(QuestionAnswer.id, Question.suggestion_id)
        .join(Question, Question.id == QuestionAnswer.question_id)
        .where(QuestionAnswer.set_aside_at.is_(None), *conditions)
        .order_by(QuestionAnswer.id)
    )


def _set_aside(
    session: Session, undoer: Person | None, at: datetime, *conditions: ColumnElement[bool]
) -> TakenBack:
    """Set aside the answers of these conditions; `undoer` is kept where that was another person."""
    theirs = _select_standing(*conditions)
    drawn = _find_drawn(session, theirs)
    ids = theirs.with_only_columns(QuestionAnswer.id).order_by(None)
    is_own = exists().where(
        Question.id == QuestionAnswer.question_id,
        Question.person_id == (undoer.id if undoer else None),
    )
    count = 0
    for condition, by_id in ((is_own, None), (~is_own, undoer.id if undoer else None)):
        changed = update(QuestionAnswer).where(QuestionAnswer.id.in_(ids), condition)
        result = session.execute(
            changed.values(set_aside_at=at, set_aside_by_id=by_id).returning(QuestionAnswer.id),
            execution_options={"synchronize_session": False},
        )
        count += len(result.all())
    session.expire_all()
    return TakenBack(count, drawn)


def _find_drawn(session: Session, answers: Select[Any]) -> tuple[int, ...]:
    """The images whose newest revision has a box as it was suggested that these called right."""
    right = (
        answers.with_only_columns(Question.suggestion_id)
        .where(QuestionAnswer.said == Said.RIGHT, Question.suggestion_id.is_not(None))
        .order_by(None)
    )
    drawn = (
        select(Image.id)
        .join(Object, Object.annotation_id == Image.annotation_id)
        .where(Object.suggested == Suggested.ACCEPTED, Object.suggestion_id.in_(right))
        .distinct()
        .order_by(Image.id)
    )
    return tuple(session.scalars(drawn))
