"""Which images meet at all, by hashes of their views."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dedup.candidates import Search, ViewTable, find_candidates
from dedup.search import Hashes, find_matches, find_pairs
from dedup.signature.views import WHOLE_CODE


def make_table(hashes: NDArray[np.uint64], is_new: NDArray[np.bool_]) -> ViewTable:
    """A whole of each image, numbered from 0."""
    count = len(hashes)
    return ViewTable(np.arange(count), np.full(count, WHOLE_CODE, np.uint8), hashes, is_new)


def meet(table: ViewTable, plain: NDArray[np.int64]) -> set[tuple[int, int]]:
    found = find_candidates(table, None, Search(10, plain=plain))
    return set(zip(found.probe.tolist(), found.view.tolist(), strict=True))


@pytest.mark.parametrize("rich", [0, 17, 59])
@pytest.mark.parametrize("are_new", ["all", "rich", "plain"])
def test_of_many_plain_images_with_one_hash_each_meets_the_one_that_is_not(
    rich: int, are_new: str
) -> None:
    """The first of so many stands for all in the search, and may be a plain one."""
    places = np.arange(60)
    is_new = {"all": places >= 0, "rich": places == rich, "plain": places != rich}[are_new]
    table = make_table(np.full(60, 0b1011, np.uint64), is_new)
    plain = places[places != rich]
    assert meet(table, plain) == {(min(it, rich), max(it, rich)) for it in plain.tolist()}


def test_plain_images_are_not_searched_among_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []

    def watch(probes: Hashes, views: Hashes, *rest: Any) -> Any:
        searched.append(len(probes) * len(views))
        return find_matches(probes, views, *rest)

    def watch_pairs(hashes: Hashes, *rest: Any) -> Any:
        searched.append(len(hashes) ** 2)
        return find_pairs(hashes, *rest)

    monkeypatch.setattr("dedup.candidates.find_matches", watch)
    monkeypatch.setattr("dedup.candidates.find_pairs", watch_pairs)
    hashes = np.arange(200, dtype=np.uint64)  # 8 bits: all are near one another
    table = make_table(hashes, np.ones(200, np.bool_))
    found = meet(table, np.arange(1, 200))
    assert found == {(0, other) for other in range(1, 200)}
    assert sum(searched) < 3 * 200
