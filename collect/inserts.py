"""Inserting rows once, whoever else inserts them at the same time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from catalog.tables import Base


def insert_new(
    session: Session,
    table: type[Base],
    rows: Sequence[Mapping[str, Any]],
    unique: Sequence[str],
) -> int:
    """How many of the rows were new; those whose unique columns exist already are left alone.

    Give rows in the order of their unique columns: two transactions that insert the same rows then
    wait for each other, not both ways.
    """
    if not rows:
        return 0
    make = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    statement = make(table).values(list(rows)).on_conflict_do_nothing(index_elements=unique)
    returned = session.execute(statement.returning(*table.__table__.primary_key))
    return len(returned.all())
