"""What earlier searches and runs taught: where to look first, and what a target will take."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.party import Party
from catalog.states import PhotoState
from catalog.tables import Photo, Query
from collect.draws import insert_searches
from collect.forecast import ENOUGH, Experience, Figure, describe, load_experience, make_forecast
from collect.job import Order, load_forecast
from collect.learnt import REMEMBERED, Known, Learnt, informed_level
from collect.rows import load_keywords, seed_queries
from collect.sampling import SPLIT_ABOVE, Window
from collect.searches import SearchedPage, count_matches
from tests.rows import make_image

from .clocks import NOON
from .rows import add_photos

START = datetime(2005, 1, 1, tzinfo=UTC)
SPAN = Window(START, START + timedelta(days=1024))


def days(first: int, last: int) -> Window:
    return Window(START + timedelta(days=first), START + timedelta(days=last))


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ([], 5),
        ([Known(days(0, 32), 100)], 5),
        ([Known(days(0, 32), 4 * SPLIT_ABOVE)], 7),
        ([Known(days(512, 544), 4 * SPLIT_ABOVE)], 7),  # elsewhere, but nothing nearer is known
        ([Known(days(512, 544), 4 * SPLIT_ABOVE), Known(days(32, 64), 9)], 5),
        ([Known(days(0, 32), 4 * SPLIT_ABOVE), Known(days(8, 16), 1)], 5),  # the narrower one holds
        ([Known(days(0, 1024), 2)], 1),  # two in all: one expected in a half
        ([Known(days(0, 64), 0)], 3),  # empty: twice as wide
        ([Known(days(0, 1024), 0)], 0),
        ([Known(days(512, 1024), 0)], 5),
        ([Known(days(0, 1), 10**9)], 12),
    ],
)
def test_the_first_window_is_neither_known_to_be_too_full_nor_empty(
    known: list[Known], expected: int
) -> None:
    moment = START + timedelta(days=10)
    assert informed_level(known, moment, SPAN, first=5, deepest=12) == expected


def test_the_newest_windows_are_remembered(party: Party) -> None:
    learnt = Learnt(party.catalogue, "upload", "1")
    windows = [Known(days(number, number + 1), number) for number in range(REMEMBERED + 7)]
    learnt.add(1, windows[:REMEMBERED])
    learnt.add(1, windows[REMEMBERED:])
    assert learnt.load(1) == tuple(windows[7:])


@given(
    st.lists(
        st.builds(
            lambda start, length, matches: Known(days(start, start + length), matches),
            st.integers(0, 1000),
            st.integers(1, 24),
            st.integers(0, 10**9),
        ),
        max_size=20,
    ),
    st.integers(0, 1023),
)
def test_whatever_is_known_the_level_is_one_there_is(known: list[Known], day: int) -> None:
    moment = START + timedelta(days=day)
    assert 0 <= informed_level(known, moment, SPAN, first=5, deepest=12) <= 12


@pytest.mark.parametrize(
    ("page", "total", "fresh", "expected"),
    [(1, 20, 0, 0), (1, 20, 3, 20), (1, 501, 0, 501), (2, 20, 0, 20)],
)
def test_a_page_that_shows_all_and_nothing_new_counts_as_empty(
    page: int, total: int, fresh: int, expected: int
) -> None:
    assert count_matches(page, total, fresh) == expected


def test_a_second_run_knows_the_windows_of_the_first(any_party: Party) -> None:
    with any_party.catalogue.writing() as session:
        seed_queries(session, {"cat": ["tabby", "mew"]})
        queries = load_keywords(session, {"cat": ["tabby", "mew"]})["cat"]
        looks = [
            SearchedPage(days(0, 32), ("4", "5"), 1, 7000, 500, ()),
            SearchedPage(days(0, 32), ("4", "5"), 3, 7000, 500, ()),
            SearchedPage(days(0, 32), ("4",), 1, 3500, 500, ()),
            SearchedPage(days(32, 64), ("4", "5"), 1, 12, 12, ()),
            SearchedPage(None, ("4", "5"), 1, 12, 12, ()),
        ]
        insert_searches(session, queries[0].query_id, "upload", looks, START)
    catalogue = any_party.catalogue
    learnt = Learnt(catalogue, "upload", "4,5")
    assert learnt.load(queries[0].query_id) == (Known(days(0, 32), 7000), Known(days(32, 64), 0))
    assert learnt.load(queries[1].query_id) == ()
    assert Learnt(catalogue, "taken", "4,5").load(queries[0].query_id) == ()
    learnt.add(queries[1].query_id, [Known(days(0, 2), 5)])
    assert learnt.load(queries[1].query_id) == (Known(days(0, 2), 5),)


KNOWN = Experience(Figure(0.2, True), Figure(0.8, True), Figure(100_000, True), Figure(10, False))


def test_calls_are_for_photos_that_do_not_wait_yet_and_losses_are_counted_in() -> None:
    forecast = make_forecast(KNOWN, target=1000, images=200, waiting=100, calls_per_hour=3600)
    assert forecast.missing == 800
    assert forecast.photos == 1000
    assert forecast.calls == 180
    assert forecast.bytes == 80_000_000
    assert forecast.hours == pytest.approx(80 / 3600)


def test_the_budget_decides_where_calls_are_scarce() -> None:
    forecast = make_forecast(KNOWN, target=80_000, images=0, waiting=0, calls_per_hour=1000)
    assert forecast.calls == 20_000
    assert 20 < forecast.hours < 22.5


def test_a_target_that_is_reached_takes_nothing() -> None:
    forecast = make_forecast(KNOWN, target=10, images=12, waiting=0, calls_per_hour=3600)
    assert (forecast.missing, forecast.calls, forecast.hours, forecast.bytes) == (0, 0, 0, 0)
    assert "0 are missing" in describe(forecast)


def test_a_party_that_has_fetched_enough_knows_its_own_figures(any_party: Party) -> None:
    count = 2 * ENOUGH
    ids = add_photos(any_party, count)
    with any_party.catalogue.writing() as session:
        query = Query(source="flickr", class_name="cat", keyword="tabby", searches=30, draws=10)
        session.add(query)
        for number, photo_id in enumerate(ids):
            photo = session.get_one(Photo, photo_id)
            photo.query = query
            if number % 4 == 0:
                photo.state, photo.reason = PhotoState.GONE, "deleted"
                continue
            photo.state = PhotoState.FETCHED
            photo.fetched_at = NOON + timedelta(seconds=number)
            photo.image = make_image(f"{number:064x}", NOON, bytes=90_000)
    with any_party.catalogue.reading() as session:
        known = load_experience(session, any_party.settings.collect, 8)
    assert known.calls_per_photo == Figure(0.3, True)
    assert known.images_per_photo == Figure(0.75, True)
    assert known.bytes_per_image == Figure(90_000, True)
    assert known.images_per_sec.is_learnt
    assert known.images_per_sec.value == pytest.approx(0.75, abs=0.02)
    forecast = load_forecast(any_party, Order(target=175))
    assert (forecast.images, forecast.missing) == (75, 100)
    assert "assumed" not in describe(forecast)
