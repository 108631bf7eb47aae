"""Looking for a window that hides nothing, where dates alone do not suffice."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import cast

import pytest

from catalog.party import Party
from catalog.settings import make_settings
from collect.draw_pool import DrawRules
from collect.flickr import Flickr
from collect.learnt import Learnt
from collect.licences import get_licences
from collect.looks import Look, Looker
from collect.results import FoundPhoto, Results, Sample, every
from collect.sampling import REACHABLE, Keyword
from collect.searches import PER_PAGE
from collect.windows import SHORTEST_SECS, whole_range

from .test_caps import photo

PER_LICENCE = {"4": 2500, "5": 2000, "6": 0}


def make_wanted(number: int, side_px: int = 500) -> FoundPhoto:
    made = photo(number, f"owner {number}")
    return replace(made, image_url="u", promised_width=side_px, promised_height=side_px)


class FullPage:
    """Has one page of 400 photographs, most of them too small."""

    def __init__(self, large: Collection[int]) -> None:
        self.photos = tuple(make_wanted(n, 500 if n in large else 5) for n in range(400))
        self.read: list[int] = []

    def search(
        self, arguments: Mapping[str, str], longest_side_px: int, sample: Sample = every
    ) -> Results:
        numbers = set(sample(400))
        others = [one for n, one in enumerate(self.photos) if n not in numbers]
        self.read.append(len(numbers))

        def read_rest() -> tuple[FoundPhoto, ...]:
            self.read.append(len(others))
            return tuple(others)

        return Results(400, tuple(self.photos[n] for n in numbers), 400, read_rest)


class BusyFlickr:
    """Has as many photographs of each licence in every window, however short."""

    def __init__(self) -> None:
        self.asked: list[Mapping[str, str]] = []

    def search(
        self, arguments: Mapping[str, str], longest_side_px: int, sample: Sample = every
    ) -> Results:
        self.asked.append(arguments)
        total = sum(PER_LICENCE[one] for one in arguments["license"].split(","))
        photos = (make_wanted(len(self.asked)),) if total else ()
        ids = frozenset(f"{arguments['page']}/{number}" for number in range(min(total, PER_PAGE)))
        return Results(total, photos, len(ids), tuple, ids)


class LyingFlickr:
    """Has 1,100 photographs in all, newest first, and claims another number."""

    COUNT = 1100

    def __init__(self, claimed: int, beyond: str) -> None:
        self.claimed, self.beyond = claimed, beyond
        self.photos = tuple(make_wanted(number) for number in range(self.COUNT))

    def search(
        self, arguments: Mapping[str, str], longest_side_px: int, sample: Sample = every
    ) -> Results:
        page = int(arguments["page"])
        if self.beyond == "repeats":
            page = min(page, 3)
        shown = self.photos[(page - 1) * PER_PAGE : page * PER_PAGE]
        ids = frozenset(one.source_id for one in shown)
        read = tuple(shown[number] for number in sample(len(shown)))
        return Results(max(self.claimed, len(shown)), read, len(shown), tuple, ids)


class HidingFlickr:
    """Has a photograph every seven seconds of the day, and claims a quarter of what it has.

    A search reaches the newest 4,000; pages beyond show those again.
    """

    DAY = datetime(2015, 1, 1, tzinfo=UTC)
    EVERY_SECS = 7

    def __init__(self) -> None:
        self.calls = 0

    def search(
        self, arguments: Mapping[str, str], longest_side_px: int, sample: Sample = every
    ) -> Results:
        self.calls += 1
        first, last = (
            int(arguments[name]) - int(self.DAY.timestamp())
            for name in ("min_upload_date", "max_upload_date")
        )
        moments = range(first + -first % self.EVERY_SECS, last + 1, self.EVERY_SECS)[::-1]
        reach = moments[:REACHABLE]
        begin = (int(arguments["page"]) - 1) * PER_PAGE % max(1, len(reach))
        shown = reach[begin : begin + PER_PAGE]
        read = tuple(make_wanted(shown[number]) for number in sample(len(shown)))
        ids = frozenset(map(str, shown))
        return Results(max(len(shown), len(moments) // 4), read, len(shown), tuple, ids)


class ForgetfulFlickr:
    """Is full to the end, whatever the window, and has nothing of any licence alone."""

    def __init__(self) -> None:
        self.calls = 0

    def search(
        self, arguments: Mapping[str, str], longest_side_px: int, sample: Sample = every
    ) -> Results:
        self.calls += 1
        assert self.calls < 500, "the search has no end"
        if "," not in arguments["license"]:
            return Results(0, (), 0, tuple, frozenset())
        shown = range(PER_PAGE * int(arguments["page"]), PER_PAGE * (int(arguments["page"]) + 1))
        read = tuple(make_wanted(shown[number]) for number in sample(len(shown)))
        return Results(1_000, read, len(shown), tuple, frozenset(map(str, shown)))


def find_page(
    party: Party,
    flickr: BusyFlickr | FullPage | LyingFlickr | HidingFlickr | ForgetfulFlickr,
    seed: int,
    dates: str = "upload",
) -> Look:
    settings = make_settings({"name": "x", "collect": {"dates": dates}}).collect
    licences = get_licences(PER_LICENCE)
    span = whole_range(date(2015, 1, 1), date(2015, 1, 1))
    rules = DrawRules(seed, 0, span, licences, settings)
    learnt = Learnt(party.catalogue, dates, "4,5,6")
    looker = Looker(
        Keyword(1, "cat", "tabby"), rules, cast(Flickr, flickr), party.catalogue, learnt
    )
    return looker.find_page(random.Random(seed))


def test_of_a_page_a_sample_is_read_while_it_has_enough(party: Party) -> None:
    flickr = FullPage(range(400))
    look = find_page(party, flickr, 1)
    assert flickr.read == [40]
    assert (len(look.fresh), look.returned) == (40, 400)


def test_where_the_sample_has_too_few_the_whole_page_is_read(party: Party) -> None:
    flickr = FullPage({7, 107, 207, 307})
    look = find_page(party, flickr, 1)
    assert flickr.read == [40, 360]
    assert {one.source_id for one in look.fresh} == {"7", "107", "207", "307"}


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
