"""Processor time of a request with and without many idle connections and slow senders.

The same server answers the same requests twice: alone, and while idle connections are open and
slow senders send a byte of their bodies now and then. Processor time, which other programs on the
machine do not lengthen, is that of the server's process.

    python -m benchmarks.idle_connections --idle 600 --slow 40 --requests 500
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import requests

from catalog.party import make_party

from .serve_load import read_usage, wait_for_server

BEGUN = b"POST /join HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n"
ASKED = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--idle", type=int, default=600)
    parser.add_argument("--slow", type=int, default=40)
    parser.add_argument("--requests", type=int, default=500)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "party"
        make_party(folder, name="Benchmark", preset="voc2012")
        command = [sys.executable, "-m", "vocparty", "serve", "--party", str(folder), "--port", "0"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, start_new_session=True
        ) as process:
            try:
                measure(process, given)
            finally:
                os.killpg(process.pid, signal.SIGKILL)


def measure(process: subprocess.Popen[str], given: argparse.Namespace) -> None:
    """Ask alone, then next to the connections, and print both."""
    base_url = wait_for_server(process)
    address = ("127.0.0.1", int(base_url.rpartition(":")[2]))
    ask(process.pid, base_url, [], given.requests)  # the first requests compile what they need
    alone_ms = ask(process.pid, base_url, [], given.requests)
    with ExitStack() as stack:
        idle = [stack.enter_context(socket.create_connection(address)) for _ in range(given.idle)]
        for client in idle:
            client.sendall(ASKED)
            assert client.recv(1000).startswith(b"HTTP/1.1 200")
        slow = [stack.enter_context(socket.create_connection(address)) for _ in range(given.slow)]
        for sender in slow:
            sender.sendall(BEGUN)
        crowded_ms = ask(process.pid, base_url, slow, given.requests)
    print(f"load average {os.getloadavg()[0]:.1f}, {given.requests} requests each time")
    print(f"  alone: {alone_ms:.1f} ms of processor each")
    print(f"  {given.idle} idle and {given.slow} slow: {crowded_ms:.1f} ms of processor each")


def ask(group: int, base_url: str, slow: list[socket.socket], count: int) -> float:
    """Milliseconds of the server's processor for each request; all are answered."""
    before = read_usage(group)[1]
    with requests.Session() as session:
        for number in range(count):
            if slow:
                slow[number % len(slow)].sendall(b"x")
            assert session.get(f"{base_url}/join", timeout=60).status_code == 200
    return (read_usage(group)[1] - before) / count * 1000


if __name__ == "__main__":
    main()
