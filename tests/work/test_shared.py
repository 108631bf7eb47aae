"""Counts that are kept for everybody for a while."""

import threading
from contextlib import suppress

from work.shared import KEPT_TIMES_COST, SharedCounts


class Clock:
    """A clock that counting moves on."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


def test_a_count_is_kept_for_everybody_by_what_it_cost() -> None:
    clock, counted = Clock(), list[float]()
    shared = SharedCounts(is_kept=True, clock=clock)

    def count() -> int:
        counted.append(clock.at)
        clock.at += 0.1
        return len(counted)

    assert [shared.get("pool", count) for _ in range(5)] == [1] * 5
    clock.at += KEPT_TIMES_COST * 0.1 - 0.01
    assert shared.get("pool", count) == 1
    assert shared.get("another", count) == 2
    clock.at += 0.02
    assert shared.get("pool", count) == 3


def test_a_count_is_never_older_than_its_limit() -> None:
    clock = Clock()
    shared = SharedCounts(is_kept=True, clock=clock)

    def count() -> float:
        clock.at += 60.0
        return clock.at

    first = shared.get("statistics", count, most_secs=10.0)
    clock.at += 11.0
    assert shared.get("statistics", count, most_secs=10.0) > first


def test_while_one_person_counts_again_the_others_get_the_count_before() -> None:
    clock = Clock()
    shared = SharedCounts(is_kept=True, clock=clock)
    assert shared.get("pool", lambda: "before") == "before"
    clock.at += 100.0
    began, may_end = threading.Event(), threading.Event()

    def count() -> str:
        began.set()
        may_end.wait()
        return "after"

    counting = threading.Thread(target=shared.get, args=("pool", count))
    counting.start()
    began.wait()
    assert shared.get("pool", lambda: "never counted") == "before"
    may_end.set()
    counting.join()


def test_a_count_that_fails_is_counted_by_the_next_who_asks() -> None:
    shared = SharedCounts(is_kept=True, clock=Clock())

    def fail() -> int:
        raise KeyError

    for _ in range(2):
        with suppress(KeyError):
            shared.get("pool", fail)
    assert shared.get("pool", lambda: 7) == 7


def test_counts_that_are_not_kept_are_new_each_time() -> None:
    counts = iter(range(3))
    shared = SharedCounts()
    assert [shared.get("pool", lambda: next(counts)) for _ in range(3)] == [0, 1, 2]
