import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.qa_checks import draw_missed, share_held
from qa.recapture import Found, estimate_missed


def test_the_estimate_of_missed_objects_is_chapmans() -> None:
    """Seber, The Estimation of Animal Abundance, 1982, page 60: 200 marked, 250 caught, 50 both."""
    missed = estimate_missed([Found(200, 250, 50)])
    assert missed.seen == 400
    assert missed.objects == pytest.approx(201 * 251 / 51 - 1)
    assert missed.low < missed.missed < missed.high
    assert missed.share == pytest.approx(missed.missed / missed.objects)


def test_the_interval_of_missed_objects_is_where_both_tails_exceed_2_5_percent() -> None:
    """Every number of objects is tried, with the tails of another library."""
    from scipy.stats import hypergeom  # here, since it takes a second to load

    for counts in (Found(200, 250, 50), Found(30, 30, 30), Found(29, 30, 28), Found(5, 6, 2)):
        objects = counts.either + np.arange(2000)
        at_most = hypergeom.cdf(counts.both, objects, counts.first, counts.second)
        at_least = hypergeom.sf(counts.both - 1, objects, counts.first, counts.second)
        likely = np.flatnonzero((at_most > 0.025) & (at_least > 0.025))
        missed = estimate_missed([counts])
        assert (missed.low, missed.high) == (likely[0], likely[-1]), counts


def test_two_people_who_agree_fully_may_still_have_missed_objects() -> None:
    missed = estimate_missed([Found(30, 30, 30)])
    assert (missed.seen, missed.missed, missed.low, missed.high) == (30, 0, 0, 1)
    assert estimate_missed([Found(3, 3, 3)]).high == 4
    assert estimate_missed([]).seen == 0
    assert str(estimate_missed([]).share) == "nan"


@pytest.mark.parametrize("counts", [Found(0, 0, 0), Found(5, 0, 0), Found(4, 3, 0)])
def test_without_common_objects_the_interval_is_unbounded(counts: Found) -> None:
    missed = estimate_missed([counts])
    assert (missed.low, missed.high) == (0, math.inf)


@pytest.mark.parametrize("objects", [10, 100, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("first", "second"), [(0.98, 0.98), (0.95, 0.95), (0.9, 0.8), (0.6, 0.5)])
def test_the_interval_holds_the_true_number(first: float, second: float, objects: int) -> None:
    """An interval that held 95 % of 400 would fail this once in 200,000 times."""
    assert share_held(draw_missed(first, second, objects, 400)) >= 0.90


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_the_interval_holds_its_estimate(both: int, only_first: int, only_second: int) -> None:
    missed = estimate_missed([Found(both + only_first, both + only_second, both)])
    assert 0 <= missed.low <= missed.missed <= missed.high
    assert missed.seen == both + only_first + only_second


def test_estimates_of_several_pairs_are_added_up() -> None:
    strata = [Found(10, 12, 9), Found(40, 35, 30)]
    alone = [estimate_missed([stratum]) for stratum in strata]
    together = estimate_missed(strata)
    assert together.missed == pytest.approx(sum(missed.missed for missed in alone))
    assert together.seen == sum(missed.seen for missed in alone)
    joined = estimate_missed([Found(1, 0, 0), Found(10, 12, 9), Found(40, 35, 30)])
    assert joined.seen == 59
    assert joined == estimate_missed([Found(11, 12, 9), Found(40, 35, 30)])


def test_more_common_objects_than_one_found_are_refused() -> None:
    with pytest.raises(ValueError, match="both <= first and second"):
        Found(3, 5, 4)
