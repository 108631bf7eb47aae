"""Images that look like very many others are compared with the nearest ones only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dedup.candidates import BYTES_PER_IMAGE, Census
from dedup.executors import Advance, open_threads
from dedup.hubs import FARTHEST, Hubs
from dedup.matching import Matcher
from dedup.signature.signature import Signature
from tests.dedup.finder import hold_signatures

from .test_finder import sign, type_page

Ids = NDArray[np.int64]
Pairs = tuple[Ids, Ids, Ids]


def list_pairs(count: int, seed: int = 0) -> Pairs:
    """All pairs of so many images, and how unlike they are."""
    one, other = np.triu_indices(count, 1)
    return one, other, np.random.default_rng(seed).integers(0, FARTHEST + 1, len(one))


def choose(hubs: Hubs, pairs: Pairs) -> NDArray[np.bool_]:
    """What is chosen of pairs none of which was compared yet."""
    return hubs.choose(*pairs, np.zeros(len(pairs[0]), np.bool_))


def take(pairs: Pairs, rows: NDArray[np.bool_]) -> Pairs:
    one, other, unlikeness = pairs
    return one[rows], other[rows], unlikeness[rows]


@pytest.mark.parametrize("count", [100, 400])
def test_what_is_compared_grows_with_the_hub_and_not_with_its_square(count: int) -> None:
    hubs = Hubs(count)
    pairs = list_pairs(count)
    chosen = choose(hubs, pairs)
    assert chosen.sum() <= count * hubs.most
    assert hubs.left_out == (~chosen).sum() > 0
    assert hubs.members.tolist() == list(range(count))


def test_a_pair_is_left_out_only_where_both_have_so_many_nearer_ones() -> None:
    hubs = Hubs(0)
    one, other, unlikeness = pairs = list_pairs(120)
    for row in np.flatnonzero(~choose(hubs, pairs)).tolist():
        for image in (one[row], other[row]):
            of_image = unlikeness[(one == image) | (other == image)]
            assert (of_image <= unlikeness[row]).sum() > hubs.most


def test_an_image_of_a_hub_meets_all_that_are_of_none() -> None:
    hubs = Hubs(0)
    pairs = list_pairs(100)
    is_star = (pairs[0] == 0) | (np.maximum(pairs[0], pairs[1]) < 70)  # 70 to 99 know only 0
    pairs = take(pairs, is_star)
    chosen = choose(hubs, pairs)
    assert chosen[pairs[1] >= 70].all()
    assert not chosen.all()


@given(seed=st.integers(0, 99), parts=st.integers(1, 5))
def test_in_parts_all_are_chosen_that_are_nearest_of_all(seed: int, parts: int) -> None:
    pairs = one, other, unlikeness = list_pairs(80, seed)
    number = np.random.default_rng(seed).integers(0, parts, len(one))
    hubs, chosen = Hubs(0), np.zeros(len(one), np.bool_)
    for part in range(parts):
        chosen[number == part] = choose(hubs, take(pairs, number == part))
    for image in range(80):
        is_of_image = (one == image) | (other == image)
        nearest = np.sort(unlikeness[is_of_image])[hubs.most]
        assert chosen[is_of_image & (unlikeness < nearest)].all()
    assert hubs.left_out == (~chosen).sum()


def test_what_was_compared_in_earlier_parts_counts() -> None:
    """A crowd of parts would else compare each image with the nearest ones of each part."""
    pairs = list_pairs(150)
    hubs = Hubs(0)
    number = (pairs[0] + pairs[1]) % 5
    chosen = [choose(hubs, take(pairs, number == part)).sum() for part in range(5)]
    assert all(later < first / 2 for first, later in zip(chosen[:1] * 3, chosen[2:], strict=True))


def test_what_was_compared_already_counts_and_is_not_chosen_again() -> None:
    pairs = list_pairs(100)
    is_tried = pairs[2] < 20
    chosen = Hubs(0).choose(*pairs, is_tried)
    assert not chosen[is_tried].any()
    assert chosen.sum() < choose(Hubs(0), pairs).sum()


def test_of_more_images_each_may_have_more_partners_by_chance() -> None:
    assert Hubs(0).most == 40
    assert Hubs(1_000_000).most > 4e-4 * 1_000_000


class Counter:
    """How many pairs are verified."""

    def __init__(self) -> None:
        self.pairs = 0

    @contextmanager
    def __call__(self, label: str, total: int, unit: str) -> Iterator[Advance]:
        yield self.add

    def add(self, count: int) -> None:
        self.pairs += count


def match(signatures: Sequence[Signature], memory_bytes: int) -> tuple[set[tuple[int, int]], int]:
    """The pairs that belong together, and how many were verified."""
    counter, count = Counter(), len(signatures)
    with open_threads(2) as executor:
        matcher = Matcher(hold_signatures(signatures), 10, memory_bytes, executor, 2, watch=counter)
        found = list(matcher.match(Census(np.arange(count), np.ones(count, np.bool_))))
    return {pair.ids for pair in found}, counter.pairs


@pytest.mark.slow
def test_among_very_many_pages_the_one_that_was_saved_again_is_found_and_the_rest_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pages = [type_page(seed) for seed in range(24)]
    signatures = [*(sign(page) for page in pages), sign(pages[7], quality=40)]
    everything, all_pairs = match(signatures, 1 << 30)
    assert everything == {(7, 24)}
    assert caplog.messages == []
    monkeypatch.setattr("dedup.hubs.LEAST_NEAREST", 2)
    for memory_bytes in (1 << 30, 13 * 2 * BYTES_PER_IMAGE):
        caplog.clear()
        found, pairs = match(signatures, memory_bytes)
        assert found == everything
        assert pairs < all_pairs
        [sentence] = caplog.messages
        assert "images look like very many others" in sentence
        assert f"and {all_pairs - pairs} pairs that are farther apart were left out" in sentence
