"""Draws against the stand-in Flickr: windows that fit, pages, and rows."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from catalog.party import Party
from catalog.tables import Photo, Query, Search
from collect.call_budget import CallBudget
from collect.draws import Drawer, Draws
from collect.errors import QueryRefusedError
from collect.flickr import Flickr
from collect.learnt import Learnt
from collect.licences import get_licences
from collect.pauses import Backoff, Pauses
from collect.query_yield import Uniform
from collect.rows import load_keywords, seed_queries
from collect.sampling import SPLIT_ABOVE, choose_classes, whole_range
from collect.search_window import DrawRules
from simulate.flickr.faults import Faults, parse_rule
from simulate.flickr.folder import read_library
from simulate.flickr.library import Library
from simulate.flickr.server import StandIn
from tests.simulate.flickr.making import make_copy

from .clocks import TestClock
from .flickrs import at_flickr, make_pictures

COPIES = 1500  # of each of 40 pictures, 8 of them of a cat: more than Flickr gives of one search


@pytest.fixture(scope="module")
def big_flickr(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandIn]:
    folder = make_pictures(tmp_path_factory.mktemp("pictures"), 40)
    photos = read_library(folder).photos
    copies = [
        make_copy(photo, copy * len(photos) + number)
        for copy in range(COPIES)
        for number, photo in enumerate(photos)
    ]
    with StandIn(Library([*photos, *copies])) as running:
        yield running


@pytest.fixture
def small_flickr(tmp_path: Path) -> Iterator[StandIn]:
    with StandIn(read_library(make_pictures(tmp_path / "pictures", 40))) as running:
        yield running


def draw(
    party: Party, flickr: StandIn, *, count: int, keyword: str = "cat", **collect: Any
) -> list[int]:
    """How many photos each of some draws of one keyword found."""
    at = at_flickr(
        party,
        flickr,
        **{
            "first_date": date(2010, 1, 1),
            "last_date": date(2024, 12, 31),
            "photos_per_search": 1,
            **collect,
        },
    )
    settings, time = at.settings.collect, TestClock()
    with at.catalogue.writing() as session:
        seed_queries(session, {"cat": [keyword]})
        keywords = load_keywords(session, {"cat": [keyword]})
    assert settings.last_date is not None
    span = whole_range(settings.first_date, settings.last_date)
    licences = get_licences(settings.licences)
    draws = Draws(DrawRules(3, 0, span, licences, settings), keywords, Uniform())
    learnt = Learnt(at.catalogue, settings.dates, ",".join(licences))
    pauses = Pauses(time.clock, Backoff(), random.Random(0), most_in_a_row=8)
    budget = CallBudget(at.catalogue, "k3y", 10_000, time.clock)
    with closing(Flickr(at.settings.flickr, budget, pauses)) as client:
        drawer = Drawer(draws, client, at.catalogue, time.clock, learnt)
        return [drawer.draw() for _ in range(count)]


def load_photos(party: Party) -> list[Photo]:
    with party.catalogue.reading() as session:
        return list(session.scalars(select(Photo).order_by(Photo.id)))


def test_a_search_that_would_hide_results_is_split_by_date(
    party: Party, big_flickr: StandIn
) -> None:
    assert draw(party, big_flickr, count=6, window_days=10_000) == [1] * 6
    with party.catalogue.reading() as session:
        query = session.scalars(select(Query)).one()
    assert query.draws == 6
    assert query.searches > 6
    assert query.matches <= 6 * SPLIT_ABOVE
    for photo in load_photos(party):
        assert photo.window_start_at is not None
        assert photo.window_end_at is not None
        assert photo.uploaded_at is not None
        assert (photo.window_end_at - photo.window_start_at).days < 15 * 365 / 2
        assert photo.window_start_at <= photo.uploaded_at < photo.window_end_at


def test_a_search_that_finds_nothing_is_widened(party: Party, small_flickr: StandIn) -> None:
    assert sum(draw(party, small_flickr, count=3, window_days=1)) > 0
    for photo in load_photos(party):
        assert photo.window_start_at is not None
        assert photo.window_end_at is not None
        assert (photo.window_end_at - photo.window_start_at).days > 1


def test_photographs_come_from_all_pages(party: Party, big_flickr: StandIn) -> None:
    draw(party, big_flickr, count=8, window_days=2000)
    assert len({photo.result_page for photo in load_photos(party)}) > 2


def test_a_search_gives_as_many_photographs_as_are_asked_for(
    party: Party, big_flickr: StandIn
) -> None:
    assert draw(party, big_flickr, count=2, window_days=400, photos_per_search=25) == [25, 25]


def test_photos_that_are_known_already_are_passed_over(party: Party, small_flickr: StandIn) -> None:
    found = draw(party, small_flickr, count=5, window_days=10_000, photos_per_search=5)
    assert found == [5, 3, 0, 0, 0]


def test_a_window_whose_photos_are_all_known_is_widened_until_the_last_is_found(
    party: Party, small_flickr: StandIn
) -> None:
    assert draw(party, small_flickr, count=9, window_days=30) == [*[1] * 8, 0]
    assert draw(party, small_flickr, count=2, window_days=30) == [0, 0]
    with party.catalogue.reading() as session:
        assert session.scalars(select(Query.draws)).one() == 10


def test_a_keyword_without_any_match_is_drawn_no_more(party: Party, small_flickr: StandIn) -> None:
    assert draw(party, small_flickr, count=3, keyword="nothing at all") == [0, 0, 0]
    with party.catalogue.reading() as session:
        assert session.scalars(select(Query.draws)).one() == 1


def test_a_query_that_flickr_refuses_stops_with_a_sentence_that_names_it(
    party: Party, small_flickr: StandIn
) -> None:
    small_flickr.faults = Faults((parse_rule("api:fail@3=1"),))
    with pytest.raises(QueryRefusedError, match=r"^The query '.+' of the class .+ Flickr says: "):
        draw(party, small_flickr, count=3)
    assert small_flickr.requests["flickr.photos.search"] == 1


def test_a_total_that_promises_too_little_hides_no_page(party: Party, big_flickr: StandIn) -> None:
    big_flickr.faults = Faults((parse_rule("api:undercount=1"),))
    first, last = date(2010, 1, 1), date(2012, 5, 10)
    settings: dict[str, Any] = {"first_date": first, "last_date": last, "window_days": 5000}
    found = draw(party, big_flickr, count=30, photos_per_owner=10**9, **settings)
    big_flickr.faults = Faults()
    assert found == [1] * 30
    with party.catalogue.reading() as session:
        claimed = session.scalars(select(Search.matches).where(Search.page == 1)).all()
        returned = session.scalars(select(Search.returned).where(Search.page == 3)).all()
    assert 500 < max(claimed) <= 1000 < 1000 + max(returned)
    pages = Counter(photo.result_page for photo in load_photos(party))
    assert set(pages) == {1, 2, 3}
    assert pages[3] == pytest.approx(30 * max(returned) / (1000 + max(returned)), abs=4)


def test_the_presets_queries_become_rows_once(any_party: Party) -> None:
    classes = choose_classes(any_party.preset, [])
    for _ in range(2):
        with any_party.catalogue.writing() as session:
            seed_queries(session, classes)
    with any_party.catalogue.reading() as session:
        count = session.scalar(select(func.count()).select_from(Query))
    assert count == sum(len(set(keywords)) for keywords in classes.values()) > 200


def test_a_row_that_the_preset_no_longer_names_is_not_drawn_from(any_party: Party) -> None:
    with any_party.catalogue.writing() as session:
        seed_queries(session, {"cat": ["tabby", "feline"]})
        found = load_keywords(session, {"cat": ["tabby"]})
    assert [keyword.text for keyword in found["cat"]] == ["tabby"]
