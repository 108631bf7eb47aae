"""Waits, pauses of a host, and the shared hourly budget, on a clock that the test moves."""

import itertools
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.party import Party
from catalog.session import Catalogue
from collect.asking import CallBudget, Rate
from collect.errors import HostRefusesError
from collect.pauses import Backoff, Clock, Pauses, parse_retry_after

from .rows import NOON, TestClock

NOW = datetime(2015, 10, 21, 7, 27, 0, tzinfo=UTC)


@given(st.integers(min_value=1, max_value=10**6), st.randoms(use_true_random=False))
def test_each_fault_doubles_the_wait_with_jitter(faults: int, jitter: random.Random) -> None:
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
def test_retry_after_gives_seconds_or_a_date(value: str | None, expected: float | None) -> None:
    assert parse_retry_after(value, NOW) == expected


def make_pauses(time: TestClock, catalogue: Catalogue | None = None) -> Pauses:
    return Pauses(time.clock, Backoff(1, 2, 60), most_in_a_row=3, catalogue=catalogue)


def test_each_fault_in_a_row_lengthens_the_pause_until_the_run_gives_up(time: TestClock) -> None:
    pauses = make_pauses(time)
    for _ in range(3):
        pauses.refuse("Flickr", "HTTP 503")
        pauses.wait("Flickr")
    first, second, third = time.waits_secs
    assert 0.5 <= first <= 1 <= second <= 2 <= third <= 4
    with pytest.raises(HostRefusesError, match=r"Flickr refused 4 times in a row \(HTTP 503\)"):
        pauses.refuse("Flickr", "HTTP 503")


@pytest.mark.parametrize("is_answering", [False, True])
def test_parallel_faults_count_as_one_pause(time: TestClock, is_answering: bool) -> None:
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


def test_a_pause_that_one_process_records_holds_for_all(any_party: Party, time: TestClock) -> None:
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


def test_a_shorter_pause_does_not_end_a_longer_one(any_party: Party, time: TestClock) -> None:
    pauses, another = (make_pauses(time, any_party.catalogue) for _ in range(2))
    pauses.refuse("Flickr", "HTTP 429", retry_after_secs=300)
    another.refuse("Flickr", "HTTP 503", retry_after_secs=60)
    assert make_pauses(time, any_party.catalogue).left_secs("Flickr") == 300


HOUR = timedelta(hours=1)


def most_in_an_hour(called_at: list[datetime]) -> int:
    called_at.sort()
    return max(sum(first <= at < first + HOUR for at in called_at) for first in called_at)


@pytest.mark.slow
@pytest.mark.parametrize("calls_per_hour", [1, 7, 100])
def test_no_hour_exceeds_its_calls(party: Party, time: TestClock, calls_per_hour: int) -> None:
    budget = CallBudget(party.catalogue, "k3y", calls_per_hour, time.clock)
    called_at = []
    for _ in range(3 * calls_per_hour):
        budget.take()
        called_at.append(time.moment)
    assert most_in_an_hour(called_at) <= calls_per_hour
    assert called_at[-1] - called_at[0] <= 3 * HOUR * 1.2


def test_a_paced_call_is_not_told_as_a_quota_that_is_used_up(
    party: Party, time: TestClock, caplog: pytest.LogCaptureFixture
) -> None:
    budget = CallBudget(party.catalogue, "k3y", 480, time.clock, 1 / 240)
    for _ in range(4):
        budget.take()
    assert caplog.messages == ["no more calls at once are allowed; one every 7.5 s now"]


@pytest.mark.slow
def test_several_processes_share_one_hourly_budget(any_party: Party, time: TestClock) -> None:
    budgets = [CallBudget(any_party.catalogue, "k3y", 40, time.clock) for _ in range(3)]
    called_at = []
    for number in range(90):
        budgets[number % 3].take()
        called_at.append(time.moment)
        time.pass_secs(number % 4)
    assert most_in_an_hour(called_at) <= 40


class NoneLeftError(Exception):
    """Raised when a budget would make its thread wait."""


def take_all(budget: CallBudget, together: threading.Barrier) -> int:
    """How many calls the budget gives without waiting."""
    together.wait()
    for count in itertools.count():
        try:
            budget.take()
        except NoneLeftError:
            return count
    raise AssertionError


@pytest.mark.slow
def test_concurrent_threads_never_overdraw_the_hourly_budget(any_party: Party) -> None:
    def refuse(_secs: float) -> None:
        raise NoneLeftError

    clock = Clock(lambda: NOON, refuse)
    rate = Rate(400)
    count = 6
    with ThreadPoolExecutor(count) as threads:
        for number in range(12):  # the first thread makes the row of the key
            together = threading.Barrier(count)
            budgets = [
                CallBudget(any_party.catalogue, f"key {number}", rate.calls_per_hour, clock)
                for _ in range(count)
            ]
            taken = [threads.submit(take_all, budget, together) for budget in budgets]
            assert sum(future.result() for future in taken) == rate.most == 20


@given(st.integers(min_value=1, max_value=100_000))
def test_an_hour_including_saved_up_calls_keeps_to_the_limit(calls_per_hour: int) -> None:
    rate = Rate(calls_per_hour)
    assert rate.most + rate.calls_per_sec * 3600 < calls_per_hour + 1
    assert rate.needed_secs(rate.most) == 0
    assert rate.needed_secs(calls_per_hour * 10) > 9 * 3600
