"""Which suggestions and images of a class wait for an answer, as conditions of SQL."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, exists, func, or_, select
from sqlalchemy.orm import aliased

from catalog.instances import find_token
from catalog.states import ImageState, Said
from catalog.stuck import is_stuck
from catalog.suggested import CONFIRMED_BY, stands
from catalog.tables import (
    GoldImage,
    Image,
    Question,
    QuestionAnswer,
    Suggestion,
    SuggestionSet,
)
from work.suggestions import find_withheld_share, is_withheld
from work.visit import Visit


def make_lottery(visit: Visit) -> Callable[[int], bool]:
    """A function that says of the id of an image whether it shows its suggestions."""
    token = find_token(visit.session) or ""
    share = find_withheld_share(visit.party.settings)
    return lambda image_id: not is_withheld(token, image_id, share)


def is_begun() -> ColumnElement[bool]:
    """Whether somebody answered about a Suggestion."""
    begun = select(Question.suggestion_id).where(
        Question.suggestion_id.is_not(None), has_answer(Question)
    )
    return Suggestion.id.in_(begun)


def is_asked() -> ColumnElement[bool]:
    """Whether an Image is one of which suggestions are verified: new, and nobody drew on it."""
    in_gold = exists().where(GoldImage.image_id == Image.id, GoldImage.ended_at.is_(None))
    is_new = and_(Image.state == ImageState.POOL, Image.annotation_id.is_(None))
    return and_(is_new, Image.taster.is_(None), ~in_gold, ~is_stuck())


def has_answer(question: Any, *conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether a question has an answer that holds, of these conditions."""
    return (
        select(QuestionAnswer.id)
        .where(
            QuestionAnswer.question_id == question.id,
            QuestionAnswer.set_aside_at.is_(None),
            *conditions,
        )
        .exists()
    )


def select_waiting(*columns: Any) -> Select[Any]:
    """Suggestions of images whose suggestions are verified, of sets that are on, that stand."""
    return (
        select(*columns)
        .select_from(Suggestion)
        .join(SuggestionSet, SuggestionSet.id == Suggestion.set_id)
        .join(Image, Image.id == Suggestion.image_id)
        .where(SuggestionSet.is_shown, is_asked(), stands())
    )


def is_unsettled(held_since: datetime | None = None) -> ColumnElement[bool]:
    """Whether a Suggestion is neither called right by two people nor otherwise by anybody.

    Those who have had it in front of them `held_since` then count as if they called it right.
    """
    about = aliased(Question)
    of_it = about.suggestion_id == Suggestion.id
    otherwise = select(about.id).where(of_it, has_answer(about, QuestionAnswer.said != Said.RIGHT))
    counts = has_answer(about)
    if held_since is not None:
        counts = or_(counts, about.asked_at > held_since)
    right = select(func.count(about.id)).where(of_it, counts)
    return and_(
        ~otherwise.correlate(Suggestion).exists(),
        right.correlate(Suggestion).scalar_subquery() < CONFIRMED_BY,
    )
