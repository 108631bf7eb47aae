"""A mad source, a disk that comes and goes, and a clock that jumps cost no photograph."""

from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import select

from catalog.errors import ImageStoreError
from catalog.party import Party
from catalog.states import PhotoState
from catalog.tables import Photo, Search
from collect import recheck
from collect.errors import (
    HostRefusesError,
    PhotoUnreachableError,
    SearchesDryError,
    SourceUnavailableError,
)
from collect.fetching import Downloader
from collect.flickr import parse_info, parse_results
from collect.job import Order, load_progress, run_collect
from collect.pauses import Backoff, Clock
from collect.tally import Tally, format_left_out
from collect.transport import ImageHosts
from simulate.flickr.faults import Faults, parse_rule
from simulate.flickr.folder import read_library
from simulate.flickr.server import StandIn
from tests.rows import load_rows

from .flickrs import CLASSES, at_flickr, make_pictures
from .loopback import Answer, Handler, Loopback
from .pictures import jpeg_bytes
from .rows import TestClock
from .test_doubts import QUICK, Forbidden, lead, load_outcomes, queue, serve
from .test_job import check_that_totals_add_up, collect
from .test_recheck import keep_all

ROOMY = {"photos_per_owner": 1000, "photos_per_owner_and_day": 1000, "workers": 1}


@pytest.mark.parametrize(
    "kind", ["odd-types", "repeats", "one-owner", "many-more", "undercount", "odd-ids"]
)
def test_a_search_that_answers_nonsense_costs_no_photograph(
    party: Party, flickr: StandIn, kind: str
) -> None:
    at = at_flickr(party, flickr, **ROOMY)
    flickr.faults = Faults((parse_rule(f"{kind}=1"),))
    with suppress(SearchesDryError):
        collect(at, 8)
    photos = load_rows(at, select(Photo))
    assert {photo.state for photo in photos} <= {PhotoState.FETCHED, PhotoState.FOUND}
    flickr.faults = Faults()
    collect(at, 12)
    assert load_progress(at) == 12
    check_that_totals_add_up(at)


def test_results_that_cannot_be_read_are_left_out_and_told(party: Party, flickr: StandIn) -> None:
    at = at_flickr(party, flickr, **ROOMY)
    flickr.faults = Faults((parse_rule("odd-ids=1"),))
    tally = Tally()
    with suppress(SearchesDryError):  # the first of each answer is an odd one
        run_collect(at, Order(8, CLASSES), tally=tally, patience=QUICK)
    reason = "its id or its owner's is none of Flickr"
    assert reason in format_left_out(tally)
    assert any(name.startswith("unreadable record 1 of page ") for name in tally.left_out)
    assert any(reason in search.left_out for search in load_rows(at, select(Search)))


def test_an_answer_of_which_nothing_can_be_read_is_no_answer() -> None:
    def answer(count: int) -> dict[str, object]:
        photo = [{"id": f"p{number}", "owner": "1@N00"} for number in range(count)]
        return {"photos": {"photo": photo, "total": count}}

    assert parse_results(answer(7), 500).unreadable == 7
    with pytest.raises(SourceUnavailableError, match="None of 8 results has an id"):
        parse_results(answer(8), 500)


def test_searches_without_a_single_result_may_be_the_fault_of_the_source(
    party: Party, flickr: StandIn
) -> None:
    at = at_flickr(party, flickr, **ROOMY)
    flickr.faults = Faults((parse_rule("no-results=1"),))
    with pytest.raises(SearchesDryError, match="none had a single result"):
        run_collect(at, Order(8, CLASSES), patience=QUICK)


def lose_first(loopback: Loopback, urls: Sequence[str], answer: Answer) -> None:
    """Let the first request for each address get this answer, and later ones the picture."""
    for url in urls:
        path = url.removeprefix(loopback.url(""))
        picture = loopback.answers[path]

        def choose(handler: Handler, path: str = path, picture: Answer = picture) -> None:
            (answer if handler.server.paths.count(path) == 1 else picture)(handler)

        loopback.answers[path] = choose


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(partial(Handler.send, status=404), id="404"),
        pytest.param(partial(Handler.send, status=403), id="403"),
        pytest.param(partial(Handler.send, status=302, Location="https://x.example/"), id="sent"),
        pytest.param(partial(Handler.send, status=200, body=jpeg_bytes(200, 150)[:900]), id="half"),
        pytest.param(partial(Handler.send, status=200, body=b"GIF89a"), id="gif"),
        pytest.param(partial(Handler.send, status=403, Retry_After="0"), id="limit"),
    ],
)
def test_an_answer_that_comes_only_once_costs_no_photograph(
    party: Party, flickr: StandIn, loopback: Loopback, answer: Answer
) -> None:
    urls = serve(loopback, [None] * 9)
    lose_first(loopback, urls[1::2], answer)
    at = lead(party, flickr, loopback.host, workers=1)
    queue(at, urls)
    run_collect(at, Order(9), patience=QUICK)
    assert load_outcomes(at) == {(PhotoState.FETCHED, ""): 9}


@pytest.mark.parametrize(
    ("status", "asked", "reason"), [(403, "3600", "http_status"), (502, "0", "host_busy")]
)
def test_a_photograph_that_always_asks_to_come_back_later_stops_no_other(
    party: Party, flickr: StandIn, loopback: Loopback, status: int, asked: str, reason: str
) -> None:
    later = partial(Handler.send, status=status, Retry_After=asked)
    urls = serve(loopback, [later, None, None])
    at = lead(party, flickr, loopback.host, workers=1)
    queue(at, urls)
    with suppress(SearchesDryError):
        run_collect(at, Order(3), patience=QUICK)
    assert load_outcomes(at) == {(PhotoState.FETCHED, ""): 2, (PhotoState.BROKEN, reason): 1}


def test_a_picture_that_is_too_small_is_asked_for_once(
    party: Party, flickr: StandIn, loopback: Loopback
) -> None:
    small = partial(Handler.send, status=200, body=jpeg_bytes(300, 50))
    at = lead(party, flickr, loopback.host, workers=1)
    queue(at, serve(loopback, [small, None]))
    with suppress(SearchesDryError):
        run_collect(at, Order(2), patience=QUICK)
    assert load_outcomes(at)[PhotoState.BROKEN, "too_small"] == 1
    assert sorted(loopback.server.paths) == ["/0.jpg", "/1.jpg"]


def test_photographs_of_other_dates_than_asked_for_are_left_out_and_told(
    party: Party, flickr: StandIn
) -> None:
    at = at_flickr(party, flickr, **ROOMY)
    flickr.faults = Faults((parse_rule("other-dates=1"),))
    tally = Tally()
    with pytest.raises(SearchesDryError):
        run_collect(at, Order(8, CLASSES), tally=tally, patience=QUICK)
    assert load_rows(at, select(Photo)) == []
    assert "its date is not one that was asked for" in format_left_out(tally)
    flickr.faults = Faults()
    collect(at, 8)
    for photo in load_rows(at, select(Photo)):
        assert photo.uploaded_at
        assert photo.window_start_at
        assert photo.window_end_at
        assert photo.window_start_at <= photo.uploaded_at < photo.window_end_at


def test_a_record_of_another_photograph_withdraws_none(party: Party, tmp_path: Path) -> None:
    folder = make_pictures(tmp_path / "pictures", 3)
    keep_all(party, folder)
    with pytest.raises(SourceUnavailableError, match="another photo"):
        parse_info("1", b'{"photo": {"id": "2", "license": "0"}, "stat": "ok"}')
    faults = Faults((parse_rule("other-photo=1"),))
    with StandIn(read_library(folder), faults=faults) as flickr:
        at = at_flickr(party, flickr)
        time = TestClock()
        with pytest.raises(HostRefusesError, match="answer is about another photo"):
            recheck.recheck_photos(at, clock=time.clock, backoff=Backoff(0.001, 2, 0.02))
    assert {photo.state for photo in load_rows(party, select(Photo))} == {PhotoState.FETCHED}


@pytest.mark.parametrize("status", [204, 206, 304, 408, 421, 425])
def test_a_status_that_says_nothing_of_a_photograph_is_asked_again(
    party: Party, loopback: Loopback, status: int
) -> None:
    loopback.answers["/1.jpg"] = lambda handler: handler.send(status)
    hosts = ImageHosts([loopback.host])
    downloader = Downloader(hosts, party.settings.collect)
    with closing(downloader), pytest.raises(PhotoUnreachableError) as caught:
        downloader.fetch(loopback.url("/1.jpg"))
    assert not caught.value.permanent


def test_a_store_that_is_away_for_a_while_costs_no_photograph(
    party: Party, flickr: StandIn
) -> None:
    at = at_flickr(party, flickr, **ROOMY)
    store = party.store.folder
    assert store is not None
    elsewhere = store.with_name("elsewhere")

    def unmount(_count: int) -> None:
        if load_progress(at) >= 3 and store.exists():
            store.rename(elsewhere)

    with pytest.raises(ImageStoreError) as caught:
        run_collect(at, Order(12), on_fetched=unmount, patience=QUICK)
    assert "\n" not in str(caught.value)
    states = {photo.state for photo in load_rows(at, select(Photo))}
    assert states == {PhotoState.FETCHED, PhotoState.FOUND}
    assert not any(store.glob("??/*"))  # nothing was stored in a folder made anew
    if store.exists():
        store.rmdir()
    elsewhere.rename(store)
    run_collect(at, Order(12), patience=QUICK)
    assert load_progress(at) == 12
    check_that_totals_add_up(at)


def test_a_clock_that_jumps_ahead_during_a_run_confirms_no_miss(
    party: Party, flickr: StandIn, loopback: Loopback
) -> None:
    """The hour of a doubt and the lease of the run are over at once, within one run."""
    time = TestClock()
    urls = serve(loopback, [Forbidden, Forbidden, Forbidden])
    at = lead(party, flickr, loopback.host, attempts=1, workers=1)
    queue(at, urls)

    def jump() -> datetime:
        time.moment += timedelta(hours=5)
        return time.moment

    with pytest.raises(SearchesDryError):
        run_collect(at, Order(500), patience=QUICK, clock=Clock(jump, time.pass_secs))
    assert set(load_outcomes(at)) == {(PhotoState.FOUND, "private")}
