"""Waits that grow, and rests of a host, on a clock that is turned by hand."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.party import Party
from catalog.session import Catalogue
from collect.errors import HostRefusesError
from collect.pauses import Backoff, Pauses, parse_retry_after

from .clocks import TestClock

NOW = datetime(2015, 10, 21, 7, 27, 0, tzinfo=UTC)


@given(st.integers(min_value=1, max_value=10**6), st.randoms(use_true_random=False))
def test_a_wait_doubles_with_each_fault_with_jitter(faults: int, jitter: random.Random) -> None:
    backoff = Backoff(first_secs=1, factor=2, longest_secs=60)
    whole = min(60, 2 ** min(faults - 1, 10))
    assert whole / 2 <= backoff.delay_secs(faults, jitter) <= whole


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("120", 120),
        (" 0 ", 0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 60),
        ("Wed, 21 Oct 2015 07:28:00 -0000", 60),
        ("Wed, 21 Oct 2015 06:28:00 GMT", 0),
        ("soon", None),
        ("-5", None),
        ("1e9", None),
        ("", None),
        (None, None),
        ("9" * 400, 999_999_999),
    ],
)
def test_retry_after_is_read_in_both_its_forms(value: str | None, expected: float | None) -> None:
    assert parse_retry_after(value, NOW) == expected


def make_pauses(time: TestClock, catalogue: Catalogue | None = None) -> Pauses:
    return Pauses(time.clock, Backoff(1, 2, 60), most_in_a_row=3, catalogue=catalogue)


def test_a_host_rests_longer_with_each_fault_in_a_row(time: TestClock) -> None:
    pauses = make_pauses(time)
    for _ in range(3):
        pauses.refuse("Flickr", "HTTP 503")
        pauses.wait("Flickr")
    first, second, third = time.waits_secs
    assert 0.5 <= first <= 1 <= second <= 2 <= third <= 4


@pytest.mark.parametrize("is_answering", [False, True])
def test_faults_of_many_threads_at_once_and_those_before_an_answer_are_one_pause(
    time: TestClock, is_answering: bool
) -> None:
    pauses = make_pauses(time)
    for _ in range(20):
        pauses.refuse("Flickr", "HTTP 429")
        if is_answering:
            pauses.wait("Flickr")
            pauses.succeed("Flickr")
    pauses.wait("Flickr")
    assert time.waits_secs
    assert max(time.waits_secs) <= 1
    assert len(time.waits_secs) == (20 if is_answering else 1)


def test_a_host_that_always_refuses_is_given_up_with_a_sentence(time: TestClock) -> None:
    pauses = make_pauses(time)
    for _ in range(3):
        pauses.refuse("Flickr", "HTTP 503")
        pauses.wait("Flickr")
    with pytest.raises(HostRefusesError, match=r"Flickr refused 4 times in a row \(HTTP 503\)"):
        pauses.refuse("Flickr", "HTTP 503")


def test_a_rest_asked_of_one_process_holds_for_all(any_party: Party, time: TestClock) -> None:
    here = make_pauses(time, any_party.catalogue)
    there = make_pauses(time, any_party.catalogue)
    there.wait("Flickr")
    assert time.waits_secs == []
    here.refuse("Flickr", "HTTP 429", retry_after_secs=30)
    before = time.moment
    there.wait("Flickr")
    assert time.moment - before == timedelta(seconds=30)
    there.wait("another host")
    assert time.moment - before == timedelta(seconds=30)


def test_a_shorter_rest_does_not_end_a_longer_one(any_party: Party, time: TestClock) -> None:
    one, another = (make_pauses(time, any_party.catalogue) for _ in range(2))
    one.refuse("Flickr", "HTTP 429", retry_after_secs=300)
    another.refuse("Flickr", "HTTP 503", retry_after_secs=60)
    assert make_pauses(time, any_party.catalogue).left_secs("Flickr") == 300
