"""Looking for a window that hides nothing, and dates that come out even."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.party import Party
from catalog.settings import make_settings
from collect.flickr import Flickr
from collect.learnt import Learnt
from collect.licences import get_licences
from collect.results import FoundPhoto, Results
from collect.sampling import (
    REACHABLE,
    SHORTEST_SECS,
    Keyword,
    Window,
    deepest_level,
    draw_moment,
    whole_range,
    window_around,
)
from collect.search_window import DrawRules, WindowSearch
from collect.searches import PER_PAGE, SearchedPage

from .test_caps import photo

PER_LICENCE = {"4": 2500, "5": 2000, "6": 0}


def make_wanted(number: int, side_px: int = 500) -> FoundPhoto:
    made = photo(number, f"owner {number}")
    return replace(made, image_url="u", promised_width=side_px, promised_height=side_px)


class BusyFlickr:
    """Has as many photographs of each licence in every window, however short."""

    def __init__(self) -> None:
        self.asked: list[Mapping[str, str]] = []

    def search(self, arguments: Mapping[str, str], longest_side_px: int) -> Results:
        self.asked.append(arguments)
        total = sum(PER_LICENCE[one] for one in arguments["license"].split(","))
        photos = (make_wanted(len(self.asked)),) if total else ()
        ids = frozenset(f"{arguments['page']}/{number}" for number in range(min(total, PER_PAGE)))
        return Results(total, photos, len(ids), ids)


class LyingFlickr:
    """Has 1,100 photographs in all, newest first, and claims another number."""

    COUNT = 1100

    def __init__(self, claimed: int, beyond: str) -> None:
        self.claimed, self.beyond = claimed, beyond
        self.photos = tuple(make_wanted(number) for number in range(self.COUNT))

    def search(self, arguments: Mapping[str, str], longest_side_px: int) -> Results:
        page = int(arguments["page"])
        if self.beyond == "repeats":
            page = min(page, 3)
        shown = self.photos[(page - 1) * PER_PAGE : page * PER_PAGE]
        ids = frozenset(one.source_id for one in shown)
        return Results(max(self.claimed, len(shown)), shown, len(shown), ids)


class HidingFlickr:
    """Has a photograph every seven seconds of the day, and claims a quarter of what it has.

    A search reaches the newest 4,000; pages beyond show those again.
    """

    DAY = datetime(2015, 1, 1, tzinfo=UTC)
    EVERY_SECS = 7

    def __init__(self) -> None:
        self.calls = 0

    def search(self, arguments: Mapping[str, str], longest_side_px: int) -> Results:
        self.calls += 1
        first, last = (
            int(arguments[name]) - int(self.DAY.timestamp())
            for name in ("min_upload_date", "max_upload_date")
        )
        moments = range(first + -first % self.EVERY_SECS, last + 1, self.EVERY_SECS)[::-1]
        reach = moments[:REACHABLE]
        begin = (int(arguments["page"]) - 1) * PER_PAGE % max(1, len(reach))
        shown = reach[begin : begin + PER_PAGE]
        read = tuple(make_wanted(number) for number in shown)
        ids = frozenset(map(str, shown))
        return Results(max(len(shown), len(moments) // 4), read, len(shown), ids)


class ForgetfulFlickr:
    """Is full to the end, whatever the window, and has nothing of any licence alone."""

    def __init__(self) -> None:
        self.calls = 0

    def search(self, arguments: Mapping[str, str], longest_side_px: int) -> Results:
        self.calls += 1
        assert self.calls < 500, "the search has no end"
        if "," not in arguments["license"]:
            return Results(0, (), 0, frozenset())
        shown = range(PER_PAGE * int(arguments["page"]), PER_PAGE * (int(arguments["page"]) + 1))
        read = tuple(make_wanted(number) for number in shown)
        return Results(1_000, read, len(shown), frozenset(map(str, shown)))


def find_page(
    party: Party,
    flickr: BusyFlickr | LyingFlickr | HidingFlickr | ForgetfulFlickr,
    seed: int,
    dates: str = "upload",
) -> SearchedPage:
    settings = make_settings({"name": "x", "collect": {"dates": dates}}).collect
    licences = get_licences(PER_LICENCE)
    span = whole_range(date(2015, 1, 1), date(2015, 1, 1))
    rules = DrawRules(seed, 0, span, licences, settings)
    learnt = Learnt(party.catalogue, dates, "4,5,6")
    search = WindowSearch(
        Keyword(1, "cat", "tabby"), rules, cast(Flickr, flickr), party.catalogue, learnt
    )
    return search.find_page(random.Random(seed))


def test_what_no_date_can_split_is_split_by_licence(party: Party) -> None:
    flickr = BusyFlickr()
    look = find_page(party, flickr, 1)
    assert look.licence_ids in (("4",), ("5",))
    assert look.window is not None
    assert look.window.secs < 2 * SHORTEST_SECS
    assert {"4", "5", "6"} <= {arguments["license"] for arguments in flickr.asked}


def test_each_licence_is_drawn_as_often_as_it_has_photographs(party: Party) -> None:
    drawn = [find_page(party, BusyFlickr(), seed).licence_ids for seed in range(200)]
    assert drawn.count(("4",)) == pytest.approx(200 * 2500 / 4500, abs=25)
    assert ("6",) not in drawn


def test_plain_keyword_search_as_in_2007_splits_nothing(party: Party) -> None:
    flickr = BusyFlickr()
    look = find_page(party, flickr, 1, dates="none")
    assert look.licence_ids == ("4", "5", "6")
    assert look.window is None
    assert len(flickr.asked) <= 2
    assert all("min_upload_date" not in arguments for arguments in flickr.asked)


@pytest.mark.parametrize("beyond", ["empty", "repeats"])
@pytest.mark.parametrize("claimed", [990, 2900])
def test_each_photograph_is_as_likely_whatever_flickr_claims(
    party: Party, claimed: int, beyond: str
) -> None:
    flickr, draws = LyingFlickr(claimed, beyond), 200
    thirds: Counter[int] = Counter()
    for seed in range(draws):
        fresh = find_page(party, flickr, seed).fresh
        place = int(random.Random(seed).choice(fresh).source_id)
        thirds[0 if place < 500 else 1 if place < 1000 else 2] += 1
    for third, share in enumerate((500 / 1100, 500 / 1100, 100 / 1100)):
        spread = (draws * share * (1 - share)) ** 0.5
        assert thirds[third] == pytest.approx(draws * share, abs=3.5 * spread)


def test_a_window_that_would_hide_results_is_split_whatever_flickr_claims(party: Party) -> None:
    flickr, draws = HidingFlickr(), 90
    thirds: Counter[int] = Counter()
    for seed in range(draws):
        look = find_page(party, flickr, seed)
        assert look.window is not None
        assert look.window.secs <= REACHABLE * HidingFlickr.EVERY_SECS
        moment = int(random.Random(seed).choice(look.fresh).source_id)
        assert look.window.start <= HidingFlickr.DAY + timedelta(seconds=moment) < look.window.end
        thirds[moment * 3 // 86_400] += 1
    assert [thirds[third] for third in range(3)] == pytest.approx([draws / 3] * 3, abs=14)
    known = flickr.calls
    find_page(party, flickr, 0)
    assert flickr.calls - known <= 20


def test_a_full_window_without_any_licence_ends_a_search(party: Party) -> None:
    assert find_page(party, ForgetfulFlickr(), 0).fresh


def test_a_page_that_repeats_ends_a_search(party: Party) -> None:
    flickr = LyingFlickr(2900, "repeats")
    pages = {find_page(party, flickr, seed).page for seed in range(60)}
    assert pages == {1, 2, 3}


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


def test_drawn_moments_fall_on_every_part_of_the_range_alike() -> None:
    span, rng = whole_range(date(2005, 1, 1), date(2024, 12, 31)), random.Random(1)
    levels = [window_around(draw_moment(rng, span), span, 3).start for _ in range(8000)]
    counts = Counter(levels)
    assert len(counts) == 8
    chi_squared = sum((count - 1000) ** 2 / 1000 for count in counts.values())
    assert chi_squared < 24.3  # 7 degrees of freedom, p = 0.001
