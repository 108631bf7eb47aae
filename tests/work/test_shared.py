"""Counts that are kept for everybody for a while."""

import threading
from collections.abc import Callable
from contextlib import suppress

import pytest

from vockit.format.shortage import ShortageError
from work.shared import KEPT_TIMES_COST, OLDEST_SECS, SharedCounts


class Clock:
    """A clock that counting moves on."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at

    def count_slowly(self, value: str) -> Callable[[], str]:
        """What counts for a second and gives the value."""

        def count() -> str:
            self.at += 1.0
            return value

        return count


def test_a_count_is_kept_for_everybody_by_what_it_cost() -> None:
    clock = Clock()
    counted = list[float]()
    shared = SharedCounts(is_kept=True, clock=clock, start=lambda count: count())

    def count() -> int:
        counted.append(clock.at)
        clock.at += 0.1
        return len(counted)

    assert [shared.get("pool", count) for _ in range(5)] == [1] * 5
    clock.at += KEPT_TIMES_COST * 0.1 - 0.01
    assert shared.get("pool", count) == 1
    assert shared.get("another", count) == 2
    clock.at += 0.02
    assert shared.get("pool", count) == 3  # whose count again is at an end at once here


def test_a_count_is_never_older_than_its_limit() -> None:
    clock = Clock()
    shared = SharedCounts(is_kept=True, clock=clock, start=lambda count: count())

    def count() -> float:
        clock.at += 60.0
        return clock.at

    first = shared.get("statistics", count, most_secs=10.0)
    clock.at += 11.0
    assert shared.get("statistics", count, most_secs=10.0) > first


def test_a_count_that_is_no_longer_new_is_answered_at_once_and_counted_again_aside() -> None:
    clock = Clock()
    waiting = list[Callable[[], None]]()
    shared = SharedCounts(is_kept=True, clock=clock, start=waiting.append)
    assert shared.get("pool", clock.count_slowly("before")) == "before"
    clock.at += OLDEST_SECS - 1
    aside = clock.count_slowly("aside")
    for _ in range(3):
        assert shared.get("pool", lambda: "in a request", aside) == "before"
    (count_again,) = waiting
    count_again()
    assert shared.get("pool", lambda: "in a request", aside) == "aside"


def test_a_count_that_nobody_asked_for_in_a_long_time_is_not_shown() -> None:
    clock = Clock()
    waiting = list[Callable[[], None]]()
    shared = SharedCounts(is_kept=True, clock=clock, start=waiting.append)
    assert shared.get("pool", clock.count_slowly("before")) == "before"
    clock.at += OLDEST_SECS
    assert shared.get("pool", lambda: "now", lambda: "aside") == "now"
    assert waiting == []


def test_two_who_ask_first_wait_for_one_count() -> None:
    clock = Clock()
    shared = SharedCounts(is_kept=True, clock=clock)
    began = threading.Event()
    may_end = threading.Event()
    answers = list[str]()

    def count() -> str:
        began.set()
        may_end.wait()
        return clock.count_slowly("counted once")()

    def ask(how: Callable[[], str]) -> None:
        answers.append(shared.get("pool", how, oldest_secs=60.0))

    first = threading.Thread(target=ask, args=(count,))
    first.start()
    began.wait()
    second = threading.Thread(target=ask, args=(lambda: "counted again",))
    second.start()
    may_end.set()
    first.join()
    second.join()
    assert answers == ["counted once", "counted once"]


def test_what_fails_aside_is_counted_by_the_next_who_asks() -> None:
    clock = Clock()
    waiting = list[Callable[[], None]]()
    shared = SharedCounts(is_kept=True, clock=clock, start=waiting.append)
    assert shared.get("pool", clock.count_slowly("before")) == "before"
    clock.at += OLDEST_SECS - 1

    def fail() -> str:
        raise KeyError

    assert shared.get("pool", fail) == "before"
    waiting.pop()()
    assert shared.get("pool", lambda: "now") == "now"


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


def test_a_quick_count_is_never_older_than_a_moment() -> None:
    clock = Clock()
    waiting = list[Callable[[], None]]()
    shared = SharedCounts(is_kept=True, clock=clock, start=waiting.append)
    assert shared.get("pool", lambda: "before") == "before"
    clock.at += 1.0
    assert shared.get("pool", lambda: "now", lambda: "aside") == "now"
    assert waiting == []


@pytest.mark.parametrize("error", [RuntimeError("can't start new thread"), ShortageError("short")])
def test_where_no_thread_can_start_the_count_before_is_shown_and_the_next_tries_again(
    error: Exception,
) -> None:
    clock = Clock()
    starts = list[Callable[[], None]]()

    def start(function: Callable[[], None]) -> None:
        starts.append(function)
        if len(starts) == 1:
            raise error

    shared = SharedCounts(is_kept=True, clock=clock, start=start)
    assert shared.get("pool", clock.count_slowly("before")) == "before"
    clock.at += OLDEST_SECS - 2
    aside = clock.count_slowly("aside")
    for _ in range(2):
        assert shared.get("pool", lambda: "now", aside) == "before"
    starts[1]()
    assert shared.get("pool", lambda: "now", aside) == "aside"


def test_a_count_does_not_wait_for_another_one_in_the_background() -> None:
    clock = Clock()
    waiting = list[Callable[[], None]]()
    shared = SharedCounts(is_kept=True, clock=clock, start=waiting.append)
    for key in ("statistics", "pool"):
        shared.get(key, clock.count_slowly("before"))
    clock.at += OLDEST_SECS - 3
    shared.get("pool", lambda: "now", lambda: "aside")

    def count_statistics() -> str:
        waiting[0]()  # pool's turn comes while the statistics are counted
        return clock.count_slowly("drawn")()

    shared.get("statistics", lambda: "now", count_statistics)
    waiting[1]()
    assert shared.get("statistics", lambda: "now") == "drawn"
    clock.at += OLDEST_SECS
    assert shared.get("pool", lambda: "now") == "now"  # and its turn is free
