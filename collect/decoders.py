"""Pictures decoded in processes of their own, so that a file that kills a decoder kills only that.

The processes are few, live as long as the run, and are started anew where one ended or hung.
"""

from __future__ import annotations

import json
import os
import queue
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from multiprocessing.connection import Connection
from typing import Any

from .decoding import pack, unpack
from .errors import PhotoBrokenError, PhotoUnreachableError
from .picture import Picture, PictureLimits
from .reasons import Reason

DECODE_TIMEOUT_SECS = 30.0
_MOST_AT_ONCE = 4
_PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.argv.pop(1))
from collect.decoding import main
main()
"""


class Decoders:
    """A few decoding processes, shared by the threads of the collector."""

    def __init__(self, count: int = 0, timeout_secs: float = DECODE_TIMEOUT_SECS) -> None:
        count = count or min(_MOST_AT_ONCE, os.cpu_count() or 1)
        self._free: queue.LifoQueue[_Decoder] = queue.LifoQueue()
        self._all = [_Decoder(timeout_secs) for _ in range(count)]
        for decoder in self._all:
            self._free.put(decoder)

    def start(self) -> None:
        """Start the processes ahead of the first picture; they get ready by themselves."""
        for decoder in self._all:
            decoder.start()

    def read(
        self, data: bytes, limits: PictureLimits, promised_size: tuple[int, int] | None = None
    ) -> Picture:
        """What read_picture returns or raises, worked out elsewhere.

        Raises PhotoUnreachableError where the process ended or did not answer in time.
        """
        with self._borrow() as decoder:
            return decoder.read(data, limits, promised_size)

    @property
    def process_ids(self) -> list[int]:
        """The ids of the processes that run."""
        return [one.process_id for one in self._all if one.process_id is not None]

    def close(self) -> None:
        """End every process."""
        for decoder in self._all:
            decoder.end()

    @contextmanager
    def _borrow(self) -> Iterator[_Decoder]:
        decoder = self._free.get()
        try:
            yield decoder
        finally:
            self._free.put(decoder)


class _Decoder:
    def __init__(self, timeout_secs: float) -> None:
        self._timeout_secs = timeout_secs
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None

    @property
    def process_id(self) -> int | None:
        return self._process.pid if self._process else None

    def start(self) -> Connection:
        """The way to the process, which is started where there is none."""
        if self._connection is None:
            ours, theirs = socket.socketpair()
            with theirs:
                self._process = subprocess.Popen(  # noqa: S603  our own program
                    [sys.executable, "-c", _PROGRAM, json.dumps(sys.path), str(theirs.fileno())],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl-C is for the collector, which ends this one
                )
            self._connection = Connection(ours.detach())
        return self._connection

    def read(
        self, data: bytes, limits: PictureLimits, promised_size: tuple[int, int] | None
    ) -> Picture:
        header = {"limits": asdict(limits), "promised": promised_size}
        answer, payload = self._ask(pack(header, data))
        if "reason" in answer:
            raise PhotoBrokenError(Reason(answer["reason"]), answer["detail"])
        size = int(answer["width"]), int(answer["height"])
        original_sha256 = answer["original_sha256"]
        return Picture(payload or data, *size, original_sha256=original_sha256)

    def _ask(self, message: bytes) -> tuple[dict[str, Any], bytes]:
        try:
            connection = self.start()
            connection.send_bytes(message)
            if not connection.poll(self._timeout_secs):
                raise TimeoutError(f"the decoder did not answer within {self._timeout_secs:g} s")
            return unpack(connection.recv_bytes())
        except (OSError, EOFError) as error:
            self.end()
            detail = str(error) if isinstance(error, TimeoutError) else "the decoder ended over it"
            raise PhotoUnreachableError(Reason.DECODER_ENDED, detail) from error
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """Close the connection, which ends an idle process, and end a busy one."""
        connection, process = self._connection, self._process
        self._connection = self._process = None
        if connection is not None:
            connection.close()
        if process is not None:
            process.kill()
            process.wait()
