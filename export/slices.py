"""Ids in portions that an IN list takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement

MOST_VALUES = 2_000
MOST_OTHERS = 3
"""An interval holds at most so many numbers for each id wanted."""


def slices(ids: Iterable[int]) -> Iterator[Sequence[int]]:
    """The ids in ascending order, at most MOST_VALUES at a time."""
    ordered = sorted(ids)
    return (ordered[at : at + MOST_VALUES] for at in range(0, len(ordered), MOST_VALUES))


def within(column: Any, some_ids: Sequence[int]) -> ColumnElement[bool]:
    """Whether the column is one of the ascending ids; or lies between them, where they are dense.

    Rows of other ids may then be among those found; a database finds them faster than a list.
    """
    first, last = some_ids[0], some_ids[-1]
    if last - first < MOST_OTHERS * len(some_ids):
        between: ColumnElement[bool] = column.between(first, last)
        return between
    listed: ColumnElement[bool] = column.in_(some_ids)
    return listed
