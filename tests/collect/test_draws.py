"""Draws against the stand-in Flickr: windows that fit, pages, rows, and how even they are."""

import statistics
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from sqlalchemy import select, update

from benchmarks.collect_sampling import NO_CAPS, Found, Way, run, share_of_ten
from benchmarks.collect_sampling import Library as Invented
from catalog.party import Party
from catalog.states import PhotoState
from catalog.tables import Photo, Query, Search
from collect.draws import Drawer
from collect.errors import QueryRefusedError
from collect.flickr import PER_PAGE
from simulate.flickr.faults import Faults, parse_rule
from simulate.flickr.search import Library
from simulate.flickr.server import StandIn
from tests.rows import load_rows
from tests.simulate.flickr.making import make_copy

from .flickrs import at_flickr, make_flickr
from .rows import TestClock

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
        replace(one, queries=(keyword,)) if one.name == "cat" else one for one in at.preset.classes
    )
    at = replace(at, preset=replace(at.preset, classes=classes))
    time, many = TestClock(), 10**6
    with closing(make_flickr(at, time, api_url=flickr.api_url)) as client:
        drawer = Drawer(at, ("cat",), 3, many, many, client, time.clock, 200)
        return [drawer.draw() for _ in range(count)]


def load_photos(party: Party) -> list[Photo]:
    return load_rows(party, select(Photo).order_by(Photo.id))


def test_a_search_that_hides_results_is_split_by_date(party: Party, big_flickr: StandIn) -> None:
    every = tuple(str(it) for it in range(1, 17))
    assert draw(party, big_flickr, count=6, licences=every) == [1] * 6
    with party.catalogue.reading() as session:
        query = session.scalars(select(Query)).one()
        last = session.scalars(select(Search).order_by(Search.id.desc()).limit(1)).one()
    assert query.draws == 6
    assert query.searches > 6
    assert last.returned < PER_PAGE
    for photo in load_photos(party):
        assert photo.window_start_at is not None
        assert photo.window_end_at is not None
        assert photo.uploaded_at is not None
        assert (photo.window_end_at - photo.window_start_at).days <= 366
        assert photo.window_start_at <= photo.uploaded_at < photo.window_end_at


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


def count_most_of_a_day(found: Found) -> int:
    days = Counter(
        (owner, at.date()) for owner, at in zip(found.owners, found.moments, strict=True)
    )
    return max(days.values())
