"""Who reads a tree's files: this process, or where it pays one for each processor.

The interpreter runs one thread at a time. So forked processes, which have the list of the files in
memory, read annotations, check and digest pictures and put them into the store, while this one
writes rows. Each has every so many-th share; what came of it goes through a pipe.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import select
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import cycle, islice
from typing import Any, NoReturn, Protocol

from export.forked import can_fork, fork

from .brought import Brought
from .errors import ImportStoppedError
from .share import ShareReading

FEWEST_IMAGES = 1_000
"""For which processes pay; they take some hundredths of a second."""

THREADS = 4
"""Where this process does it all: waiting for a store far away is what takes the time then."""

log = logging.getLogger(__name__)

_END_TIMEOUT_SECS = 5.0


class Work(Protocol):
    """What is shared out: see Share."""

    def read(self) -> ShareReading:
        """What comes of the first step."""

    def bring(self, pool: Executor | None = None, /) -> Brought:
        """What comes of the second one."""


class Crew(Protocol):
    """Whoever works on the shares; both steps give what came of each, in their order."""

    def read(self) -> Iterator[ShareReading]:
        """Read all annotations; called once, and first."""

    def bring(self) -> Iterator[Brought]:
        """Bring all pictures into the store; processes begin at once.

        Raises ImportStoppedError where a process has ended, when the others gave what they have.
        """

    def stop(self) -> None:
        """Begin no other share; what was begun is still given."""


@contextlib.contextmanager
def open_crew(shares: Sequence[Work], images: int, *, is_local: bool) -> Iterator[Crew]:
    """A crew for so many images; when the block ends, it works no more.

    `is_local` says that the store is a folder, which needs no connection.
    """
    if not (is_local and images >= FEWEST_IMAGES and can_fork()):
        yield _Here(shares)
        return
    with contextlib.ExitStack() as stack:
        workers: list[_Worker] = []
        count = min(count_processors(), len(shares))
        try:
            for number in range(count):
                workers.append(_Worker(shares[number::count], workers))
                stack.callback(workers[-1].end)
        except OSError as error:  # no memory, or no more processes of this user
            log.info("not all processes can be forked (%s), this one does the work", error)
            stack.close()
            workers = []
        yield _Beside(workers, len(shares)) if workers else _Here(shares)


def count_processors() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Here:
    """The first process alone."""

    def __init__(self, shares: Sequence[Work]) -> None:
        self._shares, self._is_stopped = shares, False

    def read(self) -> Iterator[ShareReading]:
        return (share.read() for share in self._shares)

    def bring(self) -> Iterator[Brought]:
        with ThreadPoolExecutor(THREADS) as pool:
            for share in self._shares:
                if self._is_stopped:
                    return
                yield share.bring(pool)

    def stop(self) -> None:
        self._is_stopped = True


class _Beside:
    """Processes beside this one, asked in turn."""

    def __init__(self, workers: Sequence[_Worker], shares: int) -> None:
        self._workers, self._shares, self._is_stopped = workers, shares, False

    def read(self) -> Iterator[ShareReading]:
        return (worker.take() for worker in self._in_turn())

    def bring(self) -> Iterator[Brought]:
        for worker in self._workers:
            worker.go_on()
        return self._take_brought()

    def stop(self) -> None:
        self._is_stopped = True
        for worker in self._workers:
            worker.go_on()

    def _take_brought(self) -> Iterator[Brought]:
        ended: ImportStoppedError | None = None
        for worker in self._in_turn():
            try:
                yield worker.take()
            except ImportStoppedError as error:
                if not self._is_stopped:
                    ended = error
                    self.stop()
        if ended is not None:
            raise ended

    def _in_turn(self) -> Iterator[_Worker]:
        return islice(cycle(self._workers), self._shares)


class _Worker:
    """A forked process with some of the shares; `others` are those forked before it."""

    def __init__(self, shares: Sequence[Work], others: Sequence[_Worker]) -> None:
        """Raises OSError."""
        answers, theirs = os.pipe()
        go_on, self._go_on = os.pipe()
        try:
            self._id = fork()
        except OSError:
            for descriptor in (answers, theirs, go_on, self._go_on):
                os.close(descriptor)
            raise
        if self._id == 0:
            os.close(answers)
            for descriptor in (self._go_on, *(it for other in others for it in other.descriptors)):
                os.close(descriptor)  # or it would not notice that this process is gone
            _work_and_end(shares, go_on, theirs)
        os.close(theirs)
        os.close(go_on)
        self._answers = os.fdopen(answers, "rb")

    @property
    def descriptors(self) -> tuple[int, int]:
        """The first process's ends of the pipes."""
        return self._answers.fileno(), self._go_on

    def go_on(self) -> None:
        """Let it bring pictures into the store; said once more, begin no other share."""
        with contextlib.suppress(BrokenPipeError):  # then there is no answer either
            os.write(self._go_on, b"1")

    def take(self) -> Any:
        """Its next answer; raises what it raised, and ImportStoppedError where it has ended."""
        try:
            answer = pickle.load(self._answers)  # noqa: S301  of our own process
        except (EOFError, pickle.UnpicklingError) as error:
            raise ImportStoppedError from error
        if isinstance(answer, Exception):
            raise answer
        return answer

    def end(self) -> None:
        """See to it that it has ended, and left no half file behind."""
        os.close(self._go_on)
        self._answers.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._id, signal.SIGTERM)
        until = time.monotonic() + _END_TIMEOUT_SECS
        while os.waitpid(self._id, os.WNOHANG)[0] == 0:
            if time.monotonic() > until:
                os.kill(self._id, signal.SIGKILL)
                os.waitpid(self._id, 0)
                return
            time.sleep(0.001)


def _work_and_end(shares: Sequence[Work], go_on: int, answers: int) -> NoReturn:
    """Nothing of the first process's is flushed, closed or rolled back here."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the first process
        signal.signal(signal.SIGTERM, _stop)
        with os.fdopen(answers, "wb") as pipe:
            _answer(pipe, (share.read for share in shares))
            if os.read(go_on, 1):
                _answer(pipe, (share.bring for share in shares if not _is_readable(go_on)))
        status = 0
    finally:
        os._exit(status)


def _is_readable(pipe: int) -> bool:
    """Whether something was said through the pipe, or nobody is there to say it."""
    return bool(select.select([pipe], [], [], 0)[0])


def _answer(pipe: Any, steps: Iterable[Callable[[], Any]]) -> None:
    for step in steps:
        try:
            answer = step()
        except Exception as error:
            answer = error
        pickle.dump(answer, pipe, pickle.HIGHEST_PROTOCOL)
        pipe.flush()


def _stop(_signal: int, _frame: object) -> NoReturn:
    raise SystemExit
