"""What people answered about images before boxes were drawn: whether they show a class or group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, or_, select
from sqlalchemy.orm import Session

from catalog.hierarchy import ROOT, Node
from catalog.session import in_parts
from catalog.states import NodeKind, WordKind
from catalog.tables import Person, Presence, QuestionPlan
from catalog.words import load_moved, load_names, load_parents

ANY = "any object of the classes"


class AnswerRow(NamedTuple):
    """One person's answer: `asked` and its words then, its node and name today, who, and when."""

    asked: str
    node: str
    name: str
    words: str
    is_yes: bool
    person: str
    is_simulated: bool
    answered_at: datetime


def load_answers(
    session: Session, image_ids: Iterable[int], known_at: datetime | None = None
) -> dict[int, tuple[AnswerRow, ...]]:
    """The answers that stand, or did at a moment, by image; those on gold images are left out."""
    stands: ColumnElement[bool] = Presence.set_aside_at.is_(None)
    if known_at is not None:
        stands = or_(stands, Presence.set_aside_at > known_at)
        stands = and_(stands, Presence.judged_at <= known_at)
    chosen = (
        select(Presence, Person.name, Person.is_simulated)
        .join(Person, Person.id == Presence.person_id)
        .where(stands, Presence.known.is_(None))
        .order_by(Presence.id)
    )
    names = load_names(session)
    merged = _load_merged(session)
    words = dict[int, dict[str, str]]()
    answers = defaultdict[int, list[AnswerRow]](list)
    for some in in_parts(sorted(image_ids), 2_000):
        for row, person, is_simulated in session.execute(
            chosen.where(Presence.image_id.in_(some))
        ).tuples():
            key = merged.get(row.key, row.key) if row.kind is NodeKind.CLASS else row.key
            node = Node(row.kind, key if row.is_yes else row.key)
            asked = Node(row.kind, row.key).word
            if row.plan_id not in words:
                words[row.plan_id] = _load_words(session, row.plan_id)
            kind = None if node == ROOT else WordKind(row.kind)
            answer = AnswerRow(
                asked=asked,
                node=node.word,
                name=names[kind].get(node.key, node.key) if kind else "",
                words=words[row.plan_id].get(asked, ANY),
                is_yes=row.is_yes,
                person=person,
                is_simulated=is_simulated,
                answered_at=row.judged_at,
            )
            answers[row.image_id].append(answer)
    return {image_id: tuple(rows) for image_id, rows in answers.items()}


def _load_merged(session: Session) -> dict[str, str]:
    """The class that each merged one became, by ids: who saw the one saw the other.

    Who saw a class that was split said nothing of its parts.
    """
    wholes = set(load_parents(session).values())
    moved = load_moved(session)[WordKind.CLASS]
    return {key: today for key, today in moved.items() if key not in wholes}


def _load_words(session: Session, plan_id: int) -> dict[str, str]:
    """The words of each question of a plan."""
    body = session.get_one(QuestionPlan, plan_id).body
    kinds = ((NodeKind.CLASS, body["classes"]), (NodeKind.GROUP, body["groups"]))
    return {Node(kind, item["key"]).word: item["words"] for kind, items in kinds for item in items}
