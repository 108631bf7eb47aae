"""The job of `vocparty takedown`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from catalog.party import Party
from collect.worth import refresh_query_worth

from .targets import find_photo_ids
from .withdraw import TakedownPlan, plan_takedown, take_down

REASON = "takedown"
"""The word that a reason starts with, so that reports can count by it."""


@dataclass(frozen=True)
class TakedownOrder:
    """Which photos, whose, and why."""

    photos: tuple[str, ...]
    owners: tuple[str, ...]
    reason: str


def plan_order(party: Party, order: TakedownOrder) -> TakedownPlan:
    """What the order would do now; nothing is changed. Raises TakedownError."""
    with party.catalogue.reading() as session:
        return plan_takedown(session, find_photo_ids(session, order.photos, order.owners))


def run_order(
    party: Party,
    order: TakedownOrder,
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> TakedownPlan:
    """What was withdrawn, all of it in one transaction. Raises TakedownError, and then nothing."""
    with party.catalogue.writing() as session:
        photo_ids = find_photo_ids(session, order.photos, order.owners)
        plan = take_down(session, photo_ids, reason=f"{REASON}: {order.reason}", at=now())
    with party.catalogue.writing() as session:
        refresh_query_worth(session)
    return plan
