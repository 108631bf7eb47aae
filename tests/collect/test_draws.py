"""Draws against stand-ins of Flickr: windows that hide nothing, pages, rows, how even they are."""

import random
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select, update

from benchmarks.collect_sampling import NO_CAPS, Found, Way, run, share_of_ten
from benchmarks.collect_sampling import Library as Invented
from catalog.licences import get_licences
from catalog.party import Party
from catalog.settings import make_settings
from catalog.states import PhotoState
from catalog.tables import Photo, Query, Search
from collect.draws import Drawer, SearchedPage, WindowSearch, best_level, next_level
from collect.errors import QueryRefusedError
from collect.flickr import PER_PAGE, Flickr, search_arguments
from collect.results import FoundPhoto, Question, Results
from collect.strata import Keyword, Window, whole_range
from simulate.flickr.faults import Faults, parse_rule
from simulate.flickr.search import Library
from simulate.flickr.server import StandIn
from tests.rows import load_rows
from tests.simulate.flickr.making import make_copy

from .flickrs import at_flickr, make_flickr
from .rows import TestClock
from .test_rows import photo

COPIES = 1500  # of each of 40 pictures, 8 of them of a cat: more than Flickr gives of one search


@pytest.fixture(scope="module")
def big_flickr(library: Library) -> Iterator[StandIn]:
    copies = [
        make_copy(photo, copy * len(library) + number)
        for copy in range(COPIES)
        for number, photo in enumerate(library.photos)
    ]
    with StandIn(Library([*library.photos, *copies])) as running:
        yield running


def draw(
    party: Party, flickr: StandIn, *, count: int, keyword: str = "cat", **collect: Any
) -> list[int]:
    """How many photos each of several draws of one keyword found."""
    known: dict[str, Any] = {"last_date": date(2024, 12, 31), "photos_per_search": 1}
    at = at_flickr(party, flickr, **(known | {"choice": "uniform"} | collect))
    classes = tuple(
        replace(spec, queries=(keyword,)) if spec.name == "cat" else spec
        for spec in at.preset.classes
    )
    at = replace(at, preset=replace(at.preset, classes=classes))
    time = TestClock()
    many = 10**6
    with closing(make_flickr(at, time, api_url=flickr.api_url)) as client:
        drawer = Drawer(at, ("cat",), 3, many, many, client, time.clock, 200)
        return [drawer.draw() for _ in range(count)]


def load_photos(party: Party) -> list[Photo]:
    return load_rows(party, select(Photo).order_by(Photo.id))


def test_a_search_that_hides_results_is_split_by_date(party: Party, big_flickr: StandIn) -> None:
    every = tuple(str(licence_id) for licence_id in range(1, 17))
    assert draw(party, big_flickr, count=6, licences=every) == [1] * 6
    with party.catalogue.reading() as session:
        query = session.scalars(select(Query)).one()
        last = session.scalars(select(Search).order_by(Search.id.desc()).limit(1)).one()
    assert query.draws == 6
    assert query.searches > 6
    assert last.returned < PER_PAGE
    for row in load_photos(party):
        assert row.window_start_at is not None
        assert row.window_end_at is not None
        assert row.uploaded_at is not None
        assert (row.window_end_at - row.window_start_at).days <= 366
        assert row.window_start_at <= row.uploaded_at < row.window_end_at


def test_years_are_drawn_equally_if_one_has_most_photos(party: Party, big_flickr: StandIn) -> None:
    big_flickr.faults = Faults()
    assert sum(draw(party, big_flickr, count=30)) == 30
    years = Counter(photo.uploaded_at.year for photo in load_photos(party) if photo.uploaded_at)
    assert set(years) == set(range(2010, 2025))
    assert set(years.values()) == {2}


def test_lost_photographs_are_replaced_in_their_year(party: Party, big_flickr: StandIn) -> None:
    draw(party, big_flickr, count=30)
    with party.catalogue.writing() as session:
        in_2012 = Photo.uploaded_at < datetime(2013, 1, 1, tzinfo=UTC)
        session.execute(update(Photo).where(in_2012).values(state=PhotoState.GONE))
    draw(party, big_flickr, count=6)
    newest = sorted(load_photos(party), key=lambda photo: photo.id)[-6:]
    assert all(photo.uploaded_at and photo.uploaded_at.year < 2013 for photo in newest)


def test_draws_find_every_photograph_exactly_once(party: Party, flickr: StandIn) -> None:
    assert sum(draw(party, flickr, count=30, photos_per_search=5)) == 8
    assert sum(draw(party, flickr, count=30)) == 0
    with party.catalogue.reading() as session:
        draws, searches = session.execute(select(Query.draws, Query.searches)).one()
    assert searches <= draws + 2  # of each run one looks for strata that hold anything


def test_a_keyword_without_matches_is_drawn_once_only(party: Party, flickr: StandIn) -> None:
    assert draw(party, flickr, count=3, keyword="nothing at all") == [0, 0, 0]
    assert load_rows(party, select(Query.draws)) == [1]


def test_a_query_that_flickr_refuses_is_named(party: Party, flickr: StandIn) -> None:
    flickr.faults = Faults((parse_rule("api:fail@3=1"),))
    refusal = r"^The query '.+' of the class .+ Flickr says: .*Change or remove it in the preset"
    with pytest.raises(QueryRefusedError, match=refusal):
        draw(party, flickr, count=3)
    assert flickr.requests["flickr.photos.search"] == 1


GROWING = Invented(12_000, growth=20)
OURS = Way("as it is")


def test_dates_of_the_draws_stay_even_although_uploads_grew_20_fold() -> None:
    shares = [run(GROWING, OURS, 300, seed).recent_share for seed in range(2)]
    assert statistics.mean(shares) == pytest.approx(1 / 3, abs=0.02)
    assert max(shares) < 1 / 3 + 0.054  # two standard deviations of 300 independent photographs


def test_caps_keep_any_owner_from_having_more_than_the_limit() -> None:
    busy = Invented(50_000, growth=20, burst=5)
    free = run(busy, Way("no caps", NO_CAPS), 160, 1)
    caps = {"photos_per_owner": 3, "photos_per_owner_and_day": 1}
    capped = run(busy, Way("caps", caps), 160, 1)
    assert max(Counter(free.owners).values()) > 6
    assert max(Counter(capped.owners).values()) <= 3
    assert share_of_ten(capped) < 0.75 * share_of_ten(free)
    assert count_most_of_a_day(free) > count_most_of_a_day(capped) == 1


def count_most_of_a_day(drawn: Found) -> int:
    days = Counter(
        (owner, at.date()) for owner, at in zip(drawn.owners, drawn.moments, strict=True)
    )
    return max(days.values())


@cache
def make_wanted(number: int) -> FoundPhoto:
    made = photo(number, f"owner {number}")
    return replace(made, image_url="u", promised_width=500, promised_height=500)


class HidingFlickr:
    """Has a photograph every `every_secs` of the day, newest first; claims another total."""

    DAY = datetime(2015, 1, 1, tzinfo=UTC)

    def __init__(self, every_secs: int, claims: float) -> None:
        self.every_secs = every_secs
        self.claims = claims
        self.asked: list[Mapping[str, str]] = []

    kind = Flickr.kind
    name = Flickr.name
    per_page = Flickr.per_page
    reachable = Flickr.reachable
    shortest_secs = Flickr.shortest_secs

    def search(self, question: Question) -> Results:
        arguments = search_arguments(question)
        self.asked.append(arguments)
        assert len(self.asked) < 5000, "the search has no end"
        first = 0
        last = 86_399
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
    keyword = Keyword(1, "cat", "tabby")
    licences = get_licences(("4", "5"))
    return WindowSearch(keyword, licences, settings, cast(Flickr, flickr), party.catalogue)


def find_page(party: Party, flickr: HidingFlickr, seed: int) -> SearchedPage:
    stratum = whole_range(date(2015, 1, 1), date(2015, 1, 1))
    return make_search(party, flickr).find_page(random.Random(seed), stratum, 0)[1]


@pytest.mark.parametrize("claims", [0.25, 1.0, 3.0])
def test_a_window_with_more_results_than_flickr_shows_is_split(party: Party, claims: float) -> None:
    flickr = HidingFlickr(7, claims)
    draws = 60
    thirds: Counter[int] = Counter()
    for seed in range(draws):
        page = find_page(party, flickr, seed)
        assert page.window is not None
        assert page.returned < PER_PAGE
        moment = int(random.Random(seed).choice(page.fresh).source_id)
        assert page.window.holds(HidingFlickr.DAY + timedelta(seconds=moment))
        thirds[moment * 3 // 86_400] += 1
    assert [thirds[third] for third in range(3)] == pytest.approx([draws / 3] * 3, abs=13)


def test_the_shortest_window_is_used_even_if_it_hides_results(party: Party) -> None:
    page = find_page(party, HidingFlickr(1, 10.0), 1)
    assert page.window is not None
    assert page.window.secs < 2 * Flickr.shortest_secs
    assert page.fresh


def test_a_search_without_dates_takes_any_page_that_flickr_shows(party: Party) -> None:
    flickr = HidingFlickr(10, 100.0)
    pages = [
        make_search(party, flickr, "none").find_undated_page(random.Random(n)).page
        for n in range(60)
    ]
    assert set(pages) == set(range(1, 9))
    assert len(flickr.asked) <= 2 * 60
    assert all("min_upload_date" not in arguments for arguments in flickr.asked)


MARCH = Window(datetime(2007, 3, 1, tzinfo=UTC), datetime(2007, 4, 1, tzinfo=UTC))


def test_upload_dates_are_sent_as_unix_times_including_both_ends() -> None:
    arguments = search_arguments(Question("cat", MARCH, 3, licence_ids=("4", "11")))
    assert arguments["min_upload_date"] == "1172707200"
    assert arguments["max_upload_date"] == "1175385599"
    assert arguments["text"] == "cat"
    assert arguments["license"] == "4,11"
    assert (arguments["page"], arguments["per_page"]) == ("3", "500")


def test_dates_taken_are_sent_as_local_times_without_conversion() -> None:
    arguments = search_arguments(Question("cat", MARCH, dates="taken"))
    assert arguments["min_taken_date"] == "2007-03-01 00:00:00"
    assert arguments["max_taken_date"] == "2007-03-31 23:59:59"
    assert "min_upload_date" not in arguments


def test_a_search_without_a_window_sends_no_dates() -> None:
    arguments = search_arguments(Question("cat", dates="none"))
    assert not [name for name in arguments if name.endswith("_date")]


def test_a_search_asks_for_all_fields_so_that_no_photo_needs_another_call() -> None:
    extras = search_arguments(Question("cat"))["extras"].split(",")
    expected = {"license", "owner_name", "date_taken", "date_upload", "tags", "url_m", "url_l"}
    assert expected <= set(extras)
    assert "url_o" not in extras


def page(total: int, fresh: int = 0, returned: int | None = None) -> SearchedPage:
    photos = tuple(photo(number) for number in range(fresh))
    return SearchedPage(
        MARCH, 1, total, min(total, PER_PAGE) if returned is None else returned, photos, PER_PAGE
    )


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ({}, 5),
        ({5: page(1, 1)}, None),
        ({5: page(499, 1)}, None),
        ({5: page(500, 1)}, 6),  # a full page may hide more
        ({5: page(300, 1, returned=500)}, 6),  # whatever is claimed
        ({5: page(4000, 1)}, 9),
        ({5: page(10**9, 1)}, 12),
        ({12: page(4000, 1)}, None),
        ({5: page(0)}, 3),
        ({5: page(0), 3: page(9), 1: page(9)}, 0),  # all that is there is known already
        ({0: page(0)}, None),
        ({5: page(9000), 9: page(0)}, 7),
        ({5: page(9000), 6: page(0)}, None),
        ({5: page(9000), 7: page(12, 1)}, None),
    ],
)
def test_the_next_window_level_depends_on_the_levels_searched_so_far(
    pages: dict[int, SearchedPage], expected: int | None
) -> None:
    assert next_level(pages, start=5, deepest=12) == expected


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=24), st.integers(0, 23))
def test_the_search_ends_at_the_widest_complete_level(counts: list[int], start: int) -> None:
    nested = sorted(counts, reverse=True)
    deepest = len(nested) - 1
    pages = dict[int, SearchedPage]()
    while (level := next_level(pages, start, deepest)) is not None:
        assert level not in pages
        pages[level] = page(nested[level], min(nested[level], 1))
    best = best_level(pages)
    assert len(pages) <= 14
    if nested[0]:
        assert pages[best].is_whole or best == deepest or nested[best + 1] == 0
