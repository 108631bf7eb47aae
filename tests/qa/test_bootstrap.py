from __future__ import annotations

import math

import numpy as np
import pytest

from qa.bootstrap import Array, bootstrap, ratio
from qa.intervals import estimate_share_by_image


def share(sums: Array) -> Array:
    return ratio(sums[:, :1], sums[:, 1:2])


def test_the_same_seed_gives_the_same_interval() -> None:
    tallies = np.array([[1.0, 2], [0, 1], [3, 3], [2, 5]])
    assert bootstrap(tallies, share, seed=1) == bootstrap(tallies, share, seed=1)
    [interval] = bootstrap(tallies, share, seed=1)
    assert interval.value == pytest.approx(6 / 11)
    assert interval.count == 4


def test_of_one_image_there_is_a_value_but_no_interval() -> None:
    [interval] = bootstrap(np.array([[1.0, 2.0]]), share)
    assert interval.value == 0.5
    assert math.isnan(interval.low)


def test_of_no_image_nothing_is_known() -> None:
    [interval] = bootstrap(np.zeros((0, 2)), share)
    assert math.isnan(interval.value)
    assert interval.count == 0


def test_where_all_agree_the_interval_is_that_of_a_share() -> None:
    [interval] = bootstrap(np.ones((20, 2)), share)
    assert interval.value == 1
    assert interval.low == pytest.approx(0.839, abs=1e-3)


def test_few_images_are_drawn_with_the_error_that_a_ratio_of_sums_has() -> None:
    """A draw with replacement varies less than the images do, by one image (Cochran)."""
    hits, counts = [1.0, 0, 1, 1, 0], [1.0] * 5
    [drawn] = bootstrap(np.array([hits, counts]).T, share, rounds=20_000)
    told = estimate_share_by_image(hits, counts)
    assert (drawn.low, drawn.high) == pytest.approx((told.low, told.high), abs=0.005)


def test_no_interval_goes_beyond_what_a_figure_can_be() -> None:
    two = np.array([[1.0, 2.0], [1.0, 1.0]])
    [interval] = bootstrap(two, share)
    assert (interval.low, interval.high) == pytest.approx((0.0, 1.0), abs=0.02)
    [below] = bootstrap(two, lambda sums: share(sums) - 0.9, floors=[-1.0])
    assert -1 <= below.low < -0.9
    assert below.high <= 1


@pytest.mark.parametrize("images", [40, 200])
def test_the_interval_holds_the_truth_as_often_as_it_says(images: int) -> None:
    """Objects of one image share its luck, so their number is not what an interval rests on."""
    assert 0.92 <= share_held(images, 0.8, luck=10.0, draws=300) <= 0.98


@pytest.mark.parametrize(("images", "truth"), [(60, 0.036), (60, 0.95), (150, 0.036)])
def test_the_interval_of_what_is_rare_holds_the_truth_as_often_as_it_says(
    images: int, truth: float
) -> None:
    """Plain percentiles of the draws hold it less often."""
    assert 0.93 <= share_held(images, truth, luck=1e6, draws=400) <= 0.975


def share_held(images: int, truth: float, *, luck: float, draws: int) -> float:
    """How many intervals hold the truth; the smaller `luck`, the more do images differ."""
    rng, held = np.random.default_rng(7), 0
    for seed in range(draws):
        shares = rng.beta(luck * truth, luck * (1 - truth), size=images)
        objects = rng.integers(1, 7, size=images)
        tallies = np.stack([rng.binomial(objects, shares), objects], axis=1).astype(np.float64)
        held += bootstrap(tallies, share, seed=seed, rounds=300)[0].holds(truth)
    return held / draws
