"""Settings are asked when a queued photograph is claimed, whatever they were when it was found."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import pytest
from sqlalchemy import select, update

from catalog.party import Party
from catalog.states import PhotoState, Source
from catalog.tables import BlockedOwner, Photo, Query
from collect.errors import SearchesDryError
from collect.forecast import describe
from collect.job import Order, load_forecast, run_collect
from collect.tally import Tally, format_left_out
from simulate.flickr.search import Library
from simulate.flickr.server import StandIn
from tests.rows import load_rows

from .flickrs import at_flickr, with_collect
from .loopback import Handler, Loopback
from .pictures import jpeg_bytes
from .rows import NOON, TestClock
from .test_doubts import ALL, QUICK, with_hosts

BY = ("4", "CC BY 2.0")
BY_NC = ("2", "CC BY-NC 2.0")


def queue(party: Party, loopback: Loopback, rows: Sequence[Mapping[str, object]]) -> list[int]:
    """The ids of photos that wait with these columns, each with a picture of its own."""
    with party.catalogue.writing() as session:
        queries = {name: make_query(name) for name in ("cat", "dog")}
        session.add_all(queries.values())
        session.flush()
        photos = []
        for number, row in enumerate(rows):
            data = jpeg_bytes(200, 150, tint=number * 9)
            loopback.answers[f"/{number}.jpg"] = partial(Handler.send, status=200, body=data)
            known = {
                "source": Source.FLICKR,
                "source_id": str(number),
                "owner_id": f"owner {number}",
                "licence_id": BY[0],
                "licence_name": BY[1],
                "found_at": NOON,
                "image_url": loopback.url(f"/{number}.jpg"),
                "uploaded_at": datetime(2012, 1, 1 + number, tzinfo=UTC),
            }
            query_id = queries[str(row.get("class_name", "cat"))].id
            added = {name: value for name, value in row.items() if name != "class_name"}
            photos.append(Photo(**{**known, **added, "query_id": query_id}))
        session.add_all(photos)
    return [photo.id for photo in photos]


def make_query(name: str) -> Query:
    return Query(source=Source.FLICKR, class_id=name, keyword=name)


def lead(party: Party, flickr: StandIn, loopback: Loopback, **collect: object) -> Party:
    flickr.library = Library(())
    return with_hosts(at_flickr(party, flickr, **{**ALL, **collect}), loopback.host)


def run(party: Party, time: TestClock, *classes: str) -> Tally:
    """The counts of a run that takes all of the queue that it may."""
    tally = Tally()
    with pytest.raises(SearchesDryError):
        run_collect(party, Order(100, classes), tally=tally, patience=QUICK, clock=time.clock)
    return tally


def load_fetched(party: Party) -> list[str]:
    is_fetched = Photo.state == PhotoState.FETCHED
    return load_rows(party, select(Photo.source_id).where(is_fetched).order_by(Photo.id))


def test_a_licence_that_is_not_allowed_any_more_is_not_fetched(
    any_party: Party, flickr: StandIn, loopback: Loopback, time: TestClock
) -> None:
    free = dict(zip(("licence_id", "licence_name"), BY, strict=True))
    strict = dict(zip(("licence_id", "licence_name"), BY_NC, strict=True))
    queue(any_party, loopback, [free, strict, strict, free])
    at = lead(any_party, flickr, loopback, licences=("4",))
    made = load_forecast(at, Order(100, ("cat",)))
    assert (made.waiting, made.barred) == (2, 2)
    assert "2 photos queued (2 more that the settings do not allow)" in describe(made)
    tally = run(at, time, "cat")
    assert load_fetched(any_party) == ["0", "3"]
    sentence = "Not fetched, but kept in the queue: 2 (the licence CC BY-NC 2.0 is not among"
    assert sentence in format_left_out(tally)
    left = load_rows(any_party, select(Photo).where(Photo.state == PhotoState.FOUND))
    assert {(photo.attempts, photo.claimed_by, photo.reason) for photo in left} == {(0, None, None)}
    run(with_collect(at, licences=("4", "2")), time, "cat")
    assert load_fetched(any_party) == ["0", "1", "2", "3"]


def test_owner_caps_that_were_lowered_hold_for_the_queue(
    any_party: Party, flickr: StandIn, loopback: Loopback, time: TestClock
) -> None:
    rows = [{"owner_id": f"owner {number % 2}"} for number in range(10)]
    queue(any_party, loopback, rows)
    at = lead(any_party, flickr, loopback, photos_per_owner=2, workers=2)
    assert run(at, time, "cat").barred.total() == 6
    assert load_fetched(any_party) == ["0", "1", "2", "3"]
    assert run(at, time, "cat").fetched == 0


def test_the_cap_of_an_owners_day_holds_for_the_queue(
    party: Party, flickr: StandIn, loopback: Loopback, time: TestClock
) -> None:
    queue(party, loopback, [{"owner_id": "ann", "uploaded_at": NOON} for _ in range(3)])
    run(lead(party, flickr, loopback, photos_per_owner_and_day=1), time, "cat")
    assert load_fetched(party) == ["0"]


def test_a_run_of_one_class_leaves_the_others_in_the_queue(
    any_party: Party, flickr: StandIn, loopback: Loopback, time: TestClock
) -> None:
    rows = [{"class_name": ("cat", "dog")[number % 2]} for number in range(6)]
    queue(any_party, loopback, rows)
    at = lead(any_party, flickr, loopback, dates="none")
    assert load_forecast(at, Order(100, ("dog",))).waiting == 3
    tally = run(at, time, "dog")
    assert load_fetched(any_party) == ["1", "3", "5"]
    assert dict(tally.barred) == {"the class cat is not collected in this run": 3}
    run(at, time)
    assert len(load_fetched(any_party)) == 6


def test_size_dates_and_blocked_owners_are_asked_too(
    party: Party, flickr: StandIn, loopback: Loopback, time: TestClock
) -> None:
    window = {"window_start_at": NOON.replace(year=2003), "window_end_at": NOON.replace(year=2004)}
    rows: list[Mapping[str, object]] = [
        {"promised_width": 200, "promised_height": 150},
        {"owner_id": "ann"},
        {**window, "uploaded_at": NOON.replace(year=2003, month=8)},
        {},
    ]
    queue(party, loopback, rows)
    with party.catalogue.writing() as session:
        session.add(BlockedOwner(owner_id="ann", reason="takedown", blocked_at=NOON))
    at = lead(party, flickr, loopback, min_side_px=160)
    with party.catalogue.reading() as session:
        assert session.scalar(select(Photo.promised_width)) == 200
    small = replace(at.settings.collect, min_side_px=160)
    tally = run(replace(at, settings=replace(at.settings, collect=small)), time, "cat")
    assert set(tally.barred) == {
        "smaller than min_side_px = 160",
        "its owner is excluded",
        "its date is not between first_date and last_date",
    }
    assert load_fetched(party) == []  # the last one is smaller than 160 pixels, once decoded


def test_broken_photographs_that_are_retried_are_asked_too(
    party: Party, flickr: StandIn, loopback: Loopback, time: TestClock
) -> None:
    queue(party, loopback, [{}, {"licence_id": BY_NC[0], "licence_name": BY_NC[1]}])
    with party.catalogue.writing() as session:
        session.execute(update(Photo).values(state=PhotoState.BROKEN, reason="html"))
    at = lead(party, flickr, loopback, licences=("4",))
    tally = Tally()
    with pytest.raises(SearchesDryError):
        order = Order(100, ("cat",), retry_broken=True)
        run_collect(at, order, tally=tally, patience=QUICK, clock=time.clock)
    assert load_fetched(party) == ["0"]
    assert tally.barred.total() == 1


def test_the_plan_does_not_count_photographs_of_hosts_that_are_not_allowed(
    party: Party, flickr: StandIn, loopback: Loopback
) -> None:
    queue(party, loopback, [{}, {"image_url": "https://elsewhere.example/1.jpg"}])
    made = load_forecast(lead(party, flickr, loopback), Order(100, ("cat",)))
    assert (made.waiting, made.barred) == (1, 1)
