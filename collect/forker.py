"""The first of the processes that fetch: it forks the others."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress

_END_TIMEOUT_SECS = 5.0
_EXIT_TIMEOUT_SECS = 0.5
"""After all else has ended."""
_PROGRAM = """
import json, os, sys
sys.path[:] = json.loads(sys.argv.pop(1))
from collect.fetching import main
main()
os._exit(0)
"""


class Forker:
    """The first process, which forks a fetching process for each message it is sent."""

    def __init__(self, terms: str) -> None:
        self._terms = terms
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def start(self) -> None:
        """Start the process where it does not run."""
        with self._lock:
            self._get_control()

    def fork(self, places: int, count: int) -> list[socket.socket]:
        """So many connections to a new process, which downloads so many files at once."""
        pairs = [socket.socketpair() for _ in range(count)]
        theirs = [their.fileno() for _our, their in pairs]
        try:
            with self._lock:
                socket.send_fds(self._get_control(), [bytes([places])], theirs)
        except BaseException:
            for our, _their in pairs:
                our.close()
            raise
        finally:
            for _our, their in pairs:
                their.close()
        return [our for our, _their in pairs]

    def replace(self) -> None:
        """Let a first process go that has ended, so that the next fork starts another one."""
        with self._lock:
            self._stop_ended()

    def end(self) -> None:
        """End the process and all that it forked."""
        with self._lock:
            self._stop()

    def _get_control(self) -> socket.socket:
        if self._control is None:
            self._control, theirs = socket.socketpair()
            with theirs:
                self._process = subprocess.Popen(  # noqa: S603  our own program
                    [
                        *(sys.executable, "-c", _PROGRAM, json.dumps(sys.path)),
                        *(str(theirs.fileno()), self._terms),
                    ],
                    pass_fds=[theirs.fileno()],
                    env={**os.environ, "MALLOC_ARENA_MAX": "1"},  # mallopt(3); threads share it
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    process_group=0,  # Ctrl-C is for the collector, which ends this one
                )
        return self._control

    def _stop_ended(self) -> None:
        """Let a first process go that does not answer, unless another thread has done so."""
        if self._process is not None and self._is_dying():
            self._stop()

    def _is_dying(self) -> bool:
        assert self._process is not None
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_TIMEOUT_SECS)
        return self._process.returncode is not None

    def _stop(self) -> None:
        control, process = self._control, self._process
        self._control = self._process = None
        if control is not None:
            _close_and_wait(control)
        if process is not None:
            try:
                process.wait(_EXIT_TIMEOUT_SECS)
            except subprocess.TimeoutExpired:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _close_and_wait(control: socket.socket) -> None:
    """Return as soon as the other end has ended, where Popen.wait would look ever less often."""
    with control, suppress(OSError):
        control.settimeout(_END_TIMEOUT_SECS)
        control.shutdown(socket.SHUT_WR)
        control.recv(1)
