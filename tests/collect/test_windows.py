"""Windows: every moment equally likely, no gaps, and a search for a level that always ends."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import SettingsError
from collect.windows import (
    SHORTEST_SECS,
    SPLIT_ABOVE,
    Window,
    best_level,
    deepest_level,
    draw_moment,
    first_level,
    next_level,
    whole_range,
    window_around,
)

START = datetime(2005, 1, 1, tzinfo=UTC)
SPANS = st.builds(
    lambda secs: Window(START, START + timedelta(seconds=secs)),
    st.integers(min_value=86_400, max_value=30 * 365 * 86_400),
)


@st.composite
def moments_and_levels(draw: st.DrawFn) -> tuple[Window, datetime, int]:
    span = draw(SPANS)
    offset_secs = draw(st.integers(min_value=0, max_value=span.secs - 1))
    level = draw(st.integers(min_value=0, max_value=deepest_level(span)))
    return span, span.start + timedelta(seconds=offset_secs), level


@given(moments_and_levels())
def test_the_window_around_a_moment_holds_it_and_stays_in_the_range(
    case: tuple[Window, datetime, int],
) -> None:
    span, moment, level = case
    window = window_around(moment, span, level)
    assert window.start <= moment < window.end
    assert span.start <= window.start
    assert window.end <= span.end


@given(moments_and_levels())
def test_windows_of_one_level_are_equally_long_to_the_second(
    case: tuple[Window, datetime, int],
) -> None:
    span, moment, level = case
    window = window_around(moment, span, level)
    assert abs(window.secs - span.secs / 2**level) < 1
    assert window.secs >= min(SHORTEST_SECS, span.secs)


@given(moments_and_levels())
def test_a_deeper_window_lies_inside_the_one_above(case: tuple[Window, datetime, int]) -> None:
    span, moment, level = case
    above, below = (
        window_around(moment, span, max(0, level - 1)),
        window_around(moment, span, level),
    )
    assert above.start <= below.start
    assert below.end <= above.end


def test_the_windows_of_a_level_leave_no_gap_and_do_not_overlap() -> None:
    span, moment = whole_range(date(2005, 1, 1), date(2005, 3, 7)), START
    windows = []
    while moment < span.end:
        windows.append(window_around(moment, span, 5))
        moment = windows[-1].end
    assert len(windows) == 32
    assert windows[0].start == span.start
    assert windows[-1].end == span.end


def test_drawn_moments_fall_on_every_part_of_the_range_alike() -> None:
    span, rng = whole_range(date(2005, 1, 1), date(2024, 12, 31)), random.Random(1)
    levels = [window_around(draw_moment(rng, span), span, 3).start for _ in range(8000)]
    counts = Counter(levels)
    assert len(counts) == 8
    chi_squared = sum((count - 1000) ** 2 / 1000 for count in counts.values())
    assert chi_squared < 24.3  # 7 degrees of freedom, p = 0.001


def test_the_last_day_of_the_range_is_inside() -> None:
    span = whole_range(date(2005, 1, 1), date(2005, 1, 1))
    assert span.secs == 86_400


def test_a_range_that_ends_before_it_starts_is_refused_with_both_dates() -> None:
    with pytest.raises(SettingsError, match=r"first_date = 2006-01-01.*2005-01-01"):
        whole_range(date(2006, 1, 1), date(2005, 1, 1))


@pytest.mark.parametrize(
    ("window_days", "expected"), [(10_000, 0), (64, 0), (63, 1), (32, 1), (30, 2), (1, 6)]
)
def test_the_first_level_is_the_widest_within_the_wanted_days(
    window_days: float, expected: int
) -> None:
    span = Window(START, START + timedelta(days=64))
    assert first_level(span, window_days) == expected


@pytest.mark.parametrize(
    ("matches", "expected"),
    [
        ({}, 5),
        ({5: 1}, None),
        ({5: SPLIT_ABOVE}, None),
        ({5: SPLIT_ABOVE + 1}, 6),
        ({5: 8 * SPLIT_ABOVE}, 8),
        ({5: 10**9}, 12),
        ({12: SPLIT_ABOVE + 1}, None),
        ({5: 0}, 3),
        ({5: 0, 3: 0}, 1),
        ({5: 0, 3: 0, 1: 0}, 0),
        ({0: 0}, None),
        ({5: 9000, 9: 0}, 7),
        ({5: 9000, 6: 0}, None),
        ({5: 9000, 7: 12}, None),
    ],
)
def test_the_next_level_follows_from_what_the_searched_ones_had(
    matches: dict[int, int], expected: int | None
) -> None:
    assert next_level(matches, start=5, deepest=12) == expected


@given(
    st.lists(st.integers(min_value=0, max_value=10**7), min_size=1, max_size=24),
    st.integers(min_value=0, max_value=23),
)
def test_the_search_for_a_level_ends_soon_and_at_a_good_one(counts: list[int], start: int) -> None:
    nested = sorted(counts, reverse=True)
    deepest = len(nested) - 1
    matches: dict[int, int] = {}
    while (level := next_level(matches, min(start, deepest), deepest)) is not None:
        assert level not in matches
        matches[level] = nested[level]
    found = best_level(matches)
    assert len(matches) <= 14
    if nested[0] == 0:
        assert found is None
    else:
        assert found is not None
        is_fine = nested[found] <= SPLIT_ABOVE
        assert is_fine or found == deepest or nested[found + 1] == 0
