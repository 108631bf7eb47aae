from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup.candidates import Search, ViewTable, find_candidates
from dedup.clusters import Candidate, plan_removals
from dedup.crowds import CROWD, LARGE, Crowds, complete_crowds, rank_partners
from dedup.pairs import Pair, Relation
from dedup.search import Hashes, find_matches, find_pairs
from dedup.signature.views import WHOLE_CODE


def copy(one: int, other: int) -> Pair:
    return Pair(one, other, Relation.DUPLICATE, 0.0)


def rank(image_ids: Sequence[int]) -> list[Candidate]:
    """The highest id is the largest image."""
    return [Candidate(one, one, None, 0, is_fixed=False) for one in image_ids]


def join_neighbours(count: int, reach: int = 3) -> list[Pair]:
    """Each image with the next few only, as the search leaves a crowd."""
    steps = range(1, reach + 1)
    return [copy(one, one + step) for one in range(count) for step in steps if one + step < count]


def gather(pairs: Iterable[Pair]) -> Crowds:
    crowds = Crowds()
    crowds.add(pairs)
    return crowds


class Verifier:
    """Knows which images are copies, and counts what it is asked."""

    def __init__(self, kinds: int = 1) -> None:
        self.kinds, self.asked = kinds, 0

    def __call__(self, one: int, others: Sequence[int]) -> Iterable[Pair]:
        self.asked += len(others)
        alike = [other for other in others if one % self.kinds == other % self.kinds]
        return [copy(min(one, other), max(one, other)) for other in alike]


def test_the_best_of_a_crowd_takes_in_all_the_others() -> None:
    verify = Verifier()
    pairs = complete_crowds(join_neighbours(1000), rank, verify)
    kept = {removal.kept_image_id for removal in plan_removals(rank(range(1000)), pairs)}
    assert kept == {999}
    assert verify.asked < 1000


def test_a_crowd_of_several_pictures_keeps_one_of_each() -> None:
    verify = Verifier(kinds=3)
    right = [copy(one, one + 3) for one in range(297)]
    wrong = [copy(0, 1), copy(1, 2)]  # they chain the three pictures together
    pairs = complete_crowds([*right, *wrong], rank, verify)
    plan = plan_removals(rank(range(300)), pairs)
    assert {removal.image_id: removal.kept_image_id for removal in plan} == {
        image_id: 297 + image_id % 3 for image_id in range(297)
    }
    assert verify.asked < 3 * 300


def test_a_small_cluster_is_no_crowd() -> None:
    verify = Verifier()
    pairs = join_neighbours(CROWD - 1)
    assert gather(pairs).list_members() == []
    assert complete_crowds(pairs, rank, verify) == sorted(pairs, key=lambda pair: pair.ids)
    assert verify.asked == 0


def test_links_make_no_crowd() -> None:
    links = [Pair(0, other, Relation.SAME_EVENT, 0.0) for other in range(1, 100)]
    assert gather(links).list_members() == []


def test_two_images_are_of_one_crowd_whichever_pairs_joined_it() -> None:
    crowds = gather(join_neighbours(30))
    crowds.add([copy(number, number + 1) for number in range(100, 130)])
    one, other = np.array([0, 29, 0, 100, 7, 7]), np.array([29, 3, 110, 130, 99, 7])
    assert crowds.join(one, other).tolist() == [True, True, False, True, False, True]
    crowds.add([copy(29, 100)])
    assert crowds.join(one, other).tolist() == [True, True, True, True, False, True]


def test_a_large_crowd_is_not_searched_within(monkeypatch: pytest.MonkeyPatch) -> None:
    """All views are near one another; the last image is the only one that is not known."""
    random = np.random.default_rng(0)
    count = LARGE + 1
    hashes = np.uint64(1) << random.integers(0, 64, count, np.uint64)
    codes = np.full(count, WHOLE_CODE, np.uint8)
    table = ViewTable(np.arange(count), codes, hashes, np.ones(count, np.bool_))
    searched: list[int] = []

    def watch(probes: Hashes, views: Hashes, *rest: Any) -> Any:
        searched.append(len(probes) * len(views))
        return find_matches(probes, views, *rest)

    def watch_pairs(hashes: Hashes, *rest: Any) -> Any:
        searched.append(len(hashes) ** 2)
        return find_pairs(hashes, *rest)

    monkeypatch.setattr("dedup.candidates.find_matches", watch)
    monkeypatch.setattr("dedup.candidates.find_pairs", watch_pairs)
    everything = find_candidates(table, None, Search(10))
    assert len(everything.probe) == count * (count - 1) // 2
    before = sum(searched)
    searched.clear()
    known = gather(join_neighbours(LARGE))
    found = find_candidates(table, None, Search(10, crowds=known))
    assert set(zip(found.probe.tolist(), found.view.tolist(), strict=True)) == {
        (one, LARGE) for one in range(LARGE)
    }
    assert sum(searched) < 3 * count < before


ids = st.integers(0, 8)
weighted = st.dictionaries(
    st.tuples(ids, ids).filter(lambda pair: pair[0] < pair[1]), st.integers(0, 5), min_size=1
)


@given(weighted)
def test_a_pair_s_rank_is_the_better_of_its_two_places(found: dict[tuple[int, int], int]) -> None:
    keys = sorted(found)
    lower, higher = (np.array([key[end] for key in keys]) for end in (0, 1))
    distances = np.array([found[key] for key in keys])
    expected = []
    for number, key in enumerate(keys):
        places = []
        for image in key:
            partners = sorted((found[it], place) for place, it in enumerate(keys) if image in it)
            places.append(partners.index((found[key], number)))
        expected.append(min(places))
    assert rank_partners(lower, higher, distances).tolist() == expected
