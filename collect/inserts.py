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
    return len(insert_new_ids(session, table, rows, unique))


def insert_new_ids(
    session: Session,
    table: type[Base],
    rows: Sequence[Mapping[str, Any]],
    unique: Sequence[str],
) -> list[Any]:
    """The primary keys of the rows that were new."""
    if not rows:
        return []
    make = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    (key,) = table.__table__.primary_key
    statement = make(table).on_conflict_do_nothing(index_elements=unique).returning(key)
    # Rows as parameters, so that the statement is compiled once.
    return list(session.scalars(statement, [dict(row) for row in rows]))
