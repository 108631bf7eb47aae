"""Many rows into one table: what SQLAlchemy does for each row and column is done once for all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table, insert

from catalog.tables import Base

Convert = Callable[[Any], Any]


def as_table(entity: type[Base]) -> Table:
    """The table of a mapped class."""
    found = entity.__table__
    assert isinstance(found, Table)
    return found


def bulk_insert(
    connection: Connection,
    table: Table,
    shared: Mapping[str, Any],
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
) -> None:
    """Insert rows, each of them values in the order of the columns.

    `shared` are the values that are the same in all of them; what neither names gets its default.
    Values are converted as their columns' types ask. Raises what inserting raises.
    """
    same = _find_defaults(table, {*shared, *columns}) | dict(shared)
    names = [*columns, *same]
    converts = [_find_convert(connection, table, name) for name in names]
    tail = [
        convert(value) if convert else value
        for value, convert in zip(same.values(), converts[len(columns) :], strict=True)
    ]
    own = [(place, convert) for place, convert in enumerate(converts[: len(columns)]) if convert]
    found = [[*_convert(row, own), *tail] for row in rows]
    if found:
        _execute(connection, table, names, found)


def _execute(
    connection: Connection, table: Table, names: Sequence[str], rows: Sequence[Sequence[Any]]
) -> None:
    statement = insert(table).compile(dialect=connection.dialect, column_keys=list(names))
    order = statement.positiontup
    if order is None:  # the driver wants names
        given: list[Any] = [dict(zip(names, row, strict=True)) for row in rows]
    elif list(order) == list(names):
        given = [tuple(row) for row in rows]
    else:
        places = [names.index(name) for name in order]
        given = [tuple([row[place] for place in places]) for row in rows]
    connection.exec_driver_sql(str(statement), given)


def _find_defaults(table: Table, given: set[str]) -> dict[str, Any]:
    """What columns have that nobody gives; one value for all rows."""
    found = {}
    for column in table.c:
        default: Any = column.default
        if column.name not in given and default is not None:
            found[column.name] = default.arg(None) if default.is_callable else default.arg
    return found


def _find_convert(connection: Connection, table: Table, name: str) -> Convert | None:
    """What the column's type makes of a value for this database, remembered for equal ones."""
    kind = table.c[name].type.dialect_impl(connection.dialect)
    convert: Convert | None = kind.bind_processor(connection.dialect)
    if convert is None:
        return None
    known: dict[Any, Any] = {}

    def remember(value: Any) -> Any:
        try:
            return known[value]
        except KeyError:
            return known.setdefault(value, convert(value))
        except TypeError:  # a list or a mapping
            return convert(value)

    return remember


def _convert(row: Sequence[Any], own: Sequence[tuple[int, Convert]]) -> Sequence[Any]:
    values = list(row)
    for place, convert in own:
        values[place] = convert(values[place])
    return values
