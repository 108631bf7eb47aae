"""Whether each value in SQLite is of its column's type: SQLite keeps whatever bytes it finds.

A value that damage changed stops every command that reads its row, so this check comes before the
others, which read such rows too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import JSON, Column, LargeBinary, Table, literal_column, select, type_coerce
from sqlalchemy.orm import Session
from sqlalchemy.types import NullType, TypeDecorator

from catalog.tables import Base
from vockit.report.comparison import Compared, Outcome, compare

_DIGEST = re.compile(r"[0-9a-f]{64}")
_LONGEST = 60
_IN_BATCHES = {"yield_per": 1_000}

IsReadable = Callable[[Any], bool]


def compare_values(session: Session) -> Compared:
    """The columns that hold text or numbers, each with the first row whose value is unreadable."""
    outcomes: list[tuple[str, Outcome]] = []
    with _taking_any_text(session):
        for table in Base.metadata.sorted_tables:
            for name, fault in _read_columns(session, table).items():
                outcomes.append((f"{table.name}.{name}{fault}", not fault))
    return compare("column", outcomes, is_right="readable in every row", is_wrong="not")


@contextmanager
def _taking_any_text(session: Session) -> Iterator[None]:
    """Read text whose bytes are no UTF-8, too; SQLite's module would end the query there."""
    connection: Any = session.connection().connection.dbapi_connection
    connection.text_factory = lambda data: data.decode(errors="surrogateescape")
    try:
        yield
    finally:
        connection.text_factory = str


def _read_columns(session: Session, table: Table) -> dict[str, str]:
    """The columns with a value, each with where and what its first unreadable one is, or ""."""
    tests = dict(_list_tests(session, table))
    raw = [type_coerce(table.c[name], NullType()) for name in tests]
    statement = select(literal_column("rowid"), *raw).select_from(table)
    faults: dict[str, str] = {}
    for row_id, *values in session.execute(statement, execution_options=_IN_BATCHES):
        for (name, is_readable), value in zip(tests.items(), values, strict=True):
            if value is None or faults.setdefault(name, ""):
                continue
            if not is_readable(value):
                faults[name] = f" of row {row_id}: {value!r:.{_LONGEST}}"
    return faults


def _list_tests(session: Session, table: Table) -> Iterator[tuple[str, IsReadable]]:
    """The columns that hold text or numbers, each with what tells a readable value."""
    for column in table.c:
        if not isinstance(column.type, LargeBinary):
            yield column.name, _make_test(session, column)


def _make_test(session: Session, column: Column[Any]) -> IsReadable:
    dialect = session.get_bind().dialect
    read = column.type.dialect_impl(dialect).result_processor(dialect, None)
    wanted = _find_python_type(column)
    is_digest = column.name.endswith("sha256")

    def is_readable(value: Any) -> bool:
        try:
            if isinstance(value, str):
                value.encode()  # ValueError where its bytes are no UTF-8
            typed: Any = value if read is None else read(value)
        except (ValueError, LookupError, TypeError):
            return False
        return isinstance(typed, wanted) and not (is_digest and not _DIGEST.fullmatch(typed))

    return is_readable


def _find_python_type(column: Column[Any]) -> type[Any]:
    """What a value of the column is in Python; anything where it is JSON."""
    if isinstance(column.type, JSON):
        return object
    kind = column.type
    return (kind.impl_instance if isinstance(kind, TypeDecorator) else kind).python_type
