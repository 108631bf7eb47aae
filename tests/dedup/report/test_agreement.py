from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup.report.agreement import wilson_interval


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [  # computed with statsmodels' proportion_confint(..., method="wilson")
        (0, 10, 0.0, 0.27753),
        (10, 10, 0.72247, 1.0),
        (9, 10, 0.59585, 0.98212),
        (1, 1, 0.20654, 1.0),
        (950, 1000, 0.93470, 0.96186),
    ],
)
def test_the_interval_is_wilsons(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=1e-4)


def test_without_trials_nothing_is_known() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_share_and_lies_within_0_and_1(counts: tuple[int, int]) -> None:
    successes, trials = counts
    low, high = wilson_interval(successes, trials)
    assert 0 <= low <= successes / trials + 1e-12
    assert successes / trials - 1e-12 <= high <= 1
