"""The command in processes that are forked from one that has loaded it already.

They are real processes that can be killed; only the second that loading takes is saved.
"""

import multiprocessing
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import forkserver
from pathlib import Path
from select import select
from subprocess import TimeoutExpired
from threading import Event
from typing import Any
from unittest.mock import patch

from sqlalchemy.orm import Session

import vocparty
from catalog.session import Catalogue

_FORKING = multiprocessing.get_context("forkserver")

Main = Callable[[], None]


def run_command() -> None:
    """Run `vocparty` with the words that were given."""
    vocparty.main()


def run_command_to_transaction() -> None:
    """The same, stopped in the middle of the writing transaction whose number is in COUNT."""
    left = int(os.environ["COUNT"])
    writing = Catalogue.writing

    @contextmanager
    def write(catalogue: Catalogue) -> Iterator[Session]:
        nonlocal left
        with writing(catalogue) as session:
            yield session
            session.flush()
            left -= 1
            if left == 0:
                stop_here()

    with patch.object(Catalogue, "writing", write):
        run_command()


class Warm:
    """A running command, with the methods of subprocess.Popen that tests use."""

    def __init__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str] | None = None,
        main: Main = run_command,
    ) -> None:
        self.args = list(words)
        self._out, self._err = (tempfile.NamedTemporaryFile(prefix="warm-") for _ in "oe")  # noqa: SIM115
        self._printed: tuple[str, ...] | None = None
        files = (self._out.name, self._err.name)
        self._process = _FORKING.Process(
            target=run_main, args=(main, self.args, files, dict(environment or {}))
        )
        _warm_up()
        self._process.start()

    @property
    def process_id(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit status; None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """The exit status; raises TimeoutExpired if it still runs."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise TimeoutExpired(self.args, timeout or 0.0)
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None and self._process.pid is not None:
            os.kill(self._process.pid, number)

    def find_descendants(self) -> list[int]:
        """The processes that it started, and those that they started."""
        parents = dict(_read_parents())
        process_ids = [self._process.pid]
        for process_id in process_ids:  # which grows meanwhile
            process_ids += [child for child, parent in parents.items() if parent == process_id]
        return [process_id for process_id in process_ids[1:] if process_id is not None]

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def kill_when_stopped(self) -> None:
        """Kill it once it has stopped itself; then its children have ended, too."""
        while _find_state(self.process_id) != "T":
            assert self.poll() is None, self.communicate()
            self._process.join(0.01)
        started = self.find_descendants()
        self.kill()
        self.communicate()
        while any(_find_state(process_id) not in ("Z", "X", "") for process_id in started):
            select([], [], [], 0.01)

    def read_output(self, pattern: str, patience_secs: float = 300.0) -> str:
        """The first text of standard output that matches, once it is printed.

        Raises AssertionError with all that was printed where the process ended before.
        """
        deadline = time.monotonic() + patience_secs
        while True:
            has_ended = self.poll() is not None
            printed = Path(self._out.name).read_text()
            if match := re.search(pattern, printed):
                return match[0]
            errors = Path(self._err.name).read_text()
            assert not has_ended, printed + errors
            assert time.monotonic() < deadline, printed + errors
            self._process.join(0.02)

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """The text of both outputs, once it has ended."""
        self.wait(timeout)
        if self._printed is None:
            self._printed = tuple(Path(file.name).read_text() for file in (self._out, self._err))
            self._out.close()
            self._err.close()
        return self._printed[0], self._printed[1]


_server_ids: list[int] = []
"""The processes that fork and were started here, the newest last."""


def _warm_up() -> None:
    """Have the process running that commands are forked from, in place of one without modules.

    A pool of decoders starts one that has loaded little; each command would then load all.
    """
    server: Any = forkserver._forkserver
    if server._forkserver_pid not in _server_ids[-1:]:
        server._stop()
    _FORKING.set_forkserver_preload([__name__, "tests.warm_up"])
    forkserver.ensure_running()
    _server_ids.append(server._forkserver_pid)


def stop_here() -> None:
    """Stop this process, until `kill_when_stopped` kills it."""
    os.kill(os.getpid(), signal.SIGSTOP)
    Event().wait()  # a thread runs on until the system has stopped them all


def _find_state(process_id: int) -> str:
    """The letter of a process's state (proc(5)), or none where there is no such process."""
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def _read_parents() -> Iterator[tuple[int, int]]:
    """Every process of the system with its parent (proc(5): the second field behind the name)."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            yield int(path.parent.name), int(path.read_text().rpartition(")")[2].split()[1])


def run_main(main: Main, words: list[str], files: tuple[str, str], added: dict[str, str]) -> None:
    """Run the command in a process just forked; the files get what it prints."""
    for descriptor, path in zip((1, 2), files, strict=True):
        opened = os.open(path, os.O_WRONLY | os.O_APPEND)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.environ.update(added)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Decoders that ran in this process of tests may have made the one that forks deaf to Ctrl-C.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    sys.argv = ["vocparty", *words]
    main()
