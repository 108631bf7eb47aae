from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup.search import Hashes, Pairs, join
from dedup.search.join import HashSet, Meeting, join_band, join_on_threads
from dedup.search.plan import Band, Plan, Shape, count_patterns, list_shapes
from dedup.search.words import take_words

from .hashes import flip_bits, make_hashes, measure_distances


def as_set(hashes: Hashes) -> HashSet:
    return HashSet(take_words(hashes, slice(None)), np.arange(len(hashes)))


def is_quick(shapes: tuple[Shape, ...]) -> bool:
    return all(shape.width <= 10 and count_patterns(shape) <= 200 for shape in shapes)


@st.composite
def plans(draw: st.DrawFn, words: int) -> Plan:
    """Bands of any number, width and radius that are exact, of any bits."""
    max_bits = draw(st.integers(0, 24 * words))
    choices = [shapes for shapes in list_shapes(64 * words, max_bits) if is_quick(shapes)]
    shapes = draw(st.sampled_from(choices or [(Shape(0, 0),)]))
    order = np.random.default_rng(draw(st.integers(0, 99))).permutation(64 * words).tolist()
    bands = []
    for shape in shapes:
        bands.append(Band(tuple(order[: shape.width]), shape.radius))
        order = order[shape.width :]
    first_words = draw(st.sampled_from([tuple(range(words)), (words - 1,)]))
    return Plan(max_bits, tuple(bands), first_words)


def list_pairs(chunks: Iterator[Pairs]) -> list[tuple[int, int, int]]:
    """All pairs in order, a pair that was found twice twice."""
    columns = [(pairs.first, pairs.second, pairs.distance_bits) for pairs in chunks]
    return sorted(
        row for three in columns for row in zip(*(c.tolist() for c in three), strict=True)
    )


@settings(deadline=None, max_examples=60)
@given(st.data(), st.sampled_from([1, 4]))
def test_every_plan_finds_every_pair_once(data: st.DataObject, words: int) -> None:
    plan = data.draw(plans(words))
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    centres = make_hashes(random, 6, words)[random.integers(0, 6, 40)]
    hashes = flip_bits(centres, random.integers(0, plan.max_bits + 2, 40), random)
    near = measure_distances(hashes, hashes)
    with ThreadPoolExecutor(1) as pool:
        alone = Meeting(as_set(hashes), None, plan)
        found = list_pairs(pairs.turn() for pairs in join_on_threads(alone, pool, 2))
        wanted = np.argwhere(np.triu(near <= plan.max_bits, 1)).tolist()
        assert found == [(one, other, near[one, other]) for one, other in wanted]
        both = Meeting(as_set(hashes[:9]), as_set(hashes), plan)
        wanted = np.argwhere(near[:9] <= plan.max_bits).tolist()
        expected = [(one, other, near[one, other]) for one, other in wanted]
        assert list_pairs(join_on_threads(both, pool, 2)) == expected
    there = [pairs for number in range(len(plan.bands)) for pairs in join_band(both, number)]
    assert list_pairs(iter(there)) == expected


@pytest.mark.parametrize("room", [1, 7, 50])
def test_too_many_pairs_for_the_room_are_found_in_smaller_ranges(
    monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    monkeypatch.setattr(join, "ROOM", room)
    random = np.random.default_rng(1)
    crowd = flip_bits(np.zeros((60, 1), np.uint64), np.full(60, 2), random)
    plan = Plan(5, (Band(tuple(range(20, 28)), 2), Band(tuple(range(8)), 2)), (0,))
    with ThreadPoolExecutor(2) as pool:
        chunks = list(join_on_threads(Meeting(as_set(crowd), None, plan), pool, 4))
    assert len(list_pairs(iter(chunks))) == 60 * 59 // 2
    assert max(map(len, chunks)) <= max(room, 60)


def test_the_order_of_what_is_found_does_not_depend_on_the_threads() -> None:
    random = np.random.default_rng(2)
    hashes = make_hashes(random, 2000, 1)
    plan = Plan(20, (Band(tuple(range(8)), 2), Band(tuple(range(8, 16)), 17)), (0,))
    orders = []
    for workers in (1, 3):
        with ThreadPoolExecutor(workers) as pool:
            chunks = list(join_on_threads(Meeting(as_set(hashes), None, plan), pool, 2 * workers))
        orders.append([pair for chunk in chunks for pair in list_pairs(iter([chunk]))])
    assert orders[0] == orders[1]
    assert orders[0]
