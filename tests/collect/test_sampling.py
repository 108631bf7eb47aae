"""Windows of time, and what else a draw decides by chance."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import SettingsError
from catalog.preset import load_preset
from collect.query_yield import Uniform
from collect.results import get_licences
from collect.strata import (
    Keyword,
    Window,
    choose_classes,
    cut_strata,
    deepest_level,
    draw_in_time,
    whole_range,
    window_around,
)

SHORTEST_SECS = 300
START = datetime(2005, 1, 1, tzinfo=UTC)
SPANS = st.builds(
    lambda secs: Window(START, START + timedelta(seconds=secs)),
    st.integers(min_value=86_400, max_value=30 * 365 * 86_400),
)


@st.composite
def moments_and_levels(draw: st.DrawFn) -> tuple[Window, datetime, int]:
    span = draw(SPANS)
    offset_secs = draw(st.integers(min_value=0, max_value=span.secs - 1))
    level = draw(st.integers(min_value=0, max_value=deepest_level(span, SHORTEST_SECS)))
    return span, span.start + timedelta(seconds=offset_secs), level


@given(moments_and_levels())
def test_a_window_holds_its_moment_lies_in_the_one_above_and_is_as_long_as_others_of_its_level(
    case: tuple[Window, datetime, int],
) -> None:
    span, moment, level = case
    window, above = (window_around(moment, span, at) for at in (level, max(0, level - 1)))
    assert window.start <= moment < window.end
    assert span.start <= above.start <= window.start
    assert window.end <= above.end <= span.end
    assert abs(window.secs - span.secs / 2**level) < 1
    assert window.secs >= min(SHORTEST_SECS, span.secs)


def test_a_range_that_ends_before_it_starts_is_refused_with_both_dates() -> None:
    with pytest.raises(SettingsError, match=r"first_date = 2006-01-01.*2005-01-01"):
        whole_range(date(2006, 1, 1), date(2005, 1, 1))


def test_strata_are_about_a_year_long_and_leave_no_gap() -> None:
    span = whole_range(date(2005, 1, 1), date(2019, 12, 31))
    strata = cut_strata(span)
    assert len(strata) == 15
    assert {one.secs for one in strata} == {span.secs // 15}
    assert [one.end for one in strata[:-1]] == [one.start for one in strata[1:]]
    assert (strata[0].start, strata[-1].end) == (span.start, span.end)
    assert len(cut_strata(whole_range(date(2019, 1, 1), date(2019, 3, 31)))) == 12


def test_photographs_come_uniform_in_time_from_a_window_full_of_recent_ones() -> None:
    window, rng = whole_range(date(2019, 1, 1), date(2019, 4, 10)), random.Random(1)
    days = [day for day in range(100) for _copy in range(1 if day < 50 else 9)]
    dated = [(window.start + timedelta(days=day), n) for n, day in enumerate(days)]
    first = [days[next(draw_in_time(rng, dated, window))] for _ in range(2000)]
    assert sum(day < 50 for day in first) == pytest.approx(1000, abs=80)
    assert sorted(draw_in_time(rng, dated, window)) == list(range(len(dated)))


VOC = load_preset("voc2012")
KEYWORDS = {
    "cat": [Keyword(1, "cat", "tabby")],
    "sheep": [Keyword(2, "sheep", "ewe"), Keyword(3, "sheep", "lamb"), Keyword(4, "sheep", "ram")],
}


def test_classes_are_equally_likely_however_many_keywords_they_have() -> None:
    rng = random.Random(1)
    drawn = Counter(Uniform().choose(rng, KEYWORDS) for _ in range(6000))
    assert drawn[KEYWORDS["cat"][0]] == pytest.approx(3000, abs=150)
    for keyword in KEYWORDS["sheep"]:
        assert drawn[keyword] == pytest.approx(1000, abs=120)


def test_named_classes_alone_are_drawn_from_and_all_that_have_keywords_without_names() -> None:
    chosen = choose_classes(VOC, ["sheep", "cat"])
    assert set(chosen) == {"cat", "sheep"}
    assert "tabby" in chosen["cat"]
    assert tuple(choose_classes(VOC, [])) == VOC.class_names


def test_a_class_nobody_knows_is_refused_with_the_classes_there_are() -> None:
    with pytest.raises(SettingsError, match=r"giraffe has no queries.*aeroplane, bicycle"):
        choose_classes(VOC, ["cat", "giraffe"])


@pytest.mark.parametrize("ids", [["4", "17"], ["cc-by"], []])
def test_an_id_that_flickr_does_not_have_is_refused_with_those_it_has(ids: list[str]) -> None:
    with pytest.raises(SettingsError, match=r"16 \(CC BY-NC-ND 4.0\)"):
        get_licences(ids)
