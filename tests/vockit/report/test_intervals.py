import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vockit.report import intervals


def share(sums: intervals.Array) -> intervals.Array:
    with np.errstate(invalid="ignore"):
        return np.asarray(sums[..., 0] / sums[..., 1])


@pytest.mark.parametrize(
    ("hits", "count", "low", "high"),
    [  # Newcombe, Statistics in Medicine 17 (1998), table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_a_share_has_the_known_interval(hits: int, count: int, low: float, high: float) -> None:
    interval = intervals.estimate_share(hits, count)
    assert interval.low == pytest.approx(low, abs=5e-5)
    assert interval.high == pytest.approx(high, abs=5e-5)


@pytest.mark.parametrize(("hits", "count"), [(-1, 3), (4, 3)])
def test_an_impossible_share_is_refused(hits: int, count: int) -> None:
    with pytest.raises(ValueError, match="must"):
        intervals.estimate_share(hits, count)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_its_share_and_stays_between_0_and_1(case: tuple[int, int]) -> None:
    interval = intervals.estimate_share(*case)
    assert 0 <= interval.low <= interval.value <= interval.high <= 1
    assert interval.low <= interval.value <= interval.high


def test_an_interval_from_at_most_one_image_is_unknown() -> None:
    assert intervals.estimate_share_by_image([], []) is intervals.UNKNOWN
    assert intervals.estimate_share_by_image([0.0], [0.0]) is intervals.UNKNOWN
    estimate = intervals.estimate_share_by_image([2.0, 0.0], [4.0, 0.0])
    assert estimate == intervals.Interval(0.5, 0.0, 1.0, 4)
    interval = intervals.jackknife(np.zeros((0, 2)), share)
    assert math.isnan(interval.value)
    assert interval.count == 0
    interval = intervals.jackknife(np.array([[1.0, 2.0]]), share)
    assert interval.value == 0.5
    assert math.isnan(interval.low)


def test_the_same_value_in_every_image_still_has_an_interval() -> None:
    whole = intervals.estimate_share(5, 10)
    assert intervals.spread_figure(0.5, 0.0, 10) == pytest.approx((whole.low, whole.high))
    interval = intervals.jackknife(np.ones((20, 2)), share)
    assert interval.value == 1
    assert interval.low == pytest.approx(0.839, abs=1e-3)


@pytest.mark.parametrize("images", [40, 200])
def test_the_interval_by_image_holds_the_truth_in_95_percent(images: int) -> None:
    """Objects of one image are correlated, so the interval cannot rest on their number."""
    assert 0.92 <= share_held(images, 0.8, luck=10.0, draws=300) <= 0.98


@pytest.mark.parametrize(("images", "truth"), [(60, 0.036), (60, 0.95), (150, 0.036)])
def test_the_interval_of_a_rare_event_holds_in_95_percent(images: int, truth: float) -> None:
    """Plain percentiles of the draws hold it less often."""
    assert 0.93 <= share_held(images, truth, luck=1e6, draws=400) <= 0.975


def share_held(images: int, truth: float, *, luck: float, draws: int) -> float:
    """The share of intervals that hold the truth; the smaller `luck`, the more images differ."""
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(draws):
        shares = rng.beta(luck * truth, luck * (1 - truth), size=images)
        objects = rng.integers(1, 7, size=images)
        tallies = np.stack([rng.binomial(objects, shares), objects], axis=1).astype(np.float64)
        by_image = intervals.estimate_share_by_image(*tallies.T.tolist())
        assert (by_image.low, by_image.high) == pytest.approx(ends_of(tallies), abs=0.01)
        held += by_image.low <= truth <= by_image.high
    return held / draws


def ends_of(tallies: intervals.Array) -> tuple[float, float]:
    interval = intervals.jackknife(tallies, share)
    return interval.low, interval.high


def test_the_interval_by_image_equals_a_bootstrap_of_images() -> None:
    from scipy.stats import bootstrap  # here, since it takes a second to load

    rng = np.random.default_rng(3)
    counts = rng.integers(1, 7, size=80)
    hits = rng.binomial(counts, rng.beta(6, 2, size=80))
    estimate = intervals.estimate_share_by_image(hits.tolist(), counts.tolist())
    tallies = np.stack([hits, counts], axis=1).astype(float)
    error = bootstrap(
        (tallies.T,),
        lambda drawn, axis: share(drawn.sum(axis=axis).T),
        axis=-1,
        n_resamples=4000,
        vectorized=True,
        method="percentile",
        rng=0,
    ).standard_error
    drawn = intervals.spread_figure(estimate.value, float(error), 80)
    assert estimate.value == hits.sum() / counts.sum()
    assert estimate.count == int(counts.sum())
    assert (estimate.low, estimate.high) == pytest.approx(drawn, abs=0.004)
    assert ends_of(tallies) == pytest.approx(drawn, abs=0.004)
    alone = intervals.estimate_share(int(hits.sum()), int(counts.sum()))
    assert estimate.high - estimate.low > 1.05 * (alone.high - alone.low)  # images share their luck


@given(st.floats(-1, 1), st.floats(0, 2), st.integers(2, 500), st.sampled_from([0.0, -1.0]))
def test_a_figures_interval_holds_it_and_stays_in_range(
    value: float, error: float, images: int, floor: float
) -> None:
    value = max(value, floor)
    low, high = intervals.spread_figure(value, error, images, floor=floor)
    assert floor - 1e-9 <= low <= value + 1e-9
    assert value - 1e-9 <= high <= 1 + 1e-9


def test_bootstrap_intervals_stay_in_the_range_of_the_figure() -> None:
    two = np.array([[1.0, 2.0], [1.0, 1.0]])
    interval = intervals.jackknife(two, share)
    assert (interval.low, interval.high) == pytest.approx((0.0, 1.0), abs=0.02)
    below = intervals.jackknife(two, lambda sums: share(sums) - 0.9, floor=-1.0)
    assert -1 <= below.low < -0.9
    assert below.high <= 1
