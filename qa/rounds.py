"""Who settles an image that went back and forth between its author and checkers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session, aliased

from catalog.states import Role, Verdict
from catalog.tables import Annotation, Image, Person, Review


@dataclass(frozen=True)
class Round:
    """One verdict on an image, and whether an organiser gave it."""

    verdict: Verdict
    by_organiser: bool


def needs_organiser(rounds: Sequence[Round], most_returns: int) -> bool:
    """Whether the next verdict is an organiser's: it was returned as often as is allowed.

    Returns count since an organiser last looked at the image; what an organiser returns goes back
    to checkers, who then have as many rounds again.
    """
    returns = 0
    for one in rounds:
        if one.by_organiser:
            returns = 0
        elif one.verdict is Verdict.RETURNED:
            returns += 1
    return returns >= most_returns


def may_check(rounds: Sequence[Round], role: Role, most_returns: int) -> bool:
    """Whether somebody of this role may give the next verdict."""
    return role is Role.ORGANISER or not needs_organiser(rounds, most_returns)


def load_rounds(session: Session, image_id: int) -> list[Round]:
    """The verdicts on an image so far, in order."""
    rows = session.execute(
        select(Review.verdict, Person.role)
        .join(Annotation, Annotation.id == Review.annotation_id)
        .join(Person, Person.id == Review.person_id)
        .where(Annotation.image_id == image_id)
        .order_by(Review.id)
    )
    return [Round(verdict, role is Role.ORGANISER) for verdict, role in rows.tuples()]


def is_for_organiser(most_returns: int) -> ColumnElement[bool]:
    """The same rule as a condition on Image, for queues: returns since an organiser's last word."""
    review, drawn, judge = aliased(Review), aliased(Annotation), aliased(Person)
    last_word = (
        select(func.coalesce(func.max(review.id), 0))
        .join(drawn, drawn.id == review.annotation_id)
        .join(judge, judge.id == review.person_id)
        .where(drawn.image_id == Annotation.image_id, judge.role == Role.ORGANISER)
        .correlate(Annotation)
        .scalar_subquery()
    )
    return Image.id.in_(
        select(Annotation.image_id)
        .join(Review, Review.annotation_id == Annotation.id)
        .where(Review.verdict == Verdict.RETURNED, Review.id > last_word)
        .group_by(Annotation.image_id)
        .having(func.count() >= most_returns)
    )
