"""Which images may show the same photograph, by the hashes of their views; exact for its distances.

A view of the one image (a probe) is near a view of the other. Which kinds of views are compared is
the table `JOINS`; what comes out is verified later, so the distances are generous.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .columns import stack_rows, take_rows
from .crowds import Crowds
from .search import Hashes, Resources, stream_matches_within
from .search.stars import Stars, expand_pairs
from .signature.views import MIDDLE_CODE, Kind, codes_of

MORE_BITS_FOR_WHOLE = 2
GUESSES_PER_PAIR = 4
MOST_ROWS_OF_PAIR = 1024
MOST_CANDIDATES = 1 << 21

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class ViewTable:
    """The hashes of many images' views, a row for each view.

    `owners` number the images, ascending; `is_new` marks the views of images that were not matched
    before.
    """

    owners: Rows
    codes: NDArray[np.uint8]
    hashes: Hashes
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
        Join(turned, entire),  # a mirrored hash is not quite the mirror image's
        *(Join((part,), (part,), is_symmetric=True) for part in parts),
        Join((MIDDLE_CODE,), tilted),
        Join(codes_of(Kind.CELL), entire),
        Join(codes_of(Kind.CLIPPED), entire, more_bits=MORE_BITS_FOR_WHOLE),
    )


JOINS = _list_joins()


class OverfullError(Exception):
    """More candidates than there is room for; fewer images at a time have fewer."""


@dataclass(frozen=True)
class Search:
    """How near hashes must be, what the search may use, and for how many guesses there is room.

    Two images of one of the `crowds` are no candidates: they are known to belong together. Nor are
    two of the `plain` ones, in which there is next to nothing to be seen.
    """

    max_distance_bits: int
    resources: Resources = field(default_factory=Resources)
    crowds: Crowds = field(default_factory=Crowds)
    most_candidates: int | None = None
    plain: Rows | None = None


def find_candidates(one: ViewTable, other: ViewTable | None, search: Search) -> Candidates:
    """Every two images, one of them new, that some join holds near; none is missed.

    They are two of the one table, or one of each where two are given. A hash that very many views
    share is compared through the first of them only: placeholders would otherwise make it
    quadratic. Raises OverfullError where they are more than there is room for.
    """
    chunks = (
        chunk
        for join in JOINS
        for meeting in _list_meetings(join, one, other)
        for chunk in _meet(meeting, join.more_bits, search)
    )
    return _gather(chunks, search.most_candidates)


@dataclass(frozen=True)
class _Side:
    """The views of a table that have one of the codes: of new images, of old ones, or (None) all.

    They are copied only once they are picked, so that one meeting's are in memory at a time.
    """

    table: ViewTable
    codes: tuple[int, ...]
    is_new: bool | None

    def pick(self) -> ViewTable:
        """These views as a table of their own."""
        is_wanted = np.isin(np.arange(256), self.codes)[self.table.codes]
        if self.is_new is not None:
            is_wanted &= self.table.is_new == self.is_new
        return take_rows(self.table, is_wanted)


@dataclass(frozen=True)
class _Meeting:
    """Probes and views that are compared."""

    probes: _Side
    views: _Side
    is_within: bool
    is_symmetric: bool


def _list_meetings(join: Join, one: ViewTable, other: ViewTable | None) -> Iterator[_Meeting]:
    """New images' probes with all views, old ones' with new views, and the other way round."""
    directions = [(one, one if other is None else other)]
    if other is not None and not join.is_symmetric:
        directions.append((other, one))
    is_within = other is None and join.is_symmetric
    for prober, viewed in directions:
        for probes_are_new, views_are_new in ((True, None), (False, True)):
            if probes_are_new or not is_within:
                probes = _Side(prober, join.probes, probes_are_new)
                views = _Side(viewed, join.views, views_are_new)
                yield _Meeting(probes, views, is_within, join.is_symmetric)


def _meet(meeting: _Meeting, more_bits: int, search: Search) -> Iterator[Candidates]:
    probes = meeting.probes.pick()
    if not len(probes.owners):
        return
    views = meeting.views.pick()
    for some in _part_crowds(probes, views, search.crowds):
        for some_probes, some_views in _part_plain(*some, search.plain):
            yield from _compare(some_probes, some_views, meeting, more_bits, search)


def _part_crowds(
    probes: ViewTable, views: ViewTable, crowds: Crowds
) -> Iterator[tuple[ViewTable, ViewTable]]:
    """Probes and views that meet so that no large crowd meets itself and all others do."""
    if not crowds.has_large:
        yield probes, views
        return
    of_probes, of_views = (crowds.number_large(table.owners) for table in (probes, views))
    for number in np.unique(of_probes).tolist():
        some_probes = take_rows(probes, of_probes == number)
        yield some_probes, views if number < 0 else take_rows(views, of_views != number)


def _part_plain(
    probes: ViewTable, views: ViewTable, plain: Rows | None
) -> Iterator[tuple[ViewTable, ViewTable]]:
    """Probes and views that meet so that no two plain images do and all others do.

    To search for all and leave these out later would take the square of their number, and where
    many share a hash the first of them, which stands for all, could be one that nothing meets.
    """
    if plain is None or not (is_plain := np.isin(probes.owners, plain)).any():
        yield probes, views
        return
    yield take_rows(probes, ~is_plain), views
    yield take_rows(probes, is_plain), take_rows(views, ~np.isin(views.owners, plain))


def _compare(
    probes: ViewTable, views: ViewTable, meeting: _Meeting, more_bits: int, search: Search
) -> Iterator[Candidates]:
    distance_bits = search.max_distance_bits + more_bits
    for first, second in _match(probes.hashes, views.hashes, distance_bits, search.resources):
        one, two = take_rows(probes, first), take_rows(views, second)
        is_wanted = (one.owners != two.owners) & ~search.crowds.join(one.owners, two.owners)
        if meeting.is_within:
            is_wanted &= (one.owners < two.owners) | ~two.is_new
        one, two = take_rows(one, is_wanted), take_rows(two, is_wanted)
        distances = np.bitwise_count(one.hashes ^ two.hashes).astype(np.int64)
        found = Candidates(one.owners, two.owners, one.codes, two.codes, distances)
        yield _orient(found) if meeting.is_symmetric else found


def _orient(found: Candidates) -> Candidates:
    """The same with the lower image as the probe, whichever shard it was in."""
    is_turned = found.probe > found.view
    return Candidates(
        np.where(is_turned, found.view, found.probe),
        np.where(is_turned, found.probe, found.view),
        np.where(is_turned, found.view_code, found.probe_code),
        np.where(is_turned, found.probe_code, found.view_code),
        found.distance_bits,
    )


def _match(
    probes: Hashes, views: Hashes, distance_bits: int, resources: Resources
) -> Iterator[tuple[Rows, Rows]]:
    if not len(probes) or not len(views):
        return
    probe_repeats, view_repeats, chunks = stream_matches_within(
        probes, views, distance_bits, resources=resources
    )
    stars = probe_repeats.make_stars(), view_repeats.make_stars()
    for chunk in chunks:
        yield from _spell_out(chunk.first, chunk.second, *stars)


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


def _gather(chunks: Iterable[Candidates], most: int | None) -> Candidates:
    """The nearest guesses of all; raises OverfullError where that is more than half of `most`."""
    found, rows, room = [_NONE], 0, most or MOST_CANDIDATES
    for chunk in chunks:
        found.append(chunk)
        rows += len(chunk.probe)
        if rows <= room:
            continue
        found = [_keep_nearest(stack_rows(found))]
        rows = len(found[0].probe)
        if rows > room // 2:
            if most is not None:
                raise OverfullError
            room *= 2  # else every chunk would sort them all
    return _keep_nearest(stack_rows(found))


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
