"""Many rows into one table: what SQLAlchemy does for each row and column is done once for all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any

from sqlalchemy import BindParameter, Connection, Table, bindparam, insert

Convert = Callable[[Any], Any]


def any_of(values: Collection[Any]) -> BindParameter[Any]:
    """A list for IN, of which SQLAlchemy looks at each value only once."""
    return bindparam(None, list(values), expanding=True)


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
    found = list(rows)
    if not found:
        return
    values = [
        _convert(connection, table, name, given)
        for name, given in zip(columns, zip(*found, strict=True), strict=True)
    ]
    shared_values = [
        repeat(*_convert(connection, table, name, [value])) for name, value in same.items()
    ]
    names = [*columns, *same]
    statement = insert(table).compile(dialect=connection.dialect, column_keys=names)
    by_name = dict(zip(names, [*values, *shared_values], strict=True))
    order = statement.positiontup
    if order is None:  # the driver wants names
        rows_of_values = zip(*by_name.values(), strict=False)  # what is shared has no end
        connection.exec_driver_sql(
            str(statement), [dict(zip(names, row, strict=True)) for row in rows_of_values]
        )
    else:
        given_rows = list(zip(*[by_name[name] for name in order], strict=False))
        connection.exec_driver_sql(str(statement), given_rows)


def _convert(
    connection: Connection, table: Table, name: str, values: Sequence[Any]
) -> Sequence[Any]:
    """What the column's type makes of the values for this database; of equal ones once."""
    kind = table.c[name].type.dialect_impl(connection.dialect)
    convert = kind.bind_processor(connection.dialect)
    if convert is None:
        return values
    try:
        return list(map(_Converted(convert).__getitem__, values))
    except TypeError:  # lists or mappings
        return [convert(value) for value in values]


class _Converted(dict[Any, Any]):
    """Values by what they were before."""

    def __init__(self, convert: Convert) -> None:
        super().__init__()
        self._convert = convert

    def __missing__(self, value: Any) -> Any:
        self[value] = self._convert(value)
        return self[value]


def _find_defaults(table: Table, given: set[str]) -> dict[str, Any]:
    """What columns have that nobody gives; one value for all rows."""
    found = {}
    for column in table.c:
        default: Any = column.default
        if column.name not in given and default is not None:
            found[column.name] = default.arg(None) if default.is_callable else default.arg
    return found
