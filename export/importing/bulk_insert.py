"""Many rows into one table: what SQLAlchemy does for each row and column is done once for all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Connection, Table, bindparam, insert

Convert = Callable[[Any], Any]

MOST_VALUES = 999
"""Of one statement: what every SQLite takes."""


def any_of(values: Collection[Any]) -> BindParameter[Any]:
    """A list for IN, of which SQLAlchemy looks at each value only once."""
    return bindparam(None, list(values), expanding=True)


def is_any_of(column: ColumnElement[int], ascending: Sequence[int]) -> ColumnElement[bool]:
    """Whether the column has one of the numbers; those without a gap need no list."""
    if ascending and ascending[-1] - ascending[0] == len(ascending) - 1:
        return column.between(ascending[0], ascending[-1])
    return column.in_(any_of(ascending))


def bulk_insert(
    connection: Connection,
    table: Table,
    shared: Mapping[str, Any],
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
) -> None:
    """As `insert_columns`, of rows that are values in the order of the columns."""
    if found := list(rows):
        values = zip(*found, strict=True)
        insert_columns(connection, table, shared, dict(zip(columns, values, strict=True)))


def insert_columns(
    connection: Connection,
    table: Table,
    shared: Mapping[str, Any],
    columns: Mapping[str, Sequence[Any]],
) -> None:
    """Insert rows, of which each column gives the values.

    `shared` are the values that are the same in all of them; what neither names gets its default.
    Values are converted as their columns' types ask. Raises what inserting raises.
    """
    if not all(columns.values()):
        return
    alike = {name: it[0] for name, it in list(columns.items())[1:] if it.count(it[0]) == len(it)}
    same = _find_defaults(table, {*shared, *columns}) | dict(shared) | alike
    columns = {name: given for name, given in columns.items() if name not in alike}
    values = [_convert(connection, table, name, given) for name, given in columns.items()]
    constants = [_convert(connection, table, name, [value])[0] for name, value in same.items()]
    if connection.dialect.positional:
        quote = connection.dialect.identifier_preparer.format_column
        names = [quote(table.c[name]) for name in (*same, *columns)]
        _insert_together(connection, table, names, constants, list(zip(*values, strict=True)))
        return
    statement = insert(table).compile(dialect=connection.dialect, column_keys=[*columns, *same])
    named = dict(zip([*columns, *same], [*values, *map(repeat, constants)], strict=True))
    rows = zip(*named.values(), strict=False)  # what is shared has no end
    connection.exec_driver_sql(str(statement), [dict(zip(named, row, strict=True)) for row in rows])


def _insert_together(
    connection: Connection,
    table: Table,
    names: Sequence[str],
    constants: Sequence[Any],
    rows: Sequence[Sequence[Any]],
) -> None:
    """Many rows by one statement, in which each value that all of them share stands once.

    SQLite makes the lists of its checks anew for each statement, which takes it as long as the
    row's indices.
    """
    at_once = max(1, (MOST_VALUES - len(constants)) // len(rows[0]))
    whole = len(rows) - len(rows) % at_once
    for start, end, count in ((0, whole, at_once), (whole, len(rows), len(rows) - whole)):
        if start < end:
            given = [
                (*constants, *chain.from_iterable(rows[place : place + count]))
                for place in range(start, end, count)
            ]
            connection.exec_driver_sql(_format(table, names, len(constants), count), given)


def _format(table: Table, names: Sequence[str], constants: int, rows: int) -> str:
    """The statement: constants are its first values, each other mark is the one after the last."""
    marks = [*(f"?{number}" for number in range(1, constants + 1))]
    marks += ["?"] * (len(names) - constants)
    values = ", ".join([f"({', '.join(marks)})"] * rows)
    return f"INSERT INTO {table.name} ({', '.join(names)}) VALUES {values}"  # noqa: S608  ours


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
