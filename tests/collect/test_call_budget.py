"""The budget of calls, shared through the catalogue, on both databases."""

from __future__ import annotations

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.party import Party
from collect.asking import CallBudget, Rate
from collect.pauses import Clock

from .clocks import NOON, TestClock

HOUR = timedelta(hours=1)


def most_in_an_hour(called_at: list[datetime]) -> int:
    called_at.sort()
    return max(sum(first <= at < first + HOUR for at in called_at) for first in called_at)


@pytest.mark.parametrize("calls_per_hour", [1, 7, 100])
def test_no_hour_sees_more_calls_than_allowed_and_few_are_wasted(
    party: Party, time: TestClock, calls_per_hour: int
) -> None:
    budget = CallBudget(party.catalogue, "k3y", calls_per_hour, time.clock)
    called_at = []
    for _ in range(3 * calls_per_hour):
        budget.take()
        called_at.append(time.moment)
    assert most_in_an_hour(called_at) <= calls_per_hour
    assert called_at[-1] - called_at[0] <= 3 * HOUR * 1.2


def test_several_processes_share_one_budget(any_party: Party, time: TestClock) -> None:
    budgets = [CallBudget(any_party.catalogue, "k3y", 40, time.clock) for _ in range(3)]
    called_at = []
    for number in range(90):
        budgets[number % 3].take()
        called_at.append(time.moment)
        time.pass_secs(number % 4)
    assert most_in_an_hour(called_at) <= 40


class NoneLeftError(Exception):
    """Raised where a budget would have its thread wait."""


def take_all(budget: CallBudget, together: threading.Barrier) -> int:
    """How many calls the budget gives without a wait."""
    together.wait()
    for count in itertools.count():
        try:
            budget.take()
        except NoneLeftError:
            return count
    raise AssertionError


def test_threads_that_begin_at_once_get_what_there_is_and_no_call_more(any_party: Party) -> None:
    def refuse(_secs: float) -> None:
        raise NoneLeftError

    clock, rate, count = Clock(lambda: NOON, refuse), Rate(400), 6
    with ThreadPoolExecutor(count) as threads:
        for number in range(12):  # each key's row is made by whoever comes first
            together = threading.Barrier(count)
            budgets = [
                CallBudget(any_party.catalogue, f"key {number}", rate.calls_per_hour, clock)
                for _ in range(count)
            ]
            taken = [threads.submit(take_all, budget, together) for budget in budgets]
            assert sum(one.result() for one in taken) == rate.most == 20


@given(st.integers(min_value=1, max_value=100_000))
def test_an_hour_and_what_is_saved_up_keep_to_the_rate(calls_per_hour: int) -> None:
    rate = Rate(calls_per_hour)
    assert rate.most + rate.calls_per_sec * 3600 < calls_per_hour + 1
    assert rate.needed_secs(rate.most) == 0
    assert rate.needed_secs(calls_per_hour * 10) > 9 * 3600
