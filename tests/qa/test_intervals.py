from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa.intervals import UNKNOWN, estimate_share


@pytest.mark.parametrize(
    ("hits", "count", "low", "high"),
    [  # Newcombe, Statistics in Medicine 17 (1998), table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_of_a_share_is_as_published(
    hits: int, count: int, low: float, high: float
) -> None:
    interval = estimate_share(hits, count)
    assert interval.low == pytest.approx(low, abs=5e-5)
    assert interval.high == pytest.approx(high, abs=5e-5)


def test_nothing_is_known_of_nothing() -> None:
    assert estimate_share(0, 0) is UNKNOWN
    assert math.isnan(UNKNOWN.value)
    assert not UNKNOWN.holds(0.5)


@pytest.mark.parametrize(("hits", "count"), [(-1, 3), (4, 3)])
def test_an_impossible_share_is_refused(hits: int, count: int) -> None:
    with pytest.raises(ValueError, match="0 <= hits <= count"):
        estimate_share(hits, count)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_its_share_and_stays_between_nothing_and_all(
    case: tuple[int, int],
) -> None:
    interval = estimate_share(*case)
    assert 0 <= interval.low <= interval.value <= interval.high <= 1
    assert interval.holds(interval.value)
