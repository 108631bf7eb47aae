"""Answers of earlier plans that say nothing about their own question any more."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.hierarchy import Node
from catalog.tables import Presence, QuestionPlan
from catalog.translating import Heard, make_translators

from .plans import Plan


def find_silent(
    session: Session, plan: Plan, node: Node, person_id: int
) -> frozenset[tuple[int, bool]]:
    """Plan and word of a person's answers to a question that this plan has to ask them again.

    A class may have moved since: who saw an animal may have seen the dog that is no animal today.
    """
    theirs = (
        select(Presence.plan_id, Presence.is_yes)
        .join(QuestionPlan, QuestionPlan.id == Presence.plan_id)
        .where(
            Presence.person_id == person_id,
            Presence.kind == node.kind,
            Presence.key == node.key,
            Presence.set_aside_at.is_(None),
            QuestionPlan.digest != plan.digest,
        )
        .distinct()
    )
    rows = session.execute(theirs).tuples().all()
    translators = make_translators(
        session, plan.outline.hierarchy, {plan_id for plan_id, _ in rows}
    )
    return frozenset(
        (plan_id, is_yes)
        for plan_id, is_yes in rows
        if Heard(node, is_yes) not in translators[plan_id].translate(Heard(node, is_yes))
    )
