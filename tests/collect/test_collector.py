"""Runs whose target others fill, or whose hosts refuse for good."""

from __future__ import annotations

import threading
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
HOURS = partial(Handler.send, status=429, Retry_After="7200")
BROKEN = partial(Handler.send, status=503)


@pytest.mark.parametrize(
    ("refuses", "told"),
    [
        (HOURS, "The image host asks for a pause of 7200 s"),
        (BROKEN, r"The image host refused 4 times .*HTTP 503.* same command again"),
    ],
)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_host_that_is_given_up_ends_the_run_with_a_sentence_and_holds_no_photo(
    party: Party, flickr: StandIn, loopback: Loopback, refuses: Answer, told: str, workers: int
) -> None:
    urls = [loopback.url(f"/{number}.jpg") for number in range(12)]
    loopback.answers |= {f"/{number}.jpg": refuses for number in range(len(urls))}
    party = at_flickr(party, flickr, workers=workers)
    hosts = replace(party.settings.flickr, image_hosts=(loopback.host,))
    party = replace(party, settings=replace(party.settings, flickr=hosts))
    ids, clock = add_photos(party, len(urls), urls), TestClock()
    with pytest.raises(HostRefusesError, match=told):
        run_collect(party, Order(3), patience=QUICK, clock=clock.clock)
    left = [load_photo(party, one) for one in ids]
    assert {(it.state, it.attempts, it.claimed_by) for it in left} == {(PhotoState.FOUND, 0, None)}
    for number in range(len(urls)):
        data = jpeg_bytes(200, 150, tint=number * 9)
        loopback.answers[f"/{number}.jpg"] = partial(Handler.send, status=200, body=data)
    clock.pass_secs(300)
    run_collect(party, Order(3), patience=QUICK, clock=clock.clock)
    assert load_progress(party) == 3


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
