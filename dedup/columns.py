"""Tables as frozen dataclasses of numpy arrays with one row each thing; a field may be a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
Picked = NDArray[np.integer[Any]] | NDArray[np.bool_] | slice


def take_rows(table: T, rows: Picked) -> T:
    """The table of these rows, in their order."""
    if not is_dataclass(table):
        return cast(T, cast(Any, table)[rows])
    columns = (take_rows(getattr(table, it.name), rows) for it in fields(table))
    return cast(T, cast(Any, type(table))(*columns))


def stack_rows(tables: Sequence[T]) -> T:
    """The rows of all tables, one after the other."""
    first = tables[0]
    if not is_dataclass(first):
        return cast(T, np.concatenate(cast(Any, tables)))
    columns = (stack_rows([getattr(table, it.name) for table in tables]) for it in fields(first))
    return cast(T, cast(Any, type(first))(*columns))
