"""Owners who asked to be left out: none of their photographs is found or imported again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.tables import BlockedOwner

from .inserts import fill_up, insert_new


def block_owners(session: Session, owner_ids: Iterable[str], *, reason: str, at: datetime) -> int:
    """How many owners are blocked from now on that were not before; the first reason stays."""
    rows = [
        {"owner_id": owner_id, "reason": reason, "blocked_at": at}
        for owner_id in sorted(set(owner_ids))
    ]
    return insert_new(session, BlockedOwner, rows, ("owner_id",))


def load_blocks(session: Session, owner_ids: Iterable[str]) -> dict[str, str]:
    """Those of the owners that are blocked, each with the reason."""
    rows = session.execute(
        select(BlockedOwner.owner_id, BlockedOwner.reason).where(
            BlockedOwner.owner_id.in_(fill_up(set(owner_ids)))
        )
    )
    return dict(rows.tuples().all())


def load_all_blocks(session: Session) -> list[BlockedOwner]:
    """Every blocked owner, by id."""
    return list(session.scalars(select(BlockedOwner).order_by(BlockedOwner.owner_id)))
