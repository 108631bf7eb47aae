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
from collect.licences import LICENCES, get_licences
from collect.sampling import (
    SPLIT_ABOVE,
    Keyword,
    Window,
    best_level,
    choose_classes,
    deepest_level,
    draw_keyword,
    draw_photos,
    first_level,
    next_level,
    seeded_generator,
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


def test_the_windows_of_a_level_leave_no_gap_and_do_not_overlap() -> None:
    span, moment = whole_range(date(2005, 1, 1), date(2005, 3, 7)), START
    windows = []
    while moment < span.end:
        windows.append(window_around(moment, span, 5))
        moment = windows[-1].end
    assert len(windows) == 32
    assert windows[0].start == span.start
    assert windows[-1].end == span.end


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


VOC = load_preset("voc2012")
KEYWORDS = {
    "cat": [Keyword(1, "cat", "tabby")],
    "sheep": [Keyword(2, "sheep", "ewe"), Keyword(3, "sheep", "lamb"), Keyword(4, "sheep", "ram")],
}


def test_the_same_seed_and_number_give_the_same_draw_whatever_was_drawn_before() -> None:
    assert seeded_generator(7, 3).random() == seeded_generator(7, 3).random()
    assert seeded_generator(7, 3).random() != seeded_generator(7, 4).random()
    assert seeded_generator(7, 3).random() != seeded_generator(8, 3).random()


def test_classes_are_equally_likely_however_many_keywords_they_have() -> None:
    rng = random.Random(1)
    drawn = Counter(draw_keyword(rng, KEYWORDS) for _ in range(6000))
    assert drawn[KEYWORDS["cat"][0]] == pytest.approx(3000, abs=150)
    for keyword in KEYWORDS["sheep"]:
        assert drawn[keyword] == pytest.approx(1000, abs=120)


def test_named_classes_alone_are_drawn_from() -> None:
    chosen = choose_classes(VOC, ["sheep", "cat"])
    assert set(chosen) == {"cat", "sheep"}
    assert "tabby" in chosen["cat"]


def test_a_class_nobody_knows_is_refused_with_the_classes_there_are() -> None:
    with pytest.raises(SettingsError, match=r"giraffe has no queries.*aeroplane, bicycle"):
        choose_classes(VOC, ["cat", "giraffe"])


@pytest.mark.parametrize(
    ("licence_id", "name", "url"),
    [
        ("4", "CC BY 2.0", "https://creativecommons.org/licenses/by/2.0/"),
        ("12", "CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/"),
        ("16", "CC BY-NC-ND 4.0", "https://creativecommons.org/licenses/by-nc-nd/4.0/"),
    ],
)
def test_a_licence_has_its_name_and_url(licence_id: str, name: str, url: str) -> None:
    licence = LICENCES[licence_id]
    assert (licence.name, licence.url) == (name, url)


@pytest.mark.parametrize("ids", [["4", "17"], ["cc-by"], []])
def test_an_id_that_flickr_does_not_have_is_refused_with_those_it_has(ids: list[str]) -> None:
    with pytest.raises(SettingsError, match=r"16 \(CC BY-NC-ND 4.0\)"):
        get_licences(ids)


def test_a_draw_does_not_depend_on_the_order_in_which_classes_were_loaded() -> None:
    turned = dict(reversed(KEYWORDS.items()))
    for number in range(20):
        first = draw_keyword(seeded_generator(0, number), KEYWORDS)
        assert first == draw_keyword(seeded_generator(0, number), turned)


@given(st.lists(st.integers(), unique=True, max_size=30), st.integers(min_value=1, max_value=40))
def test_drawn_photos_are_different_ones_of_the_page(photos: list[int], count: int) -> None:
    drawn = draw_photos(random.Random(0), photos, count)
    assert len(set(drawn)) == len(drawn) == min(count, len(photos))
    assert set(drawn) <= set(photos)


def test_without_names_every_class_with_keywords_is_drawn_from() -> None:
    assert tuple(choose_classes(VOC, [])) == VOC.class_names
