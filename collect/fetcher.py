"""One of the files that a fetching process has in hand."""

from __future__ import annotations

import json
import os
import signal
import socket
from contextlib import suppress
from typing import IO, Any

from catalog.errors import ImageStoreError
from catalog.image_store import ImageStore

from .errors import (
    HostBusyError,
    PhotoBrokenError,
    PhotoGoneError,
    PhotoUnreachableError,
)
from .fetch_process import FetchProcess
from .picture import StoredPicture
from .reasons import Reason

_FAULTS = {one.__name__: one for one in (PhotoGoneError, PhotoBrokenError, PhotoUnreachableError)}


class Fetcher:
    """One connection to a process, for one file at a time: `take`, or first `fetch`, then `keep`.

    The process goes on by itself from one step to the next. `is_asked` while it owes an answer.
    """

    def __init__(
        self,
        process: FetchProcess,
        which: int,
        store: ImageStore,
        fetch_timeout_secs: float,
        keep_timeout_secs: float,
    ) -> None:
        self.process, self._which, self._store = process, which, store
        self.fetch_timeout_secs, self.keep_timeout_secs = fetch_timeout_secs, keep_timeout_secs
        self._connection: socket.socket | None = None
        self._answers: IO[bytes] | None = None
        self._number = 0
        self.process_id: int | None = None
        self.is_asked = False

    def take(
        self, url: str, promised_size: tuple[int, int] | None, photo_id: int | None = None
    ) -> StoredPicture:
        """What is at the URL, once it is stored durably; raises what `fetch` and `keep` do.

        A note tells before that it is of this photo, where one is named.
        """
        timeout_secs = self.fetch_timeout_secs + self.keep_timeout_secs
        asked = _describe(url, promised_size, photo_id, tell=False)
        return self._finish(*self._step(timeout_secs, asked))

    def fetch(
        self, url: str, promised_size: tuple[int, int] | None, photo_id: int | None = None
    ) -> None:
        """Return when the process has the bytes at the URL; raises what Downloader.fetch does.

        Raises PhotoUnreachableError where the process ended or did not answer in time.
        """
        self._step(self.fetch_timeout_secs, _describe(url, promised_size, photo_id, tell=True))

    def keep(self) -> StoredPicture:
        """What the fetched bytes are, once they are stored durably; raises as read_picture does.

        Raises PhotoUnreachableError as `fetch` does, ImageStoreError where the store is full.
        """
        return self._finish(*self._step(self.keep_timeout_secs))

    def leave(self) -> None:
        """Close the connection; a process ends when all of its are closed."""
        self.process_id, self.is_asked = None, False
        for one in (self._answers, self._connection):
            if one is not None:
                with suppress(OSError):
                    one.close()
        self._answers = self._connection = None

    def leave_given_up(self) -> None:
        """Leave a process that is asked no more; with the last connection to it, it ends."""
        if self._connection is not None and not self.process.is_current(self._number):
            self.leave()

    def abandon(self) -> None:
        """Leave a process that still owes an answer; nobody asks it for more."""
        self.process.give_up(self._number)
        self.leave()

    def _finish(self, answer: dict[str, Any], payload: bytes) -> StoredPicture:
        self.is_asked = False
        if payload:
            self._store.put(payload)
        return StoredPicture(
            sha256=str(answer["sha256"]),
            width=int(answer["width"]),
            height=int(answer["height"]),
            bytes=int(answer["bytes"]),
            original_sha256=answer["original_sha256"],
        )

    def _step(self, timeout_secs: float, asked: bytes = b"") -> tuple[dict[str, Any], bytes]:
        """The answer to the next step, of a new file where `asked` tells of one."""
        try:
            if asked:
                self._connect()
            answer, payload = self._exchange(asked, timeout_secs)
        except OSError as error:
            self._end(is_hanging=isinstance(error, TimeoutError))
            detail = str(error) if isinstance(error, TimeoutError) else "the decoder ended over it"
            raise PhotoUnreachableError(Reason.DECODER_ENDED, detail) from error
        except BaseException:
            self._end(is_hanging=True)
            raise
        if "fault" in answer or "store" in answer:
            self.is_asked = False
            raise _read_fault(answer)
        return answer, payload

    def _connect(self) -> None:
        """Have a process; once more where the first process ended before it had forked one."""
        if self._connection is not None and self.process.is_current(self._number):
            return
        self.leave()
        try:
            self._greet()
        except ConnectionError:
            self.process.give_up_first()
            self.leave()
            self._greet()

    def _greet(self) -> None:
        connection, self._number = self.process.connect(self._which)
        connection.settimeout(self.keep_timeout_secs)
        self._connection, self._answers = connection, connection.makefile("rb")
        hello, _ = self._read_answer()
        self.process_id = int(hello["process_id"])

    def _exchange(self, asked: bytes, timeout_secs: float) -> tuple[dict[str, Any], bytes]:
        if self._connection is None:
            raise ConnectionResetError("the process ended")
        self._connection.settimeout(timeout_secs)
        if asked:
            self.is_asked = True
            self._connection.sendall(asked)
        try:
            return self._read_answer()
        except TimeoutError as error:
            raise TimeoutError(f"no answer came within {timeout_secs:g} s") from error

    def _read_answer(self) -> tuple[dict[str, Any], bytes]:
        assert self._answers is not None
        line = self._answers.readline()
        if not line.endswith(b"\n"):
            raise ConnectionResetError("the process ended")
        answer = json.loads(line)
        count = answer.get("following", 0)
        payload = self._answers.read(count) if count else b""
        if len(payload) != count:
            raise ConnectionResetError("the process ended")
        return answer, payload

    def _end(self, *, is_hanging: bool) -> None:
        """A process that still holds its connection can be killed by its id: it has it still."""
        process_id = self.process_id
        if is_hanging and process_id is not None:
            with suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGKILL)
        self.abandon()


def _describe(
    url: str, promised_size: tuple[int, int] | None, photo_id: int | None, *, tell: bool
) -> bytes:
    asked = {"url": url, "promised": promised_size, "photo_id": photo_id, "tell": tell}
    return json.dumps(asked).encode() + b"\n"


def _read_fault(answer: dict[str, Any]) -> Exception:
    if "store" in answer:
        return ImageStoreError(answer["store"])
    if answer["fault"] == HostBusyError.__name__:
        return HostBusyError(answer["detail"], answer["retry_after_secs"])
    return _FAULTS[answer["fault"]](Reason(answer["reason"]), answer["detail"])
