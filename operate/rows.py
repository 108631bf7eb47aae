"""All rows of a catalogue, copied into another one and compared, on SQLite and PostgreSQL."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sqlalchemy import (
    JSON,
    ColumnElement,
    MetaData,
    Table,
    TableClause,
    Text,
    bindparam,
    cast,
    column,
    delete,
    func,
    insert,
    select,
    table,
    text,
    tuple_,
    update,
)
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.orm import Session
from sqlalchemy.types import UserDefinedType

from catalog.errors import CatalogueError
from catalog.session import Catalogue
from catalog.tables import Base

_IN_BATCHES = {"yield_per": 1_000}
_GIVEN = {
    "sqlite": "SELECT name, seq FROM sqlite_sequence",
    "postgresql": "SELECT left(sequencename, -length('_id_seq')), last_value FROM pg_sequences "
    "WHERE schemaname = current_schema() AND last_value IS NOT NULL",
}
"""The last number that was given to a row of each table, also to one that is gone."""

LEAST_SKIPPED = 1_000_000
"""More rows than a party writes between two backups; numbers end at 2,147,483,647."""

Advance = Callable[[int], object]


class _JsonText(UserDefinedType[str]):
    """A JSON column by its text, so that NULL, null and the order of keys stay."""

    cache_ok = True

    def column_expression(self, colexpr: ColumnElement[Any]) -> ColumnElement[Any]:
        return cast(colexpr, Text)


def count_rows(session: Session, metadata: MetaData = Base.metadata) -> int:
    """How many rows all tables have."""
    counts = (select(func.count()).select_from(table_) for table_ in metadata.sorted_tables)
    return sum(session.scalar(count) or 0 for count in counts)


def copy_rows(
    source: Session,
    target: Catalogue,
    advance: Advance = lambda _count: None,
    metadata: MetaData = Base.metadata,
) -> None:
    """Replace the target's rows by the source's, in one transaction; raises CatalogueError.

    The tables are those of a party, or of the `metadata`.
    """
    tables = metadata.sorted_tables
    later = {table_: _later_columns(table_, tables[:place]) for place, table_ in enumerate(tables)}
    with target.writing() as session:
        for table_, names in later.items():
            if names:
                session.execute(update(table_).values(dict.fromkeys(names)))
        for table_ in reversed(tables):
            session.execute(delete(table_))
        for table_, names in later.items():
            _copy_table(source, session, table_, names, advance)
        for table_, names in later.items():
            for name in names:
                _copy_later_column(source, session, table_, name)
        for name, number in _last_numbers(source, tables).items():
            _set_last_number(session, metadata.tables[name], number)


def skip_numbers(session: Session) -> None:
    """Let new rows have numbers that no row had since a backup of these rows was made.

    Pages and journals still name rows that came after the backup. A number of theirs then names no
    row, instead of another one. The distance is random, so that two restores of one backup differ.
    """
    distance = LEAST_SKIPPED + secrets.randbelow(9 * LEAST_SKIPPED)
    for name, number in _last_numbers(session, Base.metadata.sorted_tables).items():
        if Base.metadata.tables[name].dialect_options["sqlite"]["autoincrement"]:
            _set_last_number(session, Base.metadata.tables[name], number + distance)


def compare_rows(source: Session, target: Catalogue, metadata: MetaData = Base.metadata) -> int:
    """How many rows both have; raises CatalogueError where a row of one is not in the other."""
    with target.reading() as other:
        for table_ in metadata.sorted_tables:
            plain = _plain(table_)
            keys = [plain.c[column_.name] for column_ in table_.primary_key]
            statement = select(*keys, *plain.c)
            for batch in source.execute(statement, execution_options=_IN_BATCHES).partitions():
                wanted = tuple_(*keys).in_([row[: len(keys)] for row in batch])
                if {*batch} != {*other.execute(statement.where(wanted))}:
                    raise CatalogueError(f"Rows of {table_.name} differ from the copy of them.")
        count = count_rows(source, metadata)
        if count_rows(other, metadata) != count:
            raise CatalogueError("The copy has more rows than the catalogue.")
    return count


def _later_columns(table_: Table, earlier: Iterable[Table]) -> tuple[str, ...]:
    """Columns that refer to rows of tables which are copied later; they are set at the end."""
    known = {*earlier, table_}
    keys = (key for key in table_.foreign_keys if key.column.table not in known)
    return tuple(sorted(key.parent.name for key in keys))


def _plain(table_: Table) -> TableClause:
    types = [
        (column_.name, _JsonText() if isinstance(column_.type, JSON) else column_.type)
        for column_ in table_.c
    ]
    return table(table_.name, *(column(name, type_) for name, type_ in types))


def _copy_table(
    source: Session, target: Session, table_: Table, later: tuple[str, ...], advance: Advance
) -> None:
    plain = _plain(table_)
    keys = [plain.c[column_.name] for column_ in table_.primary_key]
    rows = select(*(column_ for column_ in plain.c if column_.name not in later)).order_by(*keys)
    result = source.execute(rows, execution_options=_IN_BATCHES).mappings()
    for batch in result.partitions():
        _execute(target, table_, insert(plain), [dict(row) for row in batch])
        advance(len(batch))


def _copy_later_column(source: Session, target: Session, table_: Table, name: str) -> None:
    plain = _plain(table_)
    (key,) = [plain.c[column_.name] for column_ in table_.primary_key]
    value = plain.c[name]
    result = source.execute(
        select(key.label("row_key"), value.label("row_value")).where(value.is_not(None))
    )
    if rows := [dict(row) for row in result.mappings()]:
        changed = update(plain).where(key == bindparam("row_key"))
        _execute(target, table_, changed.values({name: bindparam("row_value")}), rows)


def _execute(target: Session, table_: Table, statement: Any, rows: list[dict[str, Any]]) -> None:
    try:
        target.connection().execute(statement, rows)
    except OperationalError:
        raise  # the database is gone or full, which the command tells
    except DBAPIError as error:
        reason = str(error.orig).strip().partition("\n")[0]
        raise CatalogueError(
            f"The new catalogue refused rows of {table_.name}: {reason}. The old one is unchanged."
        ) from error


def _last_numbers(source: Session, tables: Iterable[Table]) -> Mapping[str, int]:
    """The last number that each table gave a row, so that no number is given twice."""
    keys = ((table_.name, table_.autoincrement_column) for table_ in tables)
    largest = {
        name: source.scalar(select(func.max(key))) or 0 for name, key in keys if key is not None
    }
    given = dict(source.execute(text(_GIVEN[source.get_bind().dialect.name])).tuples().all())
    return {name: max(number, given.get(name, 0)) for name, number in largest.items()}


def _set_last_number(session: Session, table_: Table, number: int) -> None:
    name = table_.name
    if session.get_bind().dialect.name == "postgresql":
        statement = "SELECT setval(pg_get_serial_sequence(:name, 'id'), :number, :is_called)"
        values = {"name": f'"{name}"', "number": max(number, 1), "is_called": number > 0}
        session.execute(text(statement), values)
    elif table_.dialect_options["sqlite"]["autoincrement"]:
        session.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), {"name": name})
        statement = "INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :number)"
        session.execute(text(statement), {"name": name, "number": number})
