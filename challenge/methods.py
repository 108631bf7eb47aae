"""Methods: what a team says of each, and which competitions that lets it enter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.refusals import InvalidError, NotFoundError, refuse
from catalog.sentences import Sentence, say

from .tables import Method, Submission
from .teams import clean_line
from .values import MethodFields, Training

MOST_LINE = 200
MOST_TEXT = 4_000
MOST_METHODS = 100
_TEXTS = ("description", "contributors", "institutions", "training_data", "detectors")


def add(session: Session, team_id: int, fields: MethodFields, now: datetime) -> Method:
    """The new method of a team; raises InvalidError for a wrong field or a name it has already."""
    values = _clean(fields)
    _refuse_taken(session, team_id, values["name"])
    if len(list_methods(session, team_id)) >= MOST_METHODS:
        raise InvalidError(say("A team has at most {most} methods.", most=MOST_METHODS))
    method = Method(
        team_id=team_id,
        training=fields.training,
        mask_source=fields.mask_source,
        added_at=now,
        **values,
    )
    session.add(method)
    session.flush()
    return method


def edit(
    session: Session, team_id: int, method_id: int, fields: MethodFields, now: datetime
) -> Method:
    """The method with other fields; what it was trained on stays once it has a result."""
    method = get_method(session, team_id, method_id)
    values = _clean(fields)
    _refuse_taken(session, team_id, values["name"], except_id=method.id)
    is_other = (fields.training, fields.mask_source) != (method.training, method.mask_source)
    if is_other and _is_confirmed(session, method.id):
        raise InvalidError(
            say("What a method was trained on stays, since results of it were sent. Add another."),
            field="training",
        )
    for name, value in values.items():
        setattr(method, name, value)
    method.training = fields.training
    method.mask_source = fields.mask_source
    method.edited_at = now
    return method


def get_method(session: Session, team_id: int, method_id: int) -> Method:
    """The method of that number, if it is the team's; raises NotFoundError."""
    method = session.get(Method, method_id)
    if method is None or method.team_id != team_id:
        raise NotFoundError(say("There is no method {number}.", number=method_id))
    return method


def list_methods(session: Session, team_id: int) -> Sequence[Method]:
    """The methods of a team in the order in which they were added."""
    return session.scalars(
        select(Method).where(Method.team_id == team_id).order_by(Method.id)
    ).all()


def find_mismatch(method: Method, competitions: Iterable[str]) -> Sentence | None:
    """Why the method may not enter these competitions by what it says of itself; else None.

    Odd ones take methods of the given data alone; comp5 and comp6 ask what masks were learned from.
    """
    for competition in competitions:
        number = int(competition.removeprefix("comp"))
        if number % 2 and method.training is Training.OTHER:
            return say(
                "{competition} is for methods that use the given data alone, and {method} says "
                "that it uses other data: send these results as comp{even}.",
                competition=competition,
                method=method.name,
                even=number + 1,
            )
        if number in (5, 6) and method.mask_source is None:
            return say(
                "{competition} asks whether segmentations or boxes were used: say so in the "
                "method {method}, then check the same upload again.",
                competition=competition,
                method=method.name,
            )
    return None


def _clean(fields: MethodFields) -> dict[str, str]:
    values = {"name": clean_line(fields.name, "name", 100)}
    values["reference"] = clean_line(fields.reference, "reference", MOST_LINE, may_be_empty=True)
    for name in _TEXTS:
        text = getattr(fields, name).replace("\r\n", "\n").strip()
        if len(text) > MOST_TEXT or "\0" in text:
            refuse(name, say("expected at most {most} characters of text", most=MOST_TEXT))
        values[name] = text
    if fields.training is Training.OTHER and not values["training_data"]:
        refuse("training_data", say("expected which other data the method uses"))
    return values


def _refuse_taken(session: Session, team_id: int, name: str, except_id: int = 0) -> None:
    taken = select(Method.id).where(
        Method.team_id == team_id, Method.name == name, Method.id != except_id
    )
    if session.scalar(taken) is not None:
        raise InvalidError(say("You have a method {name} already.", name=name), field="name")


def _is_confirmed(session: Session, method_id: int) -> bool:
    sent = select(Submission.id).where(
        Submission.method_id == method_id, Submission.confirmed_at.is_not(None)
    )
    return session.scalar(sent.limit(1)) is not None
