"""Numbers for rows that are inserted many at a time, known before the rows are there."""

from __future__ import annotations

from sqlalchemy import Integer, Table, func, select
from sqlalchemy.orm import Session


def take_ids(session: Session, table: Table, count: int) -> list[int]:
    """So many primary keys that no other row gets, ascending.

    On SQLite the session is the only one that writes until it ends; PostgreSQL counts for all.
    """
    (key,) = table.primary_key
    if session.get_bind().dialect.name == "sqlite":
        last = session.scalar(select(func.max(key))) or 0
        return list(range(last + 1, last + 1 + count))
    sequence = func.pg_get_serial_sequence(table.name, key.name)
    numbers = func.generate_series(1, count).table_valued("number")
    taken = select(func.nextval(sequence, type_=Integer)).select_from(numbers)
    return sorted(session.scalars(taken))
