"""Inserting rows once, whoever else inserts them at the same time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

from sqlalchemy import Column, Compiled, Dialect, Table
from sqlalchemy.orm import Session

from catalog.tables import Base, as_table

_ROW_BY_ROW = {"insertmanyvalues_page_size": 1}
"""A statement for each number of rows would fill SQLite's cache of statements with large ones, and
there is no journey to a server to be saved."""


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
    given = [dict(row) for row in rows]
    if session.get_bind().dialect.name == "sqlite":
        # Row by row: one statement for every number of rows would fill the cache of statements.
        count: int = _execute(session, as_table(table), given, unique).rowcount
        return count
    (key,) = as_table(table).primary_key
    return len(_execute(session, as_table(table), given, unique, (key.name,)).all())


def insert_new_keyed(
    session: Session, table: Table, rows: Sequence[Mapping[str, Any]], unique: Column[str]
) -> dict[str | None, int]:
    """The primary keys of the rows that were new, by the value of the unique column."""
    if not rows:
        return {}
    (key,) = table.primary_key
    given = [dict(row) for row in rows]
    found = _execute(session, table, given, (unique.name,), (unique.name, key.name))
    return {row[0]: row[1] for row in found}


def _execute(
    session: Session,
    table: Table,
    rows: list[dict[str, Any]],
    unique: Sequence[str],
    returned: tuple[str, ...] = (),
) -> Any:
    connection = session.connection()
    columns, is_many = tuple(rows[0]), len(rows) > 1
    compiled = _compile(connection.dialect, table, columns, tuple(unique), returned, is_many)
    return connection.execute(  # type: ignore[call-overload]
        compiled, rows, execution_options=_ROW_BY_ROW if connection.dialect.name == "sqlite" else {}
    )


@lru_cache(maxsize=64)
def _compile(
    dialect: Dialect,
    table: Table,
    columns: tuple[str, ...],
    unique: tuple[str, ...],
    returned: tuple[str, ...],
    is_many: bool,
) -> Compiled:
    """The statement as it is sent, kept here since SQLAlchemy 2.0 keeps none with ON CONFLICT.

    It would be made anew each time, which takes longer than running it.
    """
    dialects = import_module(f"sqlalchemy.dialects.{dialect.name}")  # the other takes long to load
    statement: Any = dialects.insert(table).on_conflict_do_nothing(index_elements=unique)
    if returned:
        statement = statement.returning(*(table.c[name] for name in returned))
    made: Compiled = statement.compile(
        dialect=dialect, column_keys=list(columns), for_executemany=is_many
    )
    return made
