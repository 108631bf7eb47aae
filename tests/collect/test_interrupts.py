"""Ctrl-C is heard while threads work, whichever of them the system gives the signal to."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from collect.interrupts import hear_interrupt, wait_listening
from vockit.format.threads import starting_deaf


def test_a_signal_that_another_thread_got_ends_the_wait() -> None:
    stop = threading.Event()
    press = threading.Timer(0.1, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT))
    with hear_interrupt(stop.set), ThreadPoolExecutor(1) as threads:
        working = threads.submit(stop.wait, 60)
        press.start()
        assert wait_listening(working), "it was not asked to stop"
    press.join()


def test_what_the_work_raises_is_raised() -> None:
    with ThreadPoolExecutor(1) as threads, pytest.raises(ZeroDivisionError):
        wait_listening(threads.submit(divmod, 1, 0))


def test_the_way_that_ctrl_c_went_before_holds_again() -> None:
    before = signal.getsignal(signal.SIGINT)
    with hear_interrupt(lambda: None):
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_a_thread_that_cannot_hear_works_nevertheless() -> None:
    def work() -> int:
        with hear_interrupt(lambda: None):
            return 7

    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(work).result() == 7


def test_no_thread_forks_while_another_starts_a_process() -> None:
    """The fork would wait for ever for a lock that the other thread holds: as a server's does."""
    begun = threading.Event()
    ended = threading.Event()

    def start() -> None:
        with starting_deaf():
            begun.set()
            ended.wait(0.2)
            ended.set()

    with ThreadPoolExecutor(1) as threads:
        starting = threads.submit(start)
        assert begun.wait(10)
        if not (child := os.fork()):
            signal.alarm(10)
            with starting_deaf():
                os._exit(0 if ended.is_set() else 1)
        starting.result()
    assert os.waitpid(child, 0)[1] == 0
