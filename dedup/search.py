"""Exact search for all hashes of 64 bits within a Hamming distance of one another.

Two hashes within the distance agree nearly in one of several bands of bits: if the radii of
disjoint bands and one for each band add up to more than the distance, some band differs by no more
than its radius (Norouzi, Punjani and Fleet 2012, multi-index hashing). Hashes are sorted into
buckets by the bits of a band, and each query is compared with the buckets near its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import comb
from typing import Any, NamedTuple, TypeVar, cast

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from .executors import default_workers

Hashes = NDArray[np.uint64]
Rows = NDArray[np.int64]
RowPairs = tuple[Rows, Rows]
Kernel = TypeVar("Kernel", bound=Callable[..., Any])

HASH_BITS = 64
MAX_BAND_BITS = 24
MAX_PATTERNS = 200_000
SAMPLE_ROWS = 4096
CHUNK_PAIRS = 1 << 16
QUERIES_OF_BUCKET = 64
QUERIES_AT_ONCE = 1 << 14
MAX_ROWS_OF_PAIR = 1024
"""Equal hashes that make more pairs than this are compared through the first of them only."""


def find_pairs(hashes: Hashes, max_bits: int, workers: int | None = None) -> Iterator[RowPairs]:
    """Every two rows within the distance, the lower first, in chunks, as `find_matches` says."""
    groups = _group(hashes)
    repeated = np.flatnonzero(groups.counts > 1)
    for first, second in _spell_out(groups, repeated, groups, repeated):
        yield first[first < second], second[first < second]
    for one, other in _match_distinct(groups.values, groups.values, max_bits, workers):
        for first, second in _spell_out(groups, one, groups, other):
            yield np.minimum(first, second), np.maximum(first, second)


def find_matches(
    queries: Hashes, base: Hashes, max_bits: int, workers: int | None = None
) -> Iterator[RowPairs]:
    """Every query row and base row within the distance, in chunks; no pair is missed.

    Equal hashes are compared once. Where two hashes stand for more than `MAX_ROWS_OF_PAIR` pairs
    of rows, only the pairs with the first row of either come, so that the cost stays linear.
    """
    groups, base_groups = _group(queries), _group(base)
    for one, other in _match_distinct(groups.values, base_groups.values, max_bits, workers):
        yield from _spell_out(groups, one, base_groups, other)


class _Groups(NamedTuple):
    """Distinct hashes, and the rows that have each: `rows[starts[i]:starts[i] + counts[i]]`."""

    values: Hashes
    rows: Rows
    starts: Rows
    counts: Rows

    def keep_first(self) -> _Groups:
        """The same as if only the first row of each had it."""
        return self._replace(counts=np.ones_like(self.counts))


def _group(hashes: Hashes) -> _Groups:
    rows = np.argsort(hashes, kind="stable")
    values, starts, counts = np.unique(hashes[rows], return_index=True, return_counts=True)
    return _Groups(values, rows, starts, counts)


def _spell_out(one: _Groups, first: Rows, other: _Groups, second: Rows) -> Iterator[RowPairs]:
    """The rows that pairs of distinct hashes stand for; of too many those with a first row."""
    are_few = one.counts[first] * other.counts[second] <= MAX_ROWS_OF_PAIR
    yield from _expand(one, first[are_few], other, second[are_few])
    first, second = first[~are_few], second[~are_few]
    yield from _expand(one, first, other.keep_first(), second)
    yield from _expand(one.keep_first(), first, other, second)


def _expand(one: _Groups, first: Rows, other: _Groups, second: Rows) -> Iterator[RowPairs]:
    """Every row of the first hash with every row of the second, in chunks."""
    widths = other.counts[second]
    ends = np.cumsum(one.counts[first] * widths)
    for begin in range(0, int(ends[-1]) if len(ends) else 0, CHUNK_PAIRS):
        number = np.arange(begin, min(begin + CHUNK_PAIRS, int(ends[-1])))
        pair = np.searchsorted(ends, number, side="right")
        number -= np.where(pair > 0, ends[pair - 1], 0)
        left, right = np.divmod(number, widths[pair])
        yield (
            one.rows[one.starts[first[pair]] + left],
            other.rows[other.starts[second[pair]] + right],
        )


@dataclass(frozen=True)
class Band:
    """Some bits of a hash, by number, and in how many of them a pair may differ."""

    bits: tuple[int, ...]
    radius: int

    @property
    def mask(self) -> int:
        """A hash with only the bits of the band set."""
        return sum(1 << bit for bit in self.bits)

    def make_patterns(self) -> NDArray[np.int32]:
        """Every number that differs from 0 in at most `radius` bits of the band."""
        patterns = np.arange(1 << len(self.bits), dtype=np.int32)
        return patterns[np.bitwise_count(patterns) <= self.radius]


def plan_bands(sample: Hashes, queries: int, base: int, max_bits: int) -> list[Band]:
    """The cheapest bands; one band of no bits compares each with each."""
    scan = [(0, 0)]
    if max_bits >= HASH_BITS:
        return [Band((), 0)]
    shapes = min([scan, *list_shapes(max_bits)], key=lambda it: _estimate_cost(it, queries, base))
    chosen = _choose_bits(sample, [width for width, _ in shapes])
    return [Band(bits, radius) for bits, (_, radius) in zip(chosen, shapes, strict=True)]


def list_shapes(max_bits: int) -> Iterator[list[tuple[int, int]]]:
    """Widths and radii of disjoint bands that leave no pair within the distance uncovered.

    The first bands have one flip more than the others, and may be wider.
    """
    for count in range(1, max_bits + 2):
        radius, more = divmod(max_bits + 1 - count, count)
        for wide in range(4, MAX_BAND_BITS + 1):
            narrow = min((HASH_BITS - more * wide) // (count - more), wide)
            if narrow >= 1 and (more or narrow == wide):
                shapes = [(wide, radius + 1)] * more + [(narrow, radius)] * (count - more)
                if max(_count_patterns(*shape) for shape in shapes) <= MAX_PATTERNS:
                    yield shapes


def _count_patterns(width: int, radius: int) -> int:
    return sum(comb(width, flips) for flips in range(radius + 1))


def _estimate_cost(shapes: list[tuple[int, int]], queries: int, base: int) -> float:
    """About how many nanoseconds of one core a search takes on random bits, as measured."""
    cost = 0.0
    for width, radius in shapes:
        visits = queries * _count_patterns(width, radius)
        cost += 30.0 * (queries + base) + (1 << width) + visits * (4.0 + base / (1 << width))
    return cost


def _choose_bits(sample: Hashes, widths: list[int]) -> list[tuple[int, ...]]:
    """Disjoint bits for each band, so that bits that say the same are in different bands.

    Bits of photographs' hashes are neither balanced nor independent: two hashes agree in a band
    2**-width times the product of 1 + mean**2 for each bit and 1 + covariance**2 for each two,
    bits taken as 1 and -1. The bits that say least are left out if there are too many.
    """
    shifts = np.arange(HASH_BITS, dtype=np.uint64)[:, None]
    signs = ((sample >> shifts) & np.uint64(1)).astype(np.float32) * 2 - 1
    means = signs.mean(axis=1)
    covariances = signs @ signs.T / signs.shape[1] - np.outer(means, means)
    np.fill_diagonal(covariances, 0)
    alone, together = np.log1p(means**2), np.log1p(covariances**2)
    chosen: list[list[int]] = [[] for _ in widths]
    order = np.argsort(-alone - together.sum(axis=1), kind="stable")[HASH_BITS - sum(widths) :]
    for bit in order.tolist():
        open_bands = [band for band, width in enumerate(widths) if len(chosen[band]) < width]
        costs = {band: float(together[bit, chosen[band]].sum()) for band in open_bands}
        chosen[min(open_bands, key=lambda band: (costs[band], len(chosen[band])))].append(bit)
    return [tuple(sorted(bits)) for bits in chosen]


def _match_distinct(
    queries: Hashes, base: Hashes, max_bits: int, workers: int | None
) -> Iterator[RowPairs]:
    """The pairs of two lists of distinct hashes, each once, on threads that hold no GIL."""
    if not len(queries) or not len(base):
        return
    sample = base[:: max(len(base) // SAMPLE_ROWS, 1)]
    bands = plan_bands(sample, len(queries), len(base), max_bits)
    workers = workers or default_workers()
    with ThreadPoolExecutor(workers, thread_name_prefix="search") as pool:
        for count in range(1, len(bands) + 1):
            yield from _match_band(queries, base, max_bits, bands[:count], pool, 2 * workers)


def _match_band(
    queries: Hashes,
    base: Hashes,
    max_bits: int,
    bands: list[Band],
    pool: ThreadPoolExecutor,
    ahead: int,
) -> Iterator[RowPairs]:
    """The pairs that the last of the bands holds and no earlier one."""
    *earlier, band = bands
    bits = np.array(band.bits, np.int64)
    tables = _fill_buckets(queries, bits), _fill_buckets(base, bits)
    masks = np.array([it.mask for it in earlier], np.uint64)
    radii = np.array([it.radius for it in earlier], np.uint64)
    patterns, limit = band.make_patterns(), np.uint64(max_bits)
    join: Any = partial(_join, *tables, queries is base, patterns, limit, masks, radii)

    def submit(begin: int, end: int) -> tuple[int, Future[Any]]:
        return end, pool.submit(join, begin, end)

    steps = range(0, len(queries), QUERIES_AT_ONCE)
    waiting = deque((begin, min(begin + QUERIES_AT_ONCE, len(queries))) for begin in steps)
    running: deque[tuple[int, Future[Any]]] = deque()
    while waiting or running:
        while waiting and len(running) < ahead:
            running.append(submit(*waiting.popleft()))
        end, future = running.popleft()
        first, second, reached = future.result()
        if reached < end:  # the chunk is full
            running.appendleft(submit(reached, end))
        yield first, second


def compiled(function: Kernel) -> Kernel:
    """The function as machine code, cached next to this file or else in the user's cache folder.

    Where neither can be written, it is compiled anew by each process.
    """
    try:
        return cast(Kernel, numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:  # "cannot cache function ...: no locator available"
        return cast(Kernel, numba.njit(nogil=True)(function))


def _build_count(typing: Any, value: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), build


_count_bits: Any = intrinsic(_build_count)
"""How many bits of a word are set; numba does not know numpy's bitwise_count."""


@compiled
def _fill_buckets(hashes: Hashes, bits: NDArray[np.int64]) -> tuple[Any, Any, Any]:
    """Where each bucket of the bits' values starts; rows and hashes in the order of buckets."""
    keys = np.zeros(len(hashes), np.int32)
    for place in range(len(bits)):
        shift = np.uint64(bits[place])
        for row in range(len(keys)):
            keys[row] |= np.int32((hashes[row] >> shift) & np.uint64(1)) << place
    starts = np.zeros((1 << len(bits)) + 1, np.int64)
    for key in keys:
        starts[key + 1] += 1
    starts = np.cumsum(starts)
    ends, rows, words = starts.copy(), np.empty(len(hashes), np.int64), np.empty_like(hashes)
    for row in range(len(keys)):
        place = ends[keys[row]]
        ends[keys[row]] += 1
        rows[place], words[place] = row, hashes[row]
    return starts, rows, words


@compiled
def _join(
    queries: tuple[Any, Any, Any],
    base: tuple[Any, Any, Any],
    is_self: bool,
    patterns: NDArray[np.int32],
    max_bits: Any,
    masks: Hashes,
    radii: Hashes,
    begin: int,
    end: int,
) -> tuple[Rows, Rows, int]:
    """The pairs of query places from `begin` on, and the place that it stopped at.

    It stops where the chunk is full or all are done. Pairs that an earlier band holds are left out.
    With `is_self` queries and base are one, and a pair comes once.
    """
    query_starts, query_rows, query_words = queries
    starts, rows, words = base
    first, second, count = np.empty(1024, np.int64), np.empty(1024, np.int64), 0
    bucket = np.searchsorted(query_starts, begin, side="right") - 1
    place = begin
    while place < end and count <= CHUNK_PAIRS:
        while query_starts[bucket + 1] <= place:
            bucket += 1
        stop = min(query_starts[bucket + 1], end, place + QUERIES_OF_BUCKET)
        for pattern in patterns:
            near = bucket ^ pattern
            low, high = starts[near], starts[near + 1]
            if low == high or (is_self and near < bucket):
                continue
            for one in range(place, stop):
                query = query_words[one]
                if is_self and near == bucket:
                    low = one + 1
                hits = 0
                for word in words[low:high]:  # without branches, so that LLVM compares many at once
                    hits += int(_count_bits(query ^ word) <= max_bits)
                if not hits:
                    continue
                for at in range(low, high):
                    flips = query ^ words[at]
                    if _count_bits(flips) > max_bits:
                        continue
                    is_known = False
                    for band in range(len(masks)):
                        is_known |= _count_bits(flips & masks[band]) <= radii[band]
                    if is_known:
                        continue
                    if count == len(first):
                        first = np.append(first, np.empty_like(first))
                        second = np.append(second, np.empty_like(second))
                    first[count], second[count] = query_rows[one], rows[at]
                    count += 1
        place = stop
    return first[:count], second[:count], place
