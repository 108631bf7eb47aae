"""Photographs over the calendar, held against an even spread."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from collect.report.spreads import (
    DayCount,
    Days,
    Hours,
    Spread,
    UniformTest,
    adjust_holm,
    adjust_tests,
    compare_spreads,
    make_spread,
    spread_hours,
    spread_months,
    spread_weekdays,
    spread_years,
)

FIRST, LAST = date(2010, 7, 1), date(2012, 12, 31)


def every_day(count: int = 1) -> list[DayCount]:
    days = (LAST - FIRST).days + 1
    return [DayCount(FIRST + timedelta(days=it), False, count) for it in range(days)]


def alone(days: list[DayCount]) -> Days:
    """Each photograph was drawn alone."""
    return Days(days, days)


def spread_of(counts: Sequence[int], labels: Sequence[str] = "") -> Spread:
    """An even spread is expected of draws of one photograph each."""
    return make_spread(labels or [str(it) for it in range(len(counts))], counts, counts,
                       [1] * len(counts))  # fmt: skip


def test_one_photograph_a_day_is_an_even_spread_by_every_calendar() -> None:
    for spread in (
        spread_years(alone(every_day()), FIRST, LAST),
        spread_months(alone(every_day()), FIRST, LAST),
        spread_weekdays(alone(every_day()), FIRST, LAST),
    ):
        assert spread.counts == pytest.approx(spread.expected)
        assert spread.test.p_value == pytest.approx(1.0)
        assert spread.test.effect == pytest.approx(0.0)


def test_months_that_the_range_holds_more_often_expect_more() -> None:
    spread = spread_months(alone(every_day()), FIRST, LAST)
    assert spread.expected[0] == 62
    assert spread.expected[6] == 93


def test_days_outside_the_range_are_left_out() -> None:
    days = [DayCount(date(2009, 1, 2), False, 9), DayCount(date(2011, 1, 2), False, 1)]
    assert sum(spread_years(alone(days), FIRST, LAST).counts) == 1
    assert sum(spread_months(alone(days), FIRST, LAST).counts) == 1


@pytest.mark.parametrize(
    ("day", "in_months", "in_weekdays"),
    [
        (DayCount(date(2011, 1, 1), True, 1), 0, 0),
        (DayCount(date(2011, 5, 1), True, 1), 1, 0),
        (DayCount(date(2011, 5, 2), True, 1), 1, 1),
        (DayCount(date(2011, 1, 1), False, 1), 1, 1),
    ],
)
def test_a_date_counts_only_for_what_is_known_of_it(
    day: DayCount, in_months: int, in_weekdays: int
) -> None:
    assert sum(spread_months(alone([day]), FIRST, LAST).counts) == in_months
    assert sum(spread_weekdays(alone([day]), FIRST, LAST).counts) == in_weekdays
    assert sum(spread_years(alone([day]), FIRST, LAST).counts) == 1


def test_christmas_trees_are_seen() -> None:
    days = [*every_day(), DayCount(date(2011, 12, 24), False, 300)]
    test = spread_months(alone(days), FIRST, LAST).test
    assert test.p_value is not None
    assert test.p_value < 1e-6
    assert (test.effect or 0) > 0.3


@pytest.mark.parametrize("counts", [{}, {5: 3}])
def test_a_few_photographs_are_not_tested(counts: dict[int, int]) -> None:
    test = spread_hours(Hours(counts, counts)).test
    assert (test.statistic, test.p_value, test.effect) == (None, None, None)
    assert test.draws == sum(counts.values())


def test_a_bin_that_cannot_happen_is_no_bin_of_the_test() -> None:
    assert make_spread("abc", [10, 12, 0], [10, 12, 0], [1, 1, 0]).test.degrees == 1
    assert make_spread("ab", [0, 0], [0, 0], [0, 0]).test.p_value is None


def test_photographs_of_one_draw_count_once_in_the_test() -> None:
    draws = every_day()
    burst = [*draws, DayCount(date(2011, 12, 24), False, 300)]
    spread = spread_months(Days(burst, draws), FIRST, LAST)
    assert sum(spread.counts) == sum(spread.draws) + 300
    assert spread.test.p_value == pytest.approx(1.0)


def test_two_collections_alike_differ_by_nothing_and_unlike_ones_do() -> None:
    first = spread_of([100, 100], "ab")
    assert compare_spreads(first, spread_of([50, 50], "ab")).p_value == pytest.approx(1)
    unlike = compare_spreads(first, spread_of([10, 90], "ab"))
    assert unlike.p_value is not None
    assert unlike.p_value < 1e-6
    assert compare_spreads(first, spread_of([0, 0], "ab")).p_value is None
    assert compare_spreads(first, spread_of([50, 50], "bc")).degrees == 2


def test_two_collections_of_few_draws_are_compared_by_random_tables() -> None:
    recent = spread_of([0, 0, 0, 400], "abcd")
    test = compare_spreads(spread_of([3, 4, 3, 5], "abcd"), recent)
    assert test.p_value is not None
    assert test.p_value < 0.001
    assert compare_spreads(spread_of([3, 4, 3, 5], "abcd"), recent) == test  # the same each time
    alike = compare_spreads(spread_of([3, 4, 3, 5], "abcd"), spread_of([4, 3, 3, 4], "abcd"))
    assert alike.p_value is not None
    assert alike.p_value > 0.5


def test_what_chance_alone_gives_is_no_effect() -> None:
    rng = random.Random(5)
    effects = []
    for _ in range(200):
        bins = Counter(rng.randrange(12) for _ in range(200))
        effects.append(spread_of([bins[it] for it in range(12)]).test.effect or 0.0)
    assert sum(effect < 0.1 for effect in effects) > 100


def test_many_tests_are_adjusted_as_holm_does() -> None:
    p_values = (0.01, None, 0.04, 0.03, 0.005)
    tests = [UniformTest(9, 1.0, 1, p, 0.1) for p in p_values]
    adjusted = [test.p_adjusted for test in adjust_holm(tests)]
    assert adjusted == [
        pytest.approx(0.03), None, pytest.approx(0.06), pytest.approx(0.06), pytest.approx(0.02)
    ]  # fmt: skip


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_an_adjusted_p_is_never_smaller_and_keeps_the_order(p_values: list[float]) -> None:
    tests = adjust_holm([UniformTest(9, 1.0, 1, p, 0.1) for p in p_values])
    pairs = sorted((test.p_value or 0.0, test.p_adjusted or 0.0) for test in tests)
    assert all(p <= adjusted <= 1 for p, adjusted in pairs)
    assert [adjusted for _p, adjusted in pairs] == sorted(adjusted for _p, adjusted in pairs)


@given(st.lists(st.integers(10, 500), min_size=2, max_size=24))
def test_the_test_is_scipys(counts: list[int]) -> None:
    test = spread_of(counts).test
    assert test.p_value == pytest.approx(stats.chisquare(counts).pvalue)
    assert test.degrees == len(counts) - 1


def test_spreads_keep_their_names_when_they_are_adjusted() -> None:
    spreads = adjust_tests({"a": spread_of([50, 50]), "b": spread_of([1, 1])})
    assert spreads["a"].test.p_adjusted == 1.0
    assert spreads["b"].test.p_adjusted is None
