"""What people answered about images before boxes were drawn: whether they show a class or group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, or_, select
from sqlalchemy.orm import Session

from catalog.hierarchy import ROOT, Node
from catalog.session import in_parts
from catalog.states import NodeKind, WordKind
from catalog.tables import Person, Presence, QuestionPlan
from catalog.translating import Heard, load_today, make_translators
from catalog.words import load_names

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
    meanings = _Meanings(session)
    answers = defaultdict[int, list[AnswerRow]](list)
    for some in in_parts(sorted(image_ids), 2_000):
        for row, person, is_simulated in session.execute(
            chosen.where(Presence.image_id.in_(some))
        ).tuples():
            words, says = meanings.find(row.plan_id, Heard(Node(row.kind, row.key), row.is_yes))
            answer = AnswerRow(
                words=words,
                says=says,
                is_yes=row.is_yes,
                person=person,
                is_simulated=is_simulated,
                answered_at=row.judged_at,
            )
            answers[row.image_id].append(answer)
    return {image_id: tuple(given) for image_id, given in answers.items()}


class _Meanings:
    """What answers say today, found once for each question of each plan."""

    def __init__(self, session: Session) -> None:
        plan_ids = set(session.scalars(select(QuestionPlan.id)))
        self._translators = make_translators(session, load_today(session), plan_ids)
        self._words = {plan_id: _load_words(session, plan_id) for plan_id in plan_ids}
        self._names = load_names(session)
        self._known = dict[tuple[int, Heard], tuple[str, Mapping[str, str]]]()

    def find(self, plan_id: int, heard: Heard) -> tuple[str, Mapping[str, str]]:
        """The words of the question, and the nodes of today that the answer is about by name."""
        key = (plan_id, heard)
        if key not in self._known:
            today = self._translators[plan_id].translate(heard)
            says = {said.node.word: self._name(said.node) for said in today}
            self._known[key] = self._words[plan_id].get(heard.node.word, ANY), says
        return self._known[key]

    def _name(self, node: Node) -> str:
        return "" if node == ROOT else self._names[WordKind(node.kind)].get(node.key, node.key)


def _load_words(session: Session, plan_id: int) -> dict[str, str]:
    """The words of each question of a plan."""
    body = session.get_one(QuestionPlan, plan_id).body
    kinds = ((NodeKind.CLASS, body["classes"]), (NodeKind.GROUP, body["groups"]))
    return {Node(kind, item["key"]).word: item["words"] for kind, items in kinds for item in items}
