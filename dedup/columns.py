"""Tables as frozen dataclasses of numpy arrays with one row each thing, and picking of their rows.

A field may itself be such a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
Picked = NDArray[np.integer[Any]] | NDArray[np.bool_] | slice


def take_rows(table: T, rows: Picked) -> T:
    """The table of these rows, in their order."""
    taken: T = _take(table, rows)
    return taken


def stack_rows(tables: Sequence[T]) -> T:
    """The rows of all tables, one after the other."""
    stacked: T = _stack(tables)
    return stacked


def _take(table: Any, rows: Picked) -> Any:
    if not is_dataclass(table):
        return table[rows]
    return _build(table, [_take(getattr(table, it.name), rows) for it in fields(table)])


def _stack(tables: Sequence[Any]) -> Any:
    first = tables[0]
    if not is_dataclass(first):
        return np.concatenate(tables)
    columns = [_stack([getattr(table, it.name) for table in tables]) for it in fields(first)]
    return _build(first, columns)


def _build(like: Any, columns: Sequence[Any]) -> Any:
    return type(like)(*columns)
