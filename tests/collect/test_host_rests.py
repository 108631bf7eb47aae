"""Rests of several image hosts, on a clock that is turned by hand."""

from __future__ import annotations

import random

import pytest

from collect.backoff import Backoff
from collect.errors import HostRefusesError
from collect.host_rests import MOST_PASSED_OVER, HostRests
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


def give_up(rests: HostRests, url: str) -> HostRefusesError:
    rests.left_secs(url)
    rests.refuse(url, "HTTP 429", 7200)
    refusal = rests.find_refusal(url)
    assert refusal is not None
    return refusal


def test_a_host_that_is_given_up_ends_nothing_while_another_is_known() -> None:
    time = TestClock()
    rests = make_rests(time)
    assert rests.left_secs(ANOTHER) == 0
    refusal = give_up(rests, ONE)
    assert "one.example asks to come back after 7200 s" in str(refusal)
    assert rests.given_up == ("one.example",)
    assert rests.find_refusal(ANOTHER) is None
    assert rests.find_refusal_of_all() is None
    rests.refuse(ANOTHER, "HTTP 503", 20)
    assert rests.left_secs_of_all() == 20  # of those that will be asked again
    time.pass_secs(20)
    give_up(rests, ANOTHER)
    assert rests.find_refusal_of_all() is refusal


def test_a_host_that_answers_after_all_is_asked_again() -> None:
    rests = make_rests(TestClock())
    give_up(rests, ONE)
    rests.succeed(ONE)
    assert rests.find_refusal(ONE) is None
    assert rests.find_refusal_of_all() is None


def test_a_photo_that_is_passed_over_twice_ends_the_run_unless_something_came_meanwhile() -> None:
    time = TestClock()
    rests = make_rests(time)
    rests.left_secs(ANOTHER)
    refusal = give_up(rests, ONE)
    for _ in range(3):
        rests.pass_over(1, refusal)
        rests.pass_over(2, refusal)
        rests.succeed(ANOTHER)
    rests.pass_over(1, refusal)
    rests.refuse(ANOTHER, "HTTP 429", 30)
    rests.pass_over(1, refusal)  # the other host may still be waited for
    time.pass_secs(30)
    with pytest.raises(HostRefusesError, match=r"one\.example"):
        rests.pass_over(1, refusal)


def test_draws_that_find_photos_of_such_a_host_alone_have_an_end() -> None:
    rests = make_rests(TestClock())
    rests.left_secs(ANOTHER)
    refusal = give_up(rests, ONE)
    for photo_id in range(MOST_PASSED_OVER):
        rests.pass_over(photo_id, refusal)
    with pytest.raises(HostRefusesError):
        rests.pass_over(MOST_PASSED_OVER, refusal)
