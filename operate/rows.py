"""All rows of a catalogue, copied into another one and compared, on whichever databases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    ColumnElement,
    Table,
    TableClause,
    Text,
    bindparam,
    cast,
    column,
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
from sqlalchemy.types import TypeEngine, UserDefinedType

from catalog.errors import CatalogueError
from catalog.session import Catalogue
from catalog.tables import Base

BATCH_ROWS = 1_000

Advance = Callable[[int], object]
Row = dict[str, Any]


class RowsDifferError(CatalogueError):
    """The target holds other rows than the source; they are not of an earlier copy of it."""


class _JsonText(UserDefinedType[str]):
    """A JSON column by its text, so that NULL, null and the order of keys stay."""

    cache_ok = True

    def column_expression(self, colexpr: ColumnElement[Any]) -> ColumnElement[Any]:
        return cast(colexpr, Text)


def count_rows(session: Session) -> int:
    """How many rows all tables have."""
    counts = (select(func.count()).select_from(each) for each in Base.metadata.sorted_tables)
    return sum(session.scalar(one) or 0 for one in counts)


def copy_rows(source: Session, target: Catalogue, advance: Advance = lambda _count: None) -> int:
    """How many rows the target has now: those that the source's session sees, and no other.

    Rows that an earlier copy left there are compared. Each batch is one transaction, so a stopped
    copy goes on. Raises RowsDifferError where a row differs, CatalogueError where one is refused.
    """
    tables = Base.metadata.sorted_tables
    total = 0
    for position, each in enumerate(tables):
        later = _later_columns(each, tables[:position])
        total += _copy_table(source, target, each, later, advance)
    for position, each in enumerate(tables):
        for name in _later_columns(each, tables[:position]):
            _copy_later_column(source, target, each, name)
    with target.writing() as session:
        for name, number in _last_numbers(source, tables).items():
            _set_last_number(session, name, number)
    return total


def _later_columns(each: Table, earlier: Iterable[Table]) -> tuple[str, ...]:
    """Columns that refer to rows of tables which are copied later; they are set at the end."""
    known = {*earlier, each}
    keys = (key for key in each.foreign_keys if key.column.table not in known)
    return tuple(sorted(key.parent.name for key in keys))


def _plain(each: Table) -> TableClause:
    return table(each.name, *(column(one.name, _plain_type(one)) for one in each.columns))


def _plain_type(one: Column[Any]) -> TypeEngine[Any]:
    return _JsonText() if isinstance(one.type, JSON) else one.type


def _copy_table(
    source: Session, target: Catalogue, each: Table, later: tuple[str, ...], advance: Advance
) -> int:
    plain = _plain(each)
    keys = [plain.c[one.name] for one in each.primary_key]
    columns = [one for one in plain.c if one.name not in later]
    with target.reading() as session:
        is_begun = session.execute(select(keys[0]).limit(1)).first() is not None
    count = 0
    rows = source.execute(select(*columns).order_by(*keys).execution_options(yield_per=BATCH_ROWS))
    for batch in rows.mappings().partitions():
        with target.writing() as session:
            fresh = [dict(row) for row in batch]
            if is_begun:
                fresh = _leave_out_known(session, select(*columns), keys, fresh)
            if fresh:
                _execute(session, each, insert(plain), fresh)
        count += len(batch)
        advance(len(batch))
    with target.reading() as session:
        found = session.scalar(select(func.count()).select_from(plain))
    if found != count:
        raise RowsDifferError(f"{each.name} has {found} rows in the copy, {count} were expected.")
    return count


def _leave_out_known(
    session: Session, statement: Any, keys: list[Any], rows: list[Row]
) -> list[Row]:
    """The rows that are not there yet; raises RowsDifferError where one is there otherwise."""
    names = [key.name for key in keys]
    wanted = [tuple(row[name] for name in names) for row in rows]
    there = {
        tuple(row[name] for name in names): dict(row)
        for row in session.execute(statement.where(tuple_(*keys).in_(wanted))).mappings()
    }
    for key, row in zip(wanted, rows, strict=True):
        if there.get(key, row) != row:
            told = ", ".join(map(str, key))
            raise RowsDifferError(f"{keys[0].table.name} {told} differs from the copy of it.")
    return [row for key, row in zip(wanted, rows, strict=True) if key not in there]


def _copy_later_column(source: Session, target: Catalogue, each: Table, name: str) -> None:
    plain = _plain(each)
    (key,) = [plain.c[one.name] for one in each.primary_key]
    value = plain.c[name]
    wanted = dict(source.execute(select(key, value).where(value.is_not(None))).tuples().all())
    with target.reading() as session:
        found = dict(session.execute(select(key, value).where(value.is_not(None))).tuples().all())
    if any(wanted.get(one) != it for one, it in found.items()):
        raise RowsDifferError(f"{each.name}.{name} differs from the copy of it.")
    missing = sorted(wanted.keys() - found.keys())
    statement = update(plain).where(key == bindparam("row_key"))
    statement = statement.values({name: bindparam("row_value")})
    with target.writing() as session:
        if missing:
            rows = [{"row_key": one, "row_value": wanted[one]} for one in missing]
            _execute(session, each, statement, rows)


def _execute(session: Session, each: Table, statement: Any, rows: list[Row]) -> None:
    try:
        session.connection().execute(statement, rows)
    except OperationalError:
        raise  # the database is gone or full, which the command tells
    except DBAPIError as error:
        reason = str(error.orig).strip().partition("\n")[0]
        raise CatalogueError(
            f"The new catalogue refused rows of {each.name}: {reason}. The old one is unchanged."
        ) from error


def _last_numbers(source: Session, tables: Iterable[Table]) -> Mapping[str, int]:
    """The last number that each table gave a row, so that no number is given twice."""
    numbered = [each for each in tables if each.autoincrement_column is not None]
    found: dict[str, int] = {}
    for each in numbered:
        key = each.autoincrement_column
        found[each.name] = source.scalar(select(func.max(key))) or 0
    is_sqlite = source.get_bind().dialect.name == "sqlite"
    if is_sqlite:
        given = source.execute(text("SELECT name, seq FROM sqlite_sequence")).tuples().all()
    else:
        given = [(name, _last_of_sequence(source, name)) for name in found]
    return found | {name: max(number, found[name]) for name, number in given}


def _last_of_sequence(session: Session, name: str) -> int:
    sequence = session.scalar(
        text("SELECT pg_get_serial_sequence(:name, 'id')"), {"name": _q(name)}
    )
    statement = f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {sequence}"  # noqa: S608
    return session.scalar(text(statement)) or 0


def _set_last_number(session: Session, name: str, number: int) -> None:
    if session.get_bind().dialect.name == "postgresql":
        statement = "SELECT setval(pg_get_serial_sequence(:name, 'id'), :number, :is_called)"
        given = {"name": _q(name), "number": max(number, 1), "is_called": number > 0}
        session.execute(text(statement), given)
    elif Base.metadata.tables[name].dialect_options["sqlite"]["autoincrement"]:
        session.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), {"name": name})
        statement = "INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :number)"
        session.execute(text(statement), {"name": name, "number": number})


def _q(name: str) -> str:
    return f'"{name}"'
