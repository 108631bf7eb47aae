"""Work in a forked process gives what it would give here, whatever becomes of that process."""

from __future__ import annotations

import errno
import os
import select
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from export.forked import beside, can_fork
from export.importing.crew import open_crew

HERE = os.getpid()


@pytest.fixture(autouse=True)
def _can_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever threads the tests' own machinery has, and on one processor too."""
    monkeypatch.setattr("export.forked.can_fork", lambda: True)
    monkeypatch.setattr("export.importing.crew.can_fork", lambda: True)


@pytest.fixture(autouse=True)
def _leaves_no_process(_can_fork: None) -> Iterator[None]:
    """Other tests' processes may run on; those of these tests are gone and waited for."""
    before = list_children()
    yield
    assert list_children() <= before


def list_children() -> set[str]:
    """The processes that this one began, also those that ended and were not waited for."""
    children: set[str] = set()
    for thread in Path("/proc/self/task").glob("*/children"):
        with suppress(FileNotFoundError):  # a thread that ended just now
            children.update(thread.read_text().split())
    return children


def die_elsewhere() -> str:
    if os.getpid() != HERE:
        os.kill(os.getpid(), signal.SIGKILL)
    return "done here"


def fail_elsewhere() -> str:
    if os.getpid() != HERE:
        raise OSError("elsewhere")
    return "done here"


def lock_elsewhere() -> object:
    """A result that no pipe takes."""
    return threading.Lock() if os.getpid() != HERE else "done here"


def wait_for_ever() -> None:
    signal.pause()


def test_the_work_is_done_in_another_process_with_what_is_in_memory_here() -> None:
    rows = [b"x" * 100_000, b"y" * 100_000]  # more than a pipe holds
    with beside(lambda: (os.getpid(), b"".join(rows))) as take:
        rows.append(b"later")
        process, answer = take()
    assert process != os.getpid()
    assert answer == b"x" * 100_000 + b"y" * 100_000


@pytest.mark.parametrize("work", [die_elsewhere, fail_elsewhere, lock_elsewhere])
def test_without_a_result_the_work_is_done_here(
    work: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(__name__ + ".HERE", os.getpid())
    with beside(work) as take:
        assert take() == "done here"


def test_what_the_work_raises_is_raised_here() -> None:
    with beside(lambda: 1 // 0) as take, pytest.raises(ZeroDivisionError):
        take()


def test_a_block_that_fails_leaves_no_process() -> None:
    with pytest.raises(KeyError), beside(wait_for_ever):
        raise KeyError


def test_a_process_ends_when_the_first_one_was_killed() -> None:
    """It holds the locks of the first one's folders for as long as it lives."""
    told, tell = os.pipe()

    def tell_and_answer() -> bytes:
        os.write(tell, str(os.getpid()).encode())
        return b"x" * 1_000_000  # more than a pipe holds

    first = os.fork()
    if first == 0:
        with beside(tell_and_answer):
            os.kill(os.getpid(), signal.SIGKILL)
    os.close(tell)
    os.waitpid(first, 0)
    process_id = os.read(told, 20)
    has_ended = bool(select.select([told], [], [], 120)[0])  # nobody holds the other end any more
    os.close(told)
    if process_id and not has_ended:
        os.kill(int(process_id), signal.SIGKILL)
    assert has_ended


def test_where_no_process_can_be_forked_the_work_is_done_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse() -> int:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(os, "fork", refuse)
    free = lowest_free_descriptor()
    with beside(os.getpid) as take:
        assert take() == os.getpid()
    assert lowest_free_descriptor() == free


@pytest.fixture
def ignored_ends() -> Iterator[None]:
    """SIGCHLD is ignored, as some supervisors leave it to what they start."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGCHLD, before)


@pytest.mark.usefixtures("ignored_ends")
def test_a_process_is_waited_for_although_whoever_started_us_ignores_its_end() -> None:
    with beside(os.getpid) as take:
        assert take() != os.getpid()
    with pytest.raises(KeyError), beside(wait_for_ever):
        raise KeyError
    with open_crew([Share(), Share()], 10**6, is_local=True) as crew:
        assert [str(answer) for answer in crew.read()] == ["read", "read"]
        assert [str(answer) for answer in crew.bring()] == ["brought", "brought"]


class Share:
    """Work of a crew's process."""

    def read(self) -> Any:
        return "read"

    def bring(self, pool: object = None) -> Any:
        return "brought"


def lowest_free_descriptor() -> int:
    found = os.open(os.devnull, os.O_RDONLY)
    os.close(found)
    return found


def test_where_it_does_not_pay_nothing_is_forked() -> None:
    with beside(os.getpid, pays=False) as take:
        assert take() == os.getpid()


def test_a_process_with_another_thread_or_one_processor_does_not_fork(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1}, raising=False)
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr("sys.platform", "linux")
    assert can_fork()
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    assert not can_fork()
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0}, raising=False)
    assert not can_fork()
