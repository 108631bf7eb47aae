"""The search for near hashes finds each pair within the distance, once."""

import numpy as np
import pytest

from dedup import search
from dedup.search import Hashes, find_matches


def compare_all(queries: Hashes, base: Hashes, max_bits: int) -> list[tuple[int, int]]:
    distances = np.bitwise_count(queries[:, None] ^ base[None])
    return [(int(row), int(other)) for row, other in np.argwhere(distances <= max_bits)]


def make_hashes(count: int, seed: int) -> Hashes:
    """Random hashes, then each of them again with a few bits changed."""
    random = np.random.default_rng(seed)
    hashes = random.integers(0, 1 << 63, count, np.uint64) * np.uint64(2)
    near = hashes.copy()
    for _ in range(9):
        near ^= np.uint64(1) << random.integers(0, 64, count).astype(np.uint64)
    return np.concatenate([hashes, near])


@pytest.mark.parametrize("max_bits", [0, 2, 3, 8, 10, 16, 20])
def test_each_pair_in_reach_is_found_once(max_bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "PAIRS_AT_ONCE", 500)  # so that there are many chunks
    queries = make_hashes(200, 1)
    base = make_hashes(300, 1)
    pairs = np.concatenate([np.stack(match, 1) for match in find_matches(queries, base, max_bits)])
    assert sorted(map(tuple, pairs.tolist())) == compare_all(queries, base, max_bits)


def test_an_empty_set_of_hashes_has_no_matches() -> None:
    none = np.empty(0, np.uint64)
    assert all(len(rows) == 0 for rows, _ in find_matches(none, make_hashes(3, 2), 8))
    assert all(len(rows) == 0 for rows, _ in find_matches(make_hashes(3, 2), none, 8))
