"""Rests of several image hosts, on a clock that is turned by hand."""

from __future__ import annotations

import random

from collect.backoff import Backoff
from collect.host_rests import HostRests
from collect.pauses import Pauses

from .clocks import TestClock

ONE, ANOTHER = "https://one.example/a.jpg", "https://another.example:8443/b.jpg"


def make_rests(time: TestClock) -> HostRests:
    pauses = Pauses(time.clock, Backoff(1, 2, 60), random.Random(0), most_in_a_row=3)
    return HostRests(pauses)


def test_a_rest_is_the_hosts_own() -> None:
    rests = make_rests(TestClock())
    rests.refuse(ONE, "HTTP 429", 30)
    assert rests.left_secs(ONE.replace("a.jpg", "c.jpg")) == 30
    assert rests.left_secs(ANOTHER) == 0


def test_all_rest_until_the_first_is_back_and_only_if_every_known_one_does() -> None:
    time = TestClock()
    rests = make_rests(time)
    assert rests.left_secs_of_all() == 0
    for url, secs in ((ONE, 30), (ANOTHER, 20)):
        assert rests.left_secs(url) == 0
        assert rests.left_secs_of_all() == 0
        rests.refuse(url, "HTTP 429", secs)
    assert rests.left_secs_of_all() == 20
    time.pass_secs(20)
    assert rests.left_secs_of_all() == 0


def test_addresses_that_lead_nowhere_share_a_name() -> None:
    rests = make_rests(TestClock())
    rests.refuse("mailto:ann", "HTTP 503", 5)
    assert rests.left_secs("") == 5
    assert rests.left_secs(ONE) == 0
