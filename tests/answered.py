"""Answers whether images show classes, as rows with the state that follows from them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from catalog.hierarchy import Node
from catalog.party import Party
from catalog.tables import Presence
from work.presence.plans import get_plan
from work.presence.states import refresh_states


def answer(
    session: Session,
    party: Party,
    image_id: int,
    node: Node,
    *,
    is_yes: bool,
    person_id: int,
    at: datetime,
    set_aside_at: datetime | None = None,
) -> None:
    """One person's answer about a class, a group or any object."""
    plan = get_plan(session, party, at)
    session.add(
        Presence(
            image_id=image_id,
            plan_id=plan.id,
            kind=node.kind,
            key=node.key,
            is_yes=is_yes,
            person_id=person_id,
            judged_at=at,
            set_aside_at=set_aside_at,
        )
    )
    session.flush()
    refresh_states(session, plan, [image_id])
