"""Inserting rows once, whoever else inserts them at the same time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import Column, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from catalog.tables import Base

T = TypeVar("T", int, str)


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
    statement = _insert(session, as_table(table), unique)
    given = [dict(row) for row in rows]
    if session.get_bind().dialect.name == "sqlite":
        # Row by row: one statement for every number of rows would fill the cache of statements.
        return session.connection().execute(statement, given).rowcount
    (key,) = as_table(table).primary_key
    return len(session.connection().execute(statement.returning(key), given).all())


def insert_new_keyed(
    session: Session, table: Table, rows: Sequence[Mapping[str, Any]], unique: Column[str]
) -> dict[str | None, int]:
    """The primary keys of the rows that were new, by the value of the unique column."""
    if not rows:
        return {}
    (key,) = table.primary_key
    statement = _insert(session, table, [unique.name]).returning(unique, key)
    found = session.connection().execute(statement, [dict(row) for row in rows])
    return dict(found.tuples().all())


def as_table(table: type[Base]) -> Table:
    """The table of a mapped class: statements on it cost a fraction of those on the class."""
    found = table.__table__
    assert isinstance(found, Table)
    return found


def fill_up(values: Collection[T]) -> list[T]:
    """The values sorted and the last one repeated, so that there are a power of two of them.

    Statements with lists of a few lengths only can be kept ready by the database.
    """
    found = sorted(values)
    length = 1 << max(0, len(found) - 1).bit_length()
    return found + found[-1:] * (length - len(found))


def _insert(session: Session, table: Table, unique: Sequence[str]) -> Any:
    make = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    return make(table).on_conflict_do_nothing(index_elements=unique)
