"""Which sets of hashes have to meet so that every wanted pair does, once; loaded when needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from .join import HashSet, Meeting
from .plan import SAMPLE_ROWS, Size, make_plan
from .repeats import NEW, OLD, REPEATED
from .words import Hashes, Words, take_words

Kinds = NDArray[np.uint8]
Shard = tuple[int, int]
Planner = Callable[[HashSet, HashSet | None], Meeting]


def list_meetings(
    hashes: Hashes, kinds: Kinds, max_bits: int, rows_at_once: int
) -> Iterator[Meeting]:
    """Every new row with every other, old ones with new ones only."""
    plan = _make_planner(_take_sample(hashes, kinds), max_bits, rows_at_once)
    shards = _cut(len(kinds), rows_at_once)
    for number, shard in enumerate(shards):
        new, old = (_load(hashes, kinds, shard, kind) for kind in ((NEW,), (OLD,)))
        yield from _meet(plan, new, None)
        yield from _meet(plan, new, old)
        for later in shards[number + 1 :]:
            if len(new):
                yield from _meet(plan, new, _load(hashes, kinds, later, (NEW, OLD)))
            if len(old):
                yield from _meet(plan, old, _load(hashes, kinds, later, (NEW,)))


def list_query_meetings(
    queries: Hashes, base: Hashes, kinds: tuple[Kinds, Kinds], max_bits: int, rows_at_once: int
) -> Iterator[Meeting]:
    """Every query with every row of the base."""
    plan = _make_planner(_take_sample(base, kinds[1]), max_bits, rows_at_once)
    for shard in _cut(len(queries), rows_at_once):
        some_queries = _load(queries, kinds[0], shard, (NEW,))
        for base_shard in _cut(len(base), rows_at_once):
            yield from _meet(plan, some_queries, _load(base, kinds[1], base_shard, (NEW,)))


def _make_planner(sample: Words, max_bits: int, rows_at_once: int) -> Planner:
    """No plan of it has more than two buckets for each row that there is room for."""
    widest_bits = (2 * rows_at_once).bit_length() - 1

    def plan(queries: HashSet, base: HashSet | None) -> Meeting:
        base_rows = len(queries if base is None else base)
        size = Size(len(queries), base_rows, base is None, widest_bits)
        return Meeting(queries, base, make_plan(sample, size, max_bits))

    return plan


def _meet(plan: Planner, queries: HashSet, base: HashSet | None) -> Iterator[Meeting]:
    if len(queries) and (base is None or len(base)):
        yield plan(queries, base)


def _cut(count: int, step: int) -> list[Shard]:
    return [(start, min(start + step, count)) for start in range(0, count, step)]


def _load(hashes: Hashes, kinds: Kinds, shard: Shard, wanted: tuple[int, ...]) -> HashSet:
    start, stop = shard
    places = np.flatnonzero(np.isin(kinds[start:stop], wanted))
    return HashSet(take_words(hashes[start:stop], places), places + start)


def _take_sample(hashes: Hashes, kinds: Kinds) -> Words:
    """Some hashes that are not repeats, evenly from everywhere."""
    places = np.unique(np.linspace(0, len(kinds) - 1, 4 * SAMPLE_ROWS, dtype=np.int64))
    places = places[kinds[places] != REPEATED] if len(kinds) else places[:0]
    step = -(-len(places) // SAMPLE_ROWS) or 1
    return take_words(hashes, places[::step])
