"""The forecast of a target, from the figures of the catalogue."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from catalog.party import Party
from catalog.states import ImageState, PhotoState
from catalog.tables import Photo, Query, Search
from collect.errors import SearchesDryError
from collect.forecast import (
    ENOUGH,
    Experience,
    Figure,
    Forecast,
    Rehearsed,
    describe,
    load_experience,
    load_survival,
    make_forecast,
)
from collect.job import Order, load_forecast, run_collect
from simulate.flickr.server import StandIn
from tests.rows import load_rows, make_image, reading
from vockit.errors import SettingsError

from .flickrs import at_flickr, with_collect
from .rows import NOON, add_photos

KNOWN = Experience(
    Figure(0.8, True),
    Figure(100_000, True),
    Figure(10, False),
    Figure(0.5, True),
)


def with_key(party: Party) -> Party:
    flickr = replace(party.settings.flickr, key="k3y")
    return replace(party, settings=replace(party.settings, flickr=flickr))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"licences": ("99",)}, "collect.licences"),
        ({"first_date": date(2999, 1, 1)}, "first_date"),
    ],
)
def test_the_plan_refuses_what_the_run_refuses(
    party: Party, settings: dict[str, Any], sentence: str
) -> None:
    at = with_collect(with_key(party), **settings)
    with pytest.raises(SettingsError, match=sentence):
        run_collect(at, Order(5))
    with pytest.raises(SettingsError, match=sentence):
        load_forecast(at, Order(5))
    with pytest.raises(SettingsError, match="No Flickr key"):
        load_forecast(party, Order(5))


def make_plan(**values: Any) -> Forecast:
    """A forecast of some party, with these values in the place of usual ones."""
    usual = {"target": 63, "images": 26, "waiting": 0, "calls_per_hour": 3600}
    asked = Rehearsed(calls=380, found=93, queries=20)
    return make_forecast(KNOWN, **(usual | {"plenty": asked, "sparse": asked} | values))


def test_the_plan_says_what_will_be_fetched_not_only_what_is_missing() -> None:
    forecast = make_plan()
    assert (forecast.missing, forecast.fetched) == (37, 74)
    assert "37 missing: 74 to fetch" in describe(forecast)


def test_a_short_run_needs_more_calls_for_each_photo(party: Party) -> None:
    at = with_collect(with_key(party), first_date=date(2010, 1, 1), last_date=date(2017, 12, 31))
    short, long = (load_forecast(at, Order(target, seed=1)) for target in (20, 2000))
    assert short.calls == 44  # one photo of each draw, the first of each query takes two calls
    assert long.calls < 800  # ten photos of each draw


def test_the_plan_of_a_first_run_says_on_what_its_calls_depend(party: Party) -> None:
    plan = describe(load_forecast(with_key(party), Order(20)))
    assert "queries were never asked" in plan
    assert "if nothing: more" in plan
    assert "never asked" not in describe(make_plan())


@pytest.mark.parametrize("source", ["flickr", "commons"])
def test_the_plan_says_the_calls_that_later_runs_make(
    party: Party, large_flickr: StandIn, source: str
) -> None:
    caps = {"photos_per_owner": 100, "photos_per_owner_and_day": 100}
    at = at_flickr(party, large_flickr, source=source, workers=1, **caps)
    classes = ("cat", "sheep")
    run_collect(at, Order(12, classes))
    for target in (20, 40):
        plan = load_forecast(at, Order(target, classes))
        before = count_calls(at)
        run_collect(at, Order(target, classes))
        made = count_calls(at) - before
        assert plan.calls == pytest.approx(made, abs=3 + 0.15 * made)
        assert plan.exit_status == 0


def test_the_plan_says_where_searches_have_too_few_photographs(
    party: Party, flickr: StandIn
) -> None:
    at = at_flickr(party, flickr, photos_per_owner=100)
    order = Order(100, ("cat",))
    with pytest.raises(SearchesDryError):
        run_collect(at, order)
    calls = count_calls(at)
    plan = load_forecast(at, order)
    assert plan.exit_status == 1
    assert "then searches find nothing new: about 0 photographs" in describe(plan)
    assert count_calls(at) == calls


def test_the_plan_writes_nothing(party: Party) -> None:
    load_forecast(with_key(party), Order(20))
    assert load_rows(party, select(Query)) == []


def count_calls(party: Party) -> int:
    """How many searches the party's runs made."""
    return len(load_rows(party, select(Search.id)))


def test_the_forecast_adds_losses_to_what_is_missing() -> None:
    forecast = make_plan(target=1000, images=200, waiting=100, calls_per_hour=36_000)
    assert forecast.missing == 800
    assert forecast.photos == 2000  # of 1600 images, half of which can be used
    assert forecast.bytes == 160_000_000
    assert forecast.hours == pytest.approx(160 / 3600)


def test_photos_that_wait_need_no_calls(any_party: Party) -> None:
    add_photos(any_party, 30)
    settings = {"licences": ("4",), "last_date": None}
    at = with_collect(with_key(any_party), **settings)
    waiting = load_forecast(at, Order(20)).waiting
    assert load_forecast(at, Order(waiting // 2)).calls == 0


def test_a_party_with_enough_photos_forecasts_from_its_own_rates(any_party: Party) -> None:
    count = 2 * ENOUGH
    ids = add_photos(any_party, count)
    with any_party.catalogue.writing() as session:
        query = Query(source="flickr", class_id="cat", keyword="tabby", searches=30, draws=10)
        session.add(query)
        for number, photo_id in enumerate(ids):
            photo = session.get_one(Photo, photo_id)
            photo.query = query
            if number % 4 == 0:
                photo.state = PhotoState.GONE
                photo.reason = "deleted"
                continue
            photo.state = PhotoState.FETCHED
            photo.fetched_at = NOON + timedelta(seconds=number)
            photo.image = make_image(f"{number:064x}", NOON, bytes=90_000)
    known = reading(any_party, load_experience, 8)
    assert known.images_per_photo == Figure(0.75, True)
    assert known.bytes_per_image == Figure(90_000, True)
    assert known.images_per_sec.is_learnt
    assert known.images_per_sec.value == pytest.approx(0.75, abs=0.02)
    forecast = load_forecast(with_key(any_party), Order(target=175))
    assert (forecast.images, forecast.missing) == (75, 100)
    assert "assumed" not in describe(forecast).replace("discarded; assumed", "")


def test_a_target_does_not_count_near_duplicates_or_discards(any_party: Party) -> None:
    counts = {
        ImageState.FETCHED: 10,
        ImageState.POOL: 10,
        ImageState.DUPLICATE: 20,
        ImageState.ANNOTATED: 40,
        ImageState.DISCARDED: 10,
    }
    with any_party.catalogue.writing() as session:
        for state, count in counts.items():
            session.add_all(
                make_image(f"{state} {n}".encode().hex().zfill(64)[:64], NOON, state=state)
                for n in range(count)
            )
    survival = reading(any_party, load_survival)
    share = (60 / 80) * (40 / 50)  # single ones of those compared, kept ones of those judged
    assert survival.share == Figure(share, True)
    assert survival.images == round(40 + 10 * 0.8 + 10 * share)
    assert survival.count_to_fetch(survival.images) == 0
    assert survival.count_to_fetch(survival.images + 6) == 10
    forecast = load_forecast(with_key(any_party), Order(target=100))
    assert (forecast.images, forecast.missing) == (54, 46)
    assert "Target: 100 usable images. Have 54" in describe(forecast)


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ({"zebra": 5}, "zebra"),
        ({"cat": 1500, "dog": 501}, "add up to 2001, more than target_images = 2000"),
    ],
)
def test_the_plan_refuses_bad_targets(party: Party, targets: dict[str, int], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        settings = {"class_targets": targets, "target_images": 2000}
        load_forecast(with_collect(with_key(party), **settings), Order())


def test_a_smaller_target_reduces_every_class_in_proportion(party: Party) -> None:
    party = with_collect(with_key(party), class_targets={"cat": 400}, target_images=2000)
    forecast = load_forecast(party, Order(target=350))
    assert forecast.classes["cat"] == 70
    assert forecast.classes["dog"] == pytest.approx(280 / 19, abs=1)
    assert "cat 70" in describe(forecast)
