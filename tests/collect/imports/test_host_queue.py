"""Lines of a table that wait, host by host, on a clock that is turned by hand."""

from __future__ import annotations

import random

from collect.backoff import Backoff
from collect.host_rests import HostRests
from collect.imports.host_queue import HostQueue, Wanted
from collect.imports.table import TableRow
from collect.pauses import Pauses
from tests.collect.clocks import TestClock

ONE, TWO = "https://one.example/", "https://two.example/"


def make_queue(time: TestClock, *urls: str) -> tuple[HostQueue, HostRests]:
    pauses = Pauses(time.clock, Backoff(1, 2, 60), random.Random(0), most_in_a_row=3)
    rests = HostRests(pauses)
    rows = [TableRow(line, {"url": url}) for line, url in enumerate(urls, start=1)]
    return HostQueue(rows, rests, time.clock), rests


def take(queue: HostQueue) -> list[int]:
    return [wanted.row.line for wanted in queue]


def test_lines_come_in_their_order_while_no_host_rests() -> None:
    queue, _rests = make_queue(TestClock(), ONE, TWO, "no address", TWO, ONE)
    assert take(queue) == [1, 2, 3, 4, 5]
    assert not queue.wait()


def test_lines_of_a_host_that_rests_come_after_its_rest_and_keep_no_other_waiting() -> None:
    time = TestClock()
    queue, rests = make_queue(time, ONE, ONE, TWO, ONE, TWO)
    first = next(iter(queue))
    rests.refuse(first.url, "HTTP 429", 30)
    queue.put_back(first)
    assert take(queue) == [3, 5]
    assert queue.wait()
    assert sum(time.waits_secs) == 30
    assert take(queue) == [2, 4, 1]
    assert not queue.wait()


def test_a_line_waits_for_its_own_rest_too() -> None:
    time = TestClock()
    queue, _rests = make_queue(time, ONE, ONE)
    (first, _second) = queue
    queue.put_back(Wanted(first.row, 2), rest_secs=8)
    assert take(queue) == []
    assert queue.wait()
    assert sum(time.waits_secs) == 8
    assert [(one.row.line, one.attempt) for one in queue] == [(1, 2)]
    assert not queue.wait()


def test_lines_of_a_host_that_was_given_up_come_at_once_to_be_left_out() -> None:
    time = TestClock()
    queue, rests = make_queue(time, ONE, TWO, ONE)
    rests.left_secs(ONE)
    rests.refuse(ONE, "HTTP 429", 7200)
    assert take(queue) == [1, 2, 3]
    assert rests.find_refusal(ONE) is not None
    assert time.waits_secs == []
