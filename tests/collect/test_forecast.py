"""What a target will take, from what the catalogue has seen."""

from __future__ import annotations

from datetime import timedelta

import pytest

from catalog.party import Party
from catalog.states import PhotoState
from catalog.tables import Photo, Query
from collect.forecast import ENOUGH, Experience, Figure, describe, load_experience, make_forecast
from collect.job import Order, load_forecast
from tests.rows import make_image

from .clocks import NOON
from .rows import add_photos

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
