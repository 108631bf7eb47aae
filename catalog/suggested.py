"""Which objects of revisions were made of suggestions, and of whose; which two people confirmed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, exists, func, or_, select
from sqlalchemy.orm import Session, aliased

from .session import in_parts
from .states import QuestionKind, Said, Suggested, SuggestionKind
from .tables import Object, Question, QuestionAnswer, Suggestion, SuggestionSet

CONFIRMED_BY = 2
"""How many people have to call the crop of a suggestion right."""
_MOST_IDS = 2_000


class Detector(NamedTuple):
    """A set of suggestions: the version of the model that it came from, and when."""

    id: int
    model: str
    version: str
    sha256: str
    kind: SuggestionKind
    licence: str | None
    loaded_at: datetime | None

    @property
    def name(self) -> str:
        """The model with its version."""
        return f"{self.model} {self.version}"


class SuggestedObject(NamedTuple):
    """An object that was made of a suggestion: accepted as it was, or corrected.

    `is_confirmed` where two people called the crop of that very box right; its author may be one.
    """

    made: Suggested
    detector: Detector
    is_confirmed: bool = False


def holds_at(at: datetime | None = None) -> ColumnElement[bool]:
    """Whether a QuestionAnswer holds, or did at a moment."""
    if at is None:
        return QuestionAnswer.set_aside_at.is_(None)
    is_aside_later = or_(QuestionAnswer.set_aside_at.is_(None), QuestionAnswer.set_aside_at > at)
    return and_(QuestionAnswer.answered_at <= at, is_aside_later)


def is_confirmed(at: datetime | None = None) -> ColumnElement[bool]:
    """Whether two people called the crop of a Suggestion right, and nobody said otherwise."""
    is_about = (Question.suggestion_id == Suggestion.id, QuestionAnswer.question_id == Question.id)
    right = select(func.count()).where(*is_about, QuestionAnswer.said == Said.RIGHT, holds_at(at))
    otherwise = exists().where(*is_about, QuestionAnswer.said != Said.RIGHT, holds_at(at))
    return and_(
        right.correlate(Suggestion).scalar_subquery() >= CONFIRMED_BY,
        ~otherwise.correlate(Suggestion),
    )


@cache
def stands() -> ColumnElement[bool]:
    """Whether a Suggestion stands: a model's always does, a person's until they take it back.

    The condition is made once, since every task of a person asks for it.
    """
    drawing = aliased(Question)
    is_held = exists().where(
        drawing.suggestion_id == Suggestion.id,
        drawing.kind == QuestionKind.DRAW,
        QuestionAnswer.question_id == drawing.id,
        QuestionAnswer.said == Said.RIGHT,
        holds_at(),
    )
    return or_(SuggestionSet.kind != SuggestionKind.DRAWN, is_held.correlate(Suggestion))


def load_suggested(
    session: Session, annotation_ids: Iterable[int], at: datetime | None = None
) -> dict[int, dict[str, SuggestedObject]]:
    """By revision its objects that were made of suggestions, by key; without any it is left out.

    Which of them two people confirmed is said as of `at`, a release's moment, else as of now.
    """
    detectors = {
        row[0]: Detector(*row)
        for row in session.execute(
            select(*(getattr(SuggestionSet, name) for name in Detector._fields))
        )
    }
    if not detectors:
        return {}
    is_as_it_was = Object.suggested == Suggested.ACCEPTED
    confirmed = and_(is_as_it_was, is_confirmed(at)).label("is_confirmed")
    columns = Object.annotation_id, Object.object_key, Object.suggested, Suggestion.set_id
    statement = select(*columns, confirmed).join(Suggestion, Suggestion.id == Object.suggestion_id)
    made = defaultdict[int, dict[str, SuggestedObject]](dict)
    for some_ids in in_parts(sorted(annotation_ids), _MOST_IDS):
        rows = session.execute(statement.where(Object.annotation_id.in_(some_ids)))
        for annotation_id, key, word, set_id, is_by_two in rows:
            made[annotation_id][key] = SuggestedObject(word, detectors[set_id], bool(is_by_two))
    return dict(made)
