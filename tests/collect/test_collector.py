"""Runs whose target others fill, or whose hosts refuse for good."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from functools import partial

import pytest

from catalog.party import Party
from catalog.states import ImageState, PhotoState
from collect.errors import HostRefusesError
from collect.job import Order, Patience, load_progress, run_collect
from collect.pauses import Backoff
from simulate.flickr.server import StandIn
from tests.rows import make_image

from .clocks import NOON, TestClock
from .flickrs import CLASSES, Holding, at_flickr
from .loopback import Answer, Handler, Loopback
from .pictures import jpeg_bytes
from .rows import add_photos, load_photo

pytestmark = pytest.mark.slow

QUICK = Patience(Backoff(0.001, 2, 0.02), faults_in_a_row=3, dry_draws_in_a_row=5)
GOOD, BAD = "127.0.0.1", "localhost"
REST_SECS = 120
REST = partial(Handler.send, status=429, Retry_After=str(REST_SECS))
HOURS = partial(Handler.send, status=429, Retry_After="7200")
BROKEN = partial(Handler.send, status=503)


def add_waiting(
    party: Party, flickr: StandIn, loopback: Loopback, refuses: Answer, *, workers: int
) -> tuple[Party, list[int], list[int]]:
    """A party with twelve photos of a host that refuses, and after them four of a good one."""
    port = loopback.host.partition(":")[2]
    bad = [f"http://{BAD}:{port}/bad/{number}.jpg" for number in range(12)]
    good = [f"http://{GOOD}:{port}/{number}.jpg" for number in range(4)]
    for number, url in enumerate(bad + good):
        data = jpeg_bytes(200, 150, tint=number * 9)
        answer = refuses if url in bad else partial(Handler.send, status=200, body=data)
        loopback.answers[url.partition(port)[2]] = answer
    party = at_flickr(party, flickr, workers=workers)
    hosts = replace(party.settings.flickr, image_hosts=(f"{GOOD}:{port}", f"{BAD}:{port}"))
    commons = replace(party.settings.commons, image_hosts=())
    party = replace(party, settings=replace(party.settings, flickr=hosts, commons=commons))
    ids = add_photos(party, len(bad + good), bad + good)
    return party, ids[: len(bad)], ids[len(bad) :]


@pytest.mark.parametrize("refuses", [REST, HOURS, BROKEN])
def test_the_photos_of_other_hosts_are_fetched_to_the_target(
    any_party: Party, flickr: StandIn, loopback: Loopback, refuses: Answer
) -> None:
    party, bad, good = add_waiting(any_party, flickr, loopback, refuses, workers=2)
    began_secs = time.monotonic()
    summary = run_collect(party, Order(len(good)), patience=QUICK)
    assert time.monotonic() - began_secs < REST_SECS
    assert summary.fetched == len(good)
    assert {load_photo(party, one).state for one in good} == {PhotoState.FETCHED}
    left = [load_photo(party, one) for one in bad]
    assert {(it.state, it.attempts, it.claimed_by) for it in left} == {(PhotoState.FOUND, 0, None)}


def test_where_no_other_host_has_any_left_the_run_ends_with_a_sentence_and_goes_on_later(
    party: Party, flickr: StandIn, loopback: Loopback
) -> None:
    party, bad, good = add_waiting(party, flickr, loopback, BROKEN, workers=1)
    clock, target = TestClock(), len(good) + 3
    with pytest.raises(HostRefusesError, match=r"localhost refused 4 times .* same command again"):
        run_collect(party, Order(target), patience=QUICK, clock=clock.clock)
    assert load_progress(party) == len(good)
    left = [load_photo(party, one) for one in bad]
    assert {(it.state, it.attempts, it.claimed_by) for it in left} == {(PhotoState.FOUND, 0, None)}
    for number in range(len(bad)):
        data = jpeg_bytes(200, 150, tint=100 + number * 9)
        loopback.answers[f"/bad/{number}.jpg"] = partial(Handler.send, status=200, body=data)
    clock.pass_secs(300)
    run_collect(party, Order(target), patience=QUICK, clock=clock.clock)
    assert load_progress(party) == target


def test_a_single_host_that_is_given_up_ends_the_run_at_once_and_holds_no_photo(
    party: Party, flickr: StandIn, loopback: Loopback
) -> None:
    party, bad, good = add_waiting(party, flickr, loopback, HOURS, workers=2)
    with party.catalogue.writing() as session:
        for one in good:
            session.delete(load_photo(party, one))
    with pytest.raises(HostRefusesError, match="asks for a pause of 7200 s"):
        run_collect(party, Order(3), patience=QUICK)
    left = [load_photo(party, one) for one in bad]
    assert {(it.state, it.attempts, it.claimed_until_at) for it in left} == {
        (PhotoState.FOUND, 0, None)
    }


TARGET = 30


def add_images(party: Party, count: int) -> None:
    with party.catalogue.writing() as session:
        for number in range(count):
            session.add(make_image(f"{number:064}", NOON, state=ImageState.FETCHED))


@pytest.mark.slow
def test_a_run_ends_soon_after_others_have_filled_its_target(party: Party, flickr: StandIn) -> None:
    flickr.faults = holding = Holding()
    at = at_flickr(party, flickr, workers=1)
    seen: list[int] = []

    def see(count: int) -> None:
        seen.append(count)
        holding.release.set()

    filling = threading.Timer(0.5, add_images, (party, TARGET))
    filling.start()
    tally = run_collect(at, Order(TARGET, CLASSES), on_fetched=see)
    filling.join()
    assert load_progress(party) == TARGET + tally.fetched
    assert tally.fetched <= 1  # what it had in hand
    assert sum(seen) == load_progress(party)
