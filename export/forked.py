"""Work beside this process, in a forked one: it begins with all that is in memory here.

The interpreter runs one thread at a time, so that only another process uses a second processor for
Python's own work. Passing a release's rows to one costs more than it would save; a fork has them.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Generic, NoReturn, TypeVar

R = TypeVar("R")

FEWEST_IMAGES = 2_000
"""Of a release for which a fork pays; it takes some hundredths of a second."""

log = logging.getLogger(__name__)


@contextmanager
def beside(
    work: Callable[[], R], *, pays: bool = True, again: Callable[[], R] | None = None
) -> Iterator[Callable[[], R]]:
    """A function that gives what `work` returns, which is done beside the block where that pays.

    Where it does not, where no process can be forked, or where that ended without a result, the
    function does the work itself; so whatever the work raises is raised there. `again` is done
    instead after a process without a result, where the work cannot be done twice. The work must not
    use connections that are open here.
    """
    if not (pays and can_fork()):
        yield work
        return
    try:
        process = _Process(work, again or work)
    except OSError as error:  # no memory, or no more processes of this user
        log.info("no process can be forked (%s), its work is done here", error)
        yield work
        return
    try:
        yield process.take_result
    finally:
        process.end()


def can_fork() -> bool:
    """Whether there is a second processor, and no other thread that might hold a lock."""
    return (
        sys.platform == "linux"
        and threading.active_count() == 1
        and len(os.sched_getaffinity(0)) > 1
    )


def fork() -> int:
    """As os.fork, without a warning of threads that are not Python's; raises OSError.

    The child can be waited for, and nobody else has its id until then: where whoever started this
    process ignores SIGCHLD, the system would forget it at once (wait(2)).
    """
    if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


class _Process(Generic[R]):
    """A forked process that does one thing and answers through a pipe."""

    def __init__(self, work: Callable[[], R], again: Callable[[], R]) -> None:
        """Raises OSError."""
        self._again = again
        self._pipe, answers = os.pipe()
        try:
            self._id = fork()
        except OSError:
            os.close(self._pipe)
            os.close(answers)
            raise
        if self._id == 0:
            os.close(self._pipe)  # or it would wait for ever to be read when this process is gone
            _work_and_end(work, answers)
        os.close(answers)

    def take_result(self) -> R:
        """What the process found; it has ended then."""
        with os.fdopen(os.dup(self._pipe), "rb") as pipe:
            answer = pipe.read()
        if self._wait() == 0:
            result: R = pickle.loads(answer)  # noqa: S301  of our own process
            return result
        log.info("a process ended without a result, its work is done here")
        return self._again()

    def end(self) -> None:
        """See to it that the process has ended, whatever it was doing."""
        os.close(self._pipe)
        if self._id:
            with suppress(ProcessLookupError):
                os.kill(self._id, signal.SIGKILL)
            self._wait()

    def _wait(self) -> int:
        _, status = os.waitpid(self._id, 0)
        self._id = 0
        return status


def _work_and_end(work: Callable[[], object], answers: int) -> NoReturn:
    """Nothing of the first process's is flushed, closed or rolled back here."""
    status = 1
    try:
        answer = pickle.dumps(work(), pickle.HIGHEST_PROTOCOL)
        with os.fdopen(answers, "wb") as pipe:
            pipe.write(answer)
        status = 0
    finally:
        os._exit(status)
