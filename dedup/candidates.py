"""Which images may show the same photograph, by the hashes of their views; exact for its distances.

A view of the one image (a probe) is near a view of the other. Which kinds of views are compared is
the table `JOINS`; what comes out is verified later, so the distances are generous.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from .columns import stack_rows, take_rows
from .crowds import Crowds
from .search import Hashes, find_matches, find_pairs
from .signature.views import MIDDLE_CODE, Kind, codes_of

MORE_BITS_FOR_WHOLE = 2
GUESSES_PER_PAIR = 4
MOST_CANDIDATES = 1 << 21

BYTES_PER_IMAGE = 6200
"""The hashes of some 90 views, 18 bytes each, in three tables at a time."""
BYTES_PER_CANDIDATE = 400
"""While they are sorted."""
LEAST_CANDIDATES = 4096
BYTES_PER_PAIR = 700_000
"""What a pair takes while it is verified."""
MOST_PAIRS_AT_ONCE = 64
"""More at once are not faster."""

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Census:
    """The images that can be matched, ids ascending; new are those that were not matched yet."""

    image_ids: Rows
    is_new: NDArray[np.bool_]

    def find_new(self, image_ids: Iterable[int]) -> dict[int, bool]:
        """Which of these images are in it, and whether they are new."""
        wanted = np.intersect1d(np.fromiter(image_ids, np.int64), self.image_ids)
        news = self.is_new[np.searchsorted(self.image_ids, wanted)]
        return dict(zip(wanted.tolist(), news.tolist(), strict=True))


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


LoadViews = Callable[[Census], ViewTable]


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

    `is_symmetric` says that both are the same views, so that half of the comparison is enough.
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


@dataclass(frozen=True)
class Budget:
    """How the memory that a comparison may take is shared out.

    A half is for the hashes of views, a quarter for candidates, a quarter for verifying them.
    """

    memory_bytes: int

    @property
    def part_images(self) -> int:
        """How many images are compared at a time, with themselves or with as many others."""
        return max(self.memory_bytes // 2 // BYTES_PER_IMAGE, 1)

    @property
    def most_candidates(self) -> int:
        """How many candidates are held; where there are more, fewer images are compared."""
        return max(self.memory_bytes // 4 // BYTES_PER_CANDIDATE, LEAST_CANDIDATES)

    def count_pairs_at_once(self, workers: int) -> int:
        """How many pairs each worker verifies at once."""
        share = self.memory_bytes // 4 // workers // BYTES_PER_PAIR
        return min(max(share, 1), MOST_PAIRS_AT_ONCE)


@dataclass(frozen=True)
class Search:
    """How near hashes must be, on how many threads, and for how many guesses there is room.

    Two images of one of the `crowds` are no candidates: they are known to belong together. Nor are
    two of the `plain` ones, in which there is next to nothing to be seen.
    """

    max_distance_bits: int
    workers: int | None = None
    crowds: Crowds = field(default_factory=Crowds)
    most_candidates: int | None = None
    plain: Rows | None = None


class OverfullError(Exception):
    """More candidates than there is room for; fewer images at a time have fewer."""


def find_by_parts(
    census: Census, load_views: LoadViews, search: Search, budget: Budget
) -> Iterator[Candidates]:
    """The candidates among all images, one of each pair new, as many at a time as there is room."""
    search = replace(search, most_candidates=budget.most_candidates)
    step = budget.part_images
    starts = range(0, len(census.image_ids), step)
    parts = [take_rows(census, slice(start, start + step)) for start in starts]
    for number, part in enumerate(parts):
        has_new = bool(part.is_new.any())
        others = [other for other in parts[number + 1 :] if has_new or other.is_new.any()]
        if has_new or others:
            views = load_views(part)
            yield from _find_halving(views, None, search)
            for other in others:
                yield from _find_halving(views, load_views(other), search)


def _find_halving(one: ViewTable, other: ViewTable | None, search: Search) -> Iterator[Candidates]:
    """The candidates; of half as many images at a time where they are too many."""
    try:
        found = find_candidates(one, other, search)
    except OverfullError:
        if other is None:
            first, second = _cut(one)
            halves = [(first, None), (first, second), (second, None)]
        elif np.ptp(one.owners) == 0 or len(one.owners) < len(other.owners):
            halves = [(one, half) for half in _cut(other)]
        else:
            halves = [(half, other) for half in _cut(one)]
        for some, others in halves:
            yield from _find_halving(some, others, search)
    else:
        yield found


def _cut(table: ViewTable) -> tuple[ViewTable, ViewTable]:
    """The views of one half of the images, and those of the other."""
    images = np.unique(table.owners)
    middle = int(np.searchsorted(table.owners, images[len(images) // 2]))
    return take_rows(table, slice(None, middle)), take_rows(table, slice(middle, None))


def find_candidates(one: ViewTable, other: ViewTable | None, search: Search) -> Candidates:
    """Every two images, one of them new, that some join holds near; none is missed.

    They are two of the one table, or one of each where two are given. Raises OverfullError where
    they are more than there is room for.
    """
    chunks = (
        chunk
        for join in JOINS
        for probes, views in _list_meetings(join, one, other)
        for some in _part(probes, views, search)
        for chunk in _compare(*some, join, search)
    )
    return _gather(chunks, search.most_candidates)


def _list_meetings(
    join: Join, one: ViewTable, other: ViewTable | None
) -> Iterator[tuple[ViewTable, ViewTable | None]]:
    """New images' probes with all views, old ones' with new views, and the other way round.

    Where there is no second table, the views of the first are compared with one another.
    """
    if other is None and join.is_symmetric:
        new = _pick(one, join.probes, True)
        yield new, None
        yield new, _pick(one, join.probes, False)
        return
    directions = [(one, one if other is None else other)]
    if other is not None and not join.is_symmetric:
        directions.append((other, one))
    for prober, viewed in directions:
        yield _pick(prober, join.probes, True), _pick(viewed, join.views, None)
        yield _pick(prober, join.probes, False), _pick(viewed, join.views, True)


def _pick(table: ViewTable, codes: tuple[int, ...], is_new: bool | None) -> ViewTable:
    """The views that have one of the codes: of new images, of old ones, or (None) of all."""
    is_wanted = np.isin(np.arange(256), codes)[table.codes]
    if is_new is not None:
        is_wanted &= table.is_new == is_new
    return take_rows(table, is_wanted)


def _part(
    probes: ViewTable, views: ViewTable | None, search: Search
) -> Iterator[tuple[ViewTable, ViewTable | None]]:
    """Tables that meet so that neither large crowds nor plain images meet among themselves.

    To leave these pairs out later would take the square of their number.
    """
    if not search.crowds.has_large and (search.plain is None or not len(search.plain)):
        yield probes, views
        return
    kinds = _number_kinds(probes.owners, search)
    other_kinds = kinds if views is None else _number_kinds(views.owners, search)
    for one, two in product(np.unique(kinds).tolist(), np.unique(other_kinds).tolist()):
        is_one_crowd, are_plain = one // 2 == two // 2 >= 0, one % 2 and two % 2
        if is_one_crowd or are_plain or (views is None and one > two):
            continue
        some = take_rows(probes, kinds == one)
        if views is None and one == two:
            yield some, None
        else:
            yield some, take_rows(probes if views is None else views, other_kinds == two)


def _number_kinds(owners: Rows, search: Search) -> Rows:
    """Twice the number of each image's large crowd, -2 without one, and one more if it is plain."""
    crowds = search.crowds.number_large(owners)
    is_plain = np.isin(owners, search.plain if search.plain is not None else _NO_ROWS)
    return 2 * crowds + is_plain


def _compare(
    probes: ViewTable, views: ViewTable | None, join: Join, search: Search
) -> Iterator[Candidates]:
    how = search.max_distance_bits + join.more_bits, search.workers
    if views is None:
        views, rows = probes, find_pairs(probes.hashes, *how)
    else:
        rows = find_matches(probes.hashes, views.hashes, *how)
    for first, second in rows:
        one, two = take_rows(probes, first), take_rows(views, second)
        is_wanted = (one.owners != two.owners) & ~search.crowds.join(one.owners, two.owners)
        one, two = take_rows(one, is_wanted), take_rows(two, is_wanted)
        distances = np.bitwise_count(one.hashes ^ two.hashes).astype(np.int64)
        found = Candidates(one.owners, two.owners, one.codes, two.codes, distances)
        yield _orient(found) if join.is_symmetric else found


def _orient(found: Candidates) -> Candidates:
    """The same with the lower image as the probe, whichever part it was in."""
    turned = Candidates(
        found.view, found.probe, found.view_code, found.probe_code, found.distance_bits
    )
    is_turned = found.probe > found.view
    return stack_rows([take_rows(found, ~is_turned), take_rows(turned, is_turned)])


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
    """The candidates in order of their pairs, the nearest few of each first."""
    lower = np.minimum(candidates.probe, candidates.view)
    higher = np.maximum(candidates.probe, candidates.view)
    keys = candidates.view_code, candidates.probe_code, candidates.distance_bits, higher, lower
    order = np.lexsort(keys)
    is_first = (np.diff(lower[order], prepend=-1) != 0) | (np.diff(higher[order], prepend=-1) != 0)
    starts = np.flatnonzero(is_first)
    place = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    return take_rows(candidates, order[place < GUESSES_PER_PAIR])


_NO_ROWS = np.empty(0, np.int64)
_NO_CODES = np.empty(0, np.uint8)
_NONE = Candidates(_NO_ROWS, _NO_ROWS, _NO_CODES, _NO_CODES, _NO_ROWS)
