"""Asking for rows by many values at once, with one statement whatever their number.

A list of values with a parameter each is another statement for each length: each takes its time to
be made and its memory to be kept ready. Here the list is one parameter: JSON for SQLite, an array
for PostgreSQL.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TypeVar

from sqlalchemy import ARRAY, Column, ColumnElement, any_, bindparam, func, select
from sqlalchemy.orm import Session

T = TypeVar("T", int, str)


def dialect_of(session: Session) -> str:
    """The name of the database's dialect, which chooses between statements."""
    return session.get_bind().dialect.name


def is_among(dialect: str, column: Column[T], name: str) -> ColumnElement[bool]:
    """The condition that a column holds one of the values of the parameter `name`."""
    if dialect == "sqlite":
        listed = func.json_each(bindparam(name)).table_valued("value")
        return column.in_(select(listed.c.value))
    return column == any_(bindparam(name, type_=ARRAY(column.type)))


def pack(dialect: str, values: Iterable[T]) -> object:
    """The values, each once and ascending, as the parameter of `is_among`."""
    found = sorted(set(values))
    return json.dumps(found) if dialect == "sqlite" else found
