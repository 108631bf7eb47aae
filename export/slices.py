"""Ids in portions that an IN list takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

MOST_VALUES = 500


def slices(ids: Iterable[int]) -> Iterator[Sequence[int]]:
    """The ids in ascending order, at most MOST_VALUES at a time."""
    ordered = sorted(ids)
    return (ordered[at : at + MOST_VALUES] for at in range(0, len(ordered), MOST_VALUES))
