"""Owners who asked to be left out: none of their photographs is found or imported again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import cache

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from catalog.tables import BlockedOwner, as_table

from .among import dialect_of, is_among, pack
from .inserts import insert_new


def block_owners(session: Session, owner_ids: Iterable[str], *, reason: str, at: datetime) -> int:
    """How many owners are blocked from now on that were not before; the first reason stays."""
    rows = [
        {"owner_id": owner_id, "reason": reason, "blocked_at": at}
        for owner_id in sorted(set(owner_ids))
    ]
    return insert_new(session, BlockedOwner, rows, ("owner_id",))


def load_blocks(session: Session, owner_ids: Iterable[str]) -> dict[str, str]:
    """Those of the owners that are blocked, each with the reason."""
    dialect = dialect_of(session)
    given = {"owners": pack(dialect, owner_ids)}
    return dict(session.connection().execute(_select_blocks(dialect), given).tuples().all())


@cache
def _select_blocks(dialect: str) -> Select[tuple[str, str]]:
    blocked = as_table(BlockedOwner)
    is_asked = is_among(dialect, blocked.c.owner_id, "owners")
    return select(blocked.c.owner_id, blocked.c.reason).where(is_asked)


def load_all_blocks(session: Session) -> list[BlockedOwner]:
    """Every blocked owner, by id."""
    return list(session.scalars(select(BlockedOwner).order_by(BlockedOwner.owner_id)))
