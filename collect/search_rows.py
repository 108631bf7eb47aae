"""Rows of the table `search`: one for each call, as it was answered."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import insert
from sqlalchemy.orm import Session

from catalog.tables import Search, as_table

from .looks import Look

_INSERT = insert(as_table(Search))


def insert_searches(
    session: Session, query_id: int, dates: str, looks: Sequence[Look], searched_at: datetime
) -> None:
    """Keep what one draw's calls asked for and what they showed."""
    rows = [
        {
            "query_id": query_id,
            "dates": dates,
            "licence_ids": ",".join(look.licence_ids),
            "window_start_at": look.window.start if look.window else None,
            "window_end_at": look.window.end if look.window else None,
            "page": look.page,
            "matches": look.total,
            "returned": look.returned,
            "fresh": len(look.fresh),
            "searched_at": searched_at,
        }
        for look in looks
    ]
    if rows:
        session.connection().execute(_INSERT, rows)
