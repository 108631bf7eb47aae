"""The other end of collect/fetchers.py: processes that fetch, decode and store a few files at once.

The first process holds everything loaded and forks the others, which therefore start at once and
share its memory. Each serves a few connections (see collect/fetch_line.py).
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress

from .fetch_line import Line
from .fetch_terms import Terms, parse_terms
from .memory_limit import limit_memory

MOST_CONNECTIONS = 64
"""Of one process."""
SWITCH_SECS = 0.0005
"""A thread that something came for has the interpreter after so long, not after 5 ms."""


def main() -> None:
    """Fork a process for every message that comes over the socket of the first argument.

    Ends when the socket is closed, after all that were forked.
    """
    terms = parse_terms(sys.argv[2])
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how they ended
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    gc.freeze()  # what is loaded stays shared: a collection would write to every object
    with socket.socket(fileno=int(sys.argv[1])) as control:
        while fork_next(control, terms):
            pass
        _wait_for_all()  # whoever asked hears by the socket that all have ended


def fork_next(control: socket.socket, terms: Terms) -> bool:
    """Whether a message came; this returns in the first process only.

    The message's byte says how many files the new process may download at once.
    """
    message, descriptors, _flags, _address = socket.recv_fds(control, 1, MOST_CONNECTIONS)
    if not message:
        return False
    if os.fork() == 0:
        control.close()
        _serve_and_exit([socket.socket(fileno=one) for one in descriptors], terms, message[0])
    for descriptor in descriptors:
        os.close(descriptor)
    return True


def _wait_for_all() -> None:
    with suppress(ChildProcessError):
        while True:
            os.wait()


def _serve_and_exit(connections: Sequence[socket.socket], terms: Terms, places: int) -> None:
    status = 1
    try:
        limit_memory(terms.limits.max_pixels)
        sys.setswitchinterval(SWITCH_SECS)
        Line(terms, places, len(connections)).serve(connections)
        status = 0
    finally:
        os._exit(status)  # what the first process has to clean up is not ours


if __name__ == "__main__":
    main()
