"""Which stratum of the dates a query draws from next."""

import random
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta

import pytest

from collect.strata import (
    MOST_MISSES,
    RELOAD_DRAWS,
    Strata,
    Window,
    count_per_draw,
    deepest_level,
    whole_range,
)

SPAN = whole_range(date(2005, 1, 1), date(2016, 12, 31))
COUNT = 12


def make_strata(counts: dict[int, list[int]] | None = None) -> Strata:
    return Strata(SPAN, lambda _windows: counts or {})


def choose(strata: Strata, query_id: int = 1) -> int:
    return strata.choose(random.Random(7), query_id)


def test_the_stratum_with_the_fewest_photographs_of_the_query_is_next() -> None:
    strata = make_strata({1: [3] * 5 + [1] + [3] * 6})
    assert choose(strata) == 5
    strata.add(1, 5, 4)
    strata.add(1, 2, -1)
    assert choose(strata) == 2


def test_of_strata_that_are_level_that_with_the_fewest_of_all_queries_is_next() -> None:
    strata = make_strata({1: [2] * COUNT, 2: [9] * 8 + [0] + [9] * 3})
    assert choose(strata) == 8
    assert choose(strata, query_id=3) == 8  # which has none anywhere
    strata.add(2, 8, 10)
    assert choose(strata) != 8


def test_strata_that_are_level_in_all_are_chosen_by_chance() -> None:
    strata = make_strata()
    rng = random.Random(1)
    assert {strata.choose(rng, 1) for _ in range(200)} == set(range(COUNT))


def test_a_closed_stratum_is_not_drawn_from_by_its_query() -> None:
    strata = make_strata()
    assert strata.close(1, range(COUNT - 1))
    assert choose(strata) == COUNT - 1
    rng = random.Random(1)
    assert len({strata.choose(rng, 2) for _ in range(200)}) == COUNT
    assert not strata.close(1, [COUNT - 1])


def test_a_stratum_seems_empty_after_a_few_draws_of_one_query_that_found_nothing() -> None:
    strata = make_strata()
    misses = [strata.is_missed(1, 4) for _ in range(MOST_MISSES)]
    assert misses == [False] * (MOST_MISSES - 1) + [True]
    assert not strata.is_missed(1, 5)
    assert not strata.is_missed(2, 4)


def test_counts_are_loaded_anew_after_many_draws() -> None:
    loads: list[Sequence[Window]] = []

    def load(windows: Sequence[Window]) -> Mapping[int, list[int]]:
        loads.append(windows)
        fewest = len(loads) - 1
        return {1: [int(number != fewest) for number in range(COUNT)]}

    strata = Strata(SPAN, load)
    chosen = [choose(strata) for _ in range(RELOAD_DRAWS + 1)]
    assert loads == [strata.windows] * 2
    assert chosen == [0] * RELOAD_DRAWS + [1]


def test_the_level_that_fitted_last_is_that_of_the_nearest_stratum() -> None:
    strata = make_strata()
    assert strata.find_level(1, 3) == 0
    strata.levels[1] = {2: 5, 9: 1}
    assert [strata.find_level(1, stratum) for stratum in (0, 2, 5, 6, 11)] == [5, 5, 5, 1, 1]
    assert strata.find_level(2, 2) == 0


@pytest.mark.parametrize(
    ("missing", "strata", "count"),
    [(0, 12, 1), (24, 12, 1), (47, 12, 1), (48, 12, 2), (240, 12, 10), (24_000, 12, 10)],
)
def test_a_draw_takes_so_few_that_each_stratum_is_visited_twice(
    missing: int, strata: int, count: int
) -> None:
    assert count_per_draw(10, missing, strata) == count


@pytest.mark.parametrize(
    ("shortest_secs", "level"), [(1, 16), (86_400, 0), (86_399, 0), (43_200, 1), (43_201, 0)]
)
def test_no_window_is_shorter_than_the_shortest(shortest_secs: int, level: int) -> None:
    day = whole_range(date(2010, 5, 1), date(2010, 5, 1))
    assert deepest_level(day, shortest_secs) == level
    assert deepest_level(day, 10**9) == 0


def test_a_window_holds_its_first_moment_and_not_its_end() -> None:
    window = Window(SPAN.start, SPAN.start + timedelta(hours=1))
    moments: list[datetime] = [window.start, window.end - timedelta(seconds=1), window.end]
    assert [window.holds(moment) for moment in moments] == [True, True, False]
    assert window.secs == 3600
