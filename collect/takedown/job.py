"""The job of `vocparty takedown`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from catalog.party import Party
from collect.blocks import block_owners, load_blocks
from collect.caps import lock_caps
from collect.worth import refresh_query_worth

from .erase import erase_files
from .targets import find_photo_ids
from .withdraw import TakedownPlan, plan_takedown, take_down

REASON = "takedown"
"""The word that a reason starts with, so that reports can count by it."""


@dataclass(frozen=True)
class TakedownOrder:
    """Which photos, whose, why, and whether the files go too."""

    photos: tuple[str, ...]
    owners: tuple[str, ...]
    reason: str
    erase: bool = False

    @property
    def owner_ids(self) -> tuple[str, ...]:
        """The owners, as their ids are written."""
        return tuple(owner.strip() for owner in self.owners)


def plan_order(party: Party, order: TakedownOrder) -> TakedownPlan:
    """What the order would do now; nothing is changed. Raises TakedownError."""
    with party.catalogue.reading() as session:
        plan = plan_takedown(session, find_photo_ids(session, order.photos, order.owner_ids))
        blocked = load_blocks(session, order.owner_ids)
    return replace(plan, owners_blocked=_without(order.owner_ids, blocked))


def run_order(
    party: Party,
    order: TakedownOrder,
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> TakedownPlan:
    """What was withdrawn, all of it in one transaction. Raises TakedownError, and then nothing.

    Files are deleted after that; ImageStoreError says that some are left, for the same call again.
    """
    reason, at = f"{REASON}: {order.reason}", now()
    with party.catalogue.writing() as session:
        if order.owners:
            lock_caps(session)  # no draw goes on that has not seen the block
        photo_ids = find_photo_ids(session, order.photos, order.owner_ids)
        blocked = load_blocks(session, order.owner_ids)
        block_owners(session, order.owner_ids, reason=reason, at=at)
        plan = take_down(session, photo_ids, reason=reason, at=at)
    with party.catalogue.writing() as session:
        refresh_query_worth(session)
    erased = erase_files(party, photo_ids, at=now()) if order.erase else ()
    return replace(plan, owners_blocked=_without(order.owner_ids, blocked), images_erased=erased)


def _without(owner_ids: tuple[str, ...], blocked: dict[str, str]) -> tuple[str, ...]:
    return tuple(sorted(set(owner_ids) - set(blocked)))
