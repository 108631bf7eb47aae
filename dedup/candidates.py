"""Which images may show the same photograph, by the hashes of their views; exact for its distances.

A view of the one image (a probe) is near a view of the other. Which kinds of views are compared is
the table `JOINS`; what comes out is verified later, so the distances are generous.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .columns import stack_rows, take_rows
from .search import Resources, stream_matches_within
from .search.stars import Stars, expand_pairs
from .signature.views import MIDDLE_CODE, Kind, codes_of

MORE_BITS_FOR_WHOLE = 2
GUESSES_PER_PAIR = 4
MOST_ROWS_OF_PAIR = 1024
CHUNK_PAIRS = 1 << 20

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class ViewTable:
    """The hashes of many images' views, a row for each view.

    `owners` number the images, ascending; `is_new` marks the views of images that were not matched
    before.
    """

    owners: Rows
    codes: NDArray[np.uint8]
    hashes: NDArray[np.uint64]
    is_new: NDArray[np.bool_]


@dataclass(frozen=True)
class Candidates:
    """Guesses about pairs of images, row by row: which view of the one is near which of the other.

    `probe` and `view` number the images; at most four guesses for each pair, the nearest first.
    """

    probe: Rows
    view: Rows
    probe_code: NDArray[np.uint8]
    view_code: NDArray[np.uint8]
    distance_bits: NDArray[np.int64]


@dataclass(frozen=True)
class Join:
    """Views of the one image that are compared with which ones of the other, by their codes.

    `is_symmetric` says that the same holds the other way round, so that half of it is enough.
    """

    probes: tuple[int, ...]
    views: tuple[int, ...]
    more_bits: int = 0
    is_symmetric: bool = False


def _list_joins() -> tuple[Join, ...]:
    entire = codes_of(Kind.WHOLE, Kind.TRIMMED)
    turned = codes_of(Kind.TURNED, Kind.TURNED_TRIMMED)
    parts, tilted = codes_of(Kind.PART), codes_of(Kind.TILTED)
    return (
        Join(entire, entire, more_bits=MORE_BITS_FOR_WHOLE, is_symmetric=True),
        Join(entire, codes_of(Kind.WINDOW) + tilted),
        Join(turned, entire, is_symmetric=True),
        *(Join((part,), (part,), is_symmetric=True) for part in parts),
        Join((MIDDLE_CODE,), tilted),
        Join(codes_of(Kind.CELL), entire),
    )


JOINS = _list_joins()


def find_candidates(
    table: ViewTable, max_distance_bits: int, resources: Resources | None = None
) -> Candidates:
    """Every two images of the table, one of them new, that some join holds near; none is missed.

    A hash that very many views share is compared through the first of them only: placeholders
    would otherwise make it quadratic.
    """
    found = [_NONE]
    for join in JOINS:
        distance_bits = max_distance_bits + join.more_bits
        for chunk in _join(table, join, distance_bits, resources or Resources()):
            found.append(chunk)
            if sum(len(it.probe) for it in found) > 2 * CHUNK_PAIRS:
                found = [_keep_nearest(stack_rows(found))]
    return _keep_nearest(stack_rows(found))


def _join(
    table: ViewTable, join: Join, distance_bits: int, resources: Resources
) -> Iterator[Candidates]:
    """The new images' probes against all views, and the old ones' against new views."""
    probes = np.flatnonzero(np.isin(table.codes, join.probes))
    views = np.flatnonzero(np.isin(table.codes, join.views))
    are_new = table.is_new[probes]
    meetings = [(probes[are_new], views)]
    if not join.is_symmetric:
        meetings.append((probes[~are_new], views[table.is_new[views]]))
    for some_probes, some_views in meetings:
        for first, second in _match(table, some_probes, some_views, distance_bits, resources):
            yield _make_candidates(table, first, second, join)


def _match(
    table: ViewTable, probes: Rows, views: Rows, distance_bits: int, resources: Resources
) -> Iterator[tuple[Rows, Rows]]:
    if not len(probes) or not len(views):
        return
    probe_repeats, view_repeats, chunks = stream_matches_within(
        table.hashes[probes], table.hashes[views], distance_bits, resources=resources
    )
    stars = probe_repeats.make_stars(), view_repeats.make_stars()
    for chunk in chunks:
        for first, second in _spell_out(chunk.first, chunk.second, *stars):
            yield probes[first], views[second]


def _spell_out(
    first: Rows, second: Rows, first_stars: Stars, second_stars: Stars
) -> Iterator[tuple[Rows, Rows]]:
    """Every row that a pair stands for; of too many only those with one of the pair itself."""
    counts = first_stars.count(first) * second_stars.count(second)
    are_few = counts <= MOST_ROWS_OF_PAIR
    yield from expand_pairs(first[are_few], second[are_few], first_stars, second_stars)
    first, second = first[~are_few], second[~are_few]
    yield from expand_pairs(first, second, first_stars, _NO_STARS)
    yield from expand_pairs(first, second, _NO_STARS, second_stars)


def _make_candidates(table: ViewTable, probes: Rows, views: Rows, join: Join) -> Candidates:
    is_wanted = table.owners[probes] != table.owners[views]
    if join.is_symmetric:
        is_wanted &= (table.owners[probes] < table.owners[views]) | ~table.is_new[views]
    probes, views = probes[is_wanted], views[is_wanted]
    distances = np.bitwise_count(table.hashes[probes] ^ table.hashes[views]).astype(np.int64)
    owners, codes = table.owners, table.codes
    return Candidates(owners[probes], owners[views], codes[probes], codes[views], distances)


def _keep_nearest(candidates: Candidates) -> Candidates:
    """The candidates in order of their pairs, so many of each as are tried, the nearest first."""
    lower = np.minimum(candidates.probe, candidates.view)
    higher = np.maximum(candidates.probe, candidates.view)
    keys = candidates.view_code, candidates.probe_code, candidates.distance_bits, higher, lower
    order = np.lexsort(keys)
    is_first = (np.diff(lower[order], prepend=-1) != 0) | (np.diff(higher[order], prepend=-1) != 0)
    starts = np.flatnonzero(is_first)
    place = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    return take_rows(candidates, order[place < GUESSES_PER_PAIR])


_NO_ROWS = np.empty(0, np.int64)
_NO_STARS = Stars(_NO_ROWS, _NO_ROWS)
_NO_CODES = np.empty(0, np.uint8)
_NONE = Candidates(_NO_ROWS, _NO_ROWS, _NO_CODES, _NO_CODES, _NO_ROWS)
