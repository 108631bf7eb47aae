"""A step over a socket that takes too long is cut off, and one that does not is left alone."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from collect.watchdog import Watchdog

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def wait_in_vain(watchdog: Watchdog, sock: socket.socket) -> None:
    """Nothing is ever sent: only the cut ends the wait."""
    with watchdog.watching(sock):
        assert sock.recv(1) == b""


def test_a_step_that_takes_too_long_is_cut_off(pair: Pair) -> None:
    ours, _theirs = pair
    with closing(Watchdog(0.05)) as watchdog, pytest.raises(TimeoutError, match="did not come"):
        wait_in_vain(watchdog, ours)


def test_steps_in_time_leave_the_socket_open(pair: Pair) -> None:
    ours, theirs = pair
    with closing(Watchdog(30)) as watchdog:
        for _ in range(100):
            with watchdog.watching(ours):
                theirs.sendall(b"a")
                assert ours.recv(1) == b"a"


def test_a_late_step_is_cut_off_after_many_in_time(pair: Pair) -> None:
    ours, theirs = pair
    with closing(Watchdog(0.2)) as watchdog:
        for _ in range(20):
            with watchdog.watching(ours):
                theirs.sendall(b"a")
                ours.recv(1)
        with pytest.raises(TimeoutError):
            wait_in_vain(watchdog, ours)


def test_one_thread_serves_all_steps_and_ends_with_the_watchdog(pair: Pair) -> None:
    ours, _theirs = pair
    before = set(threading.enumerate())
    watchdog = Watchdog(30)
    for _ in range(5):
        with watchdog.watching(ours):
            assert len(set(threading.enumerate()) - before) == 1
    watchdog.close()
    assert set(threading.enumerate()) <= before


def test_without_a_socket_nothing_is_watched() -> None:
    before = set(threading.enumerate())
    with Watchdog(30).watching(None):
        assert set(threading.enumerate()) <= before
