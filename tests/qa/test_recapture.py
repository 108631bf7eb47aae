from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa.recapture import Found, estimate_missed


def test_the_estimate_is_chapmans() -> None:
    """Seber, The Estimation of Animal Abundance, 1982, page 60: 200 marked, 250 caught, 50 both."""
    missed = estimate_missed([Found(200, 250, 50)])
    assert missed.found == 400
    assert missed.objects == pytest.approx(201 * 251 / 51 - 1)
    assert missed.low < missed.missed < missed.high
    assert missed.share == pytest.approx(missed.missed / missed.objects)


def test_where_both_found_the_same_nothing_is_missed() -> None:
    missed = estimate_missed([Found(30, 30, 30)])
    assert (missed.found, missed.missed, missed.low, missed.high) == (30, 0, 0, 0)


def test_pairs_of_people_are_added_up() -> None:
    strata = [Found(10, 12, 9), Found(40, 35, 30)]
    alone = [estimate_missed([one]) for one in strata]
    together = estimate_missed(strata)
    assert together.missed == pytest.approx(sum(one.missed for one in alone))
    assert together.found == sum(one.found for one in alone)


def test_nothing_found_says_nothing() -> None:
    assert estimate_missed([]).found == 0
    assert str(estimate_missed([]).share) == "nan"


def test_finding_more_together_than_alone_is_refused() -> None:
    with pytest.raises(ValueError, match="both <= first and second"):
        Found(3, 5, 4)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_the_interval_holds_the_estimate_and_never_less_than_was_found(
    both: int, only_first: int, only_second: int
) -> None:
    missed = estimate_missed([Found(both + only_first, both + only_second, both)])
    assert 0 <= missed.low <= missed.missed <= missed.high
    assert missed.found == both + only_first + only_second
