"""What people answered about images before boxes were drawn: whether they show a class or group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, or_, select
from sqlalchemy.orm import Session

from catalog.hierarchy import ROOT, Node
from catalog.session import in_parts
from catalog.settled import read_hierarchy
from catalog.states import NodeKind, WordKind
from catalog.tables import Person, Presence, QuestionPlan
from catalog.translating import Heard, Translator, make_translators
from catalog.words import NamesOfKinds, load_names

ANY = "any object of the classes"


class AnswerRow(NamedTuple):
    """One person's answer, who gave it and when.

    `words` are those of the question. `says` has the nodes of today that it answers, with their
    names: its own, or others where classes or groups changed since, or none.
    """

    words: str
    says: Mapping[str, str]
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
    rows = [
        row
        for some in in_parts(sorted(image_ids), 2_000)
        for row in session.execute(chosen.where(Presence.image_id.in_(some))).tuples()
    ]
    plan_ids = {row.plan_id for row, _, _ in rows}
    translators = make_today(session, plan_ids)
    names = load_names(session)
    words = {plan_id: _load_words(session, plan_id) for plan_id in plan_ids}
    answers = defaultdict[int, list[AnswerRow]](list)
    for row, person, is_simulated in rows:
        asked = Heard(Node(row.kind, row.key), row.is_yes)
        said = [heard.node for heard in translators[row.plan_id].translate(asked)]
        answer = AnswerRow(
            words=words[row.plan_id].get(asked.node.word, ANY),
            says={node.word: _name(names, node) for node in said},
            is_yes=row.is_yes,
            person=person,
            is_simulated=is_simulated,
            answered_at=row.judged_at,
        )
        answers[row.image_id].append(answer)
    return {image_id: tuple(given) for image_id, given in answers.items()}


def make_today(session: Session, plan_ids: Collection[int]) -> dict[int, Translator]:
    """For each plan the Translator of its answers into the newest plan's classes and groups."""
    newest = select(QuestionPlan.body).order_by(QuestionPlan.id.desc()).limit(1)
    body = session.scalar(newest)
    return make_translators(session, read_hierarchy(body), plan_ids) if body else {}


def _name(names: NamesOfKinds, node: Node) -> str:
    return "" if node == ROOT else names[WordKind(node.kind)].get(node.key, node.key)


def _load_words(session: Session, plan_id: int) -> dict[str, str]:
    """The words of each question of a plan."""
    body = session.get_one(QuestionPlan, plan_id).body
    kinds = ((NodeKind.CLASS, body["classes"]), (NodeKind.GROUP, body["groups"]))
    return {Node(kind, item["key"]).word: item["words"] for kind, items in kinds for item in items}
