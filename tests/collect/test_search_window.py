"""Looking for a window that hides nothing, and windows that nest."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import cast

import pytest

from catalog.party import Party
from catalog.settings import make_settings
from collect.flickr import PER_PAGE, Flickr, search_arguments
from collect.results import FoundPhoto, Question, Results, get_licences
from collect.searches import SearchedPage, WindowSearch
from collect.strata import (
    Keyword,
    whole_range,
)

from .test_caps import photo


def make_wanted(number: int) -> FoundPhoto:
    made = photo(number, f"owner {number}")
    return replace(made, image_url="u", promised_width=500, promised_height=500)


class HidingFlickr:
    """Has a photograph every so many seconds of the day, and claims another number.

    It shows the newest first.
    """

    DAY = datetime(2015, 1, 1, tzinfo=UTC)

    def __init__(self, every_secs: int, claims: float) -> None:
        self.every_secs, self.claims = every_secs, claims
        self.asked: list[Mapping[str, str]] = []

    kind, name = Flickr.kind, Flickr.name
    per_page, reachable = Flickr.per_page, Flickr.reachable
    shortest_secs = Flickr.shortest_secs

    def search(self, question: Question) -> Results:
        arguments = search_arguments(question)
        self.asked.append(arguments)
        assert len(self.asked) < 5000, "the search has no end"
        first, last = 0, 86_399
        if "min_upload_date" in arguments:
            first, last = (
                int(arguments[name]) - int(self.DAY.timestamp())
                for name in ("min_upload_date", "max_upload_date")
            )
        moments = range(first + -first % self.every_secs, last + 1, self.every_secs)[::-1]
        begin = (int(arguments["page"]) - 1) * PER_PAGE
        shown = moments[begin : begin + PER_PAGE]
        read = tuple(make_wanted(number) for number in shown)
        return Results(max(len(shown), int(len(moments) * self.claims)), read, len(shown))


def make_search(party: Party, flickr: HidingFlickr, dates: str = "upload") -> WindowSearch:
    settings = make_settings({"name": "x", "collect": {"dates": dates}}).collect
    keyword, licences = Keyword(1, "cat", "tabby"), get_licences(("4", "5"))
    return WindowSearch(keyword, licences, settings, cast(Flickr, flickr), party.catalogue)


def find_page(party: Party, flickr: HidingFlickr, seed: int) -> SearchedPage:
    stratum = whole_range(date(2015, 1, 1), date(2015, 1, 1))
    return make_search(party, flickr).find_page(random.Random(seed), stratum, 0)[1]


@pytest.mark.parametrize("claims", [0.25, 1.0, 3.0])
def test_a_window_that_would_hide_results_is_split_whatever_flickr_claims(
    party: Party, claims: float
) -> None:
    flickr, draws = HidingFlickr(7, claims), 60
    thirds: Counter[int] = Counter()
    for seed in range(draws):
        page = find_page(party, flickr, seed)
        assert page.window is not None
        assert page.returned < PER_PAGE
        moment = int(random.Random(seed).choice(page.fresh).source_id)
        assert page.window.holds(HidingFlickr.DAY + timedelta(seconds=moment))
        thirds[moment * 3 // 86_400] += 1
    assert [thirds[third] for third in range(3)] == pytest.approx([draws / 3] * 3, abs=13)


def test_a_window_as_short_as_windows_get_is_taken_though_it_hides_results(party: Party) -> None:
    page = find_page(party, HidingFlickr(1, 10.0), 1)
    assert page.window is not None
    assert page.window.secs < 2 * Flickr.shortest_secs
    assert page.fresh


def test_plain_keyword_search_as_in_2007_takes_any_page_within_reach(party: Party) -> None:
    flickr = HidingFlickr(10, 100.0)
    found = [make_search(party, flickr, "none").find_undated_page(random.Random(n)).page
             for n in range(60)]  # fmt: skip
    assert set(found) == set(range(1, 9))
    assert len(flickr.asked) <= 2 * 60
    assert all("min_upload_date" not in arguments for arguments in flickr.asked)
