"""How far long work has come: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from tqdm import tqdm

if TYPE_CHECKING:
    _Tqdm = tqdm[Any]
else:
    _Tqdm = tqdm

Advance = Callable[[int], None]

LINE_EVERY_SECS = 5.0


@contextmanager
def progress(
    label: str, total: int, unit: str, *, stream: TextIO | None = None
) -> Iterator[Advance]:
    """A function to call with how many more are done; what it shows goes to standard error."""
    stream = stream or sys.stderr
    if stream.isatty():
        with _Bar(desc=label, total=total, unit=f" {unit}", file=stream) as bar:
            yield lambda count: _advance_bar(bar, count)
        return
    lines = _Lines(label, total, unit, stream)
    yield lines.advance
    lines.say()


class _Bar(_Tqdm):
    """A bar that is drawn when it is told of more, without a thread that watches it.

    A process with a second thread forks no others (export.forked).
    """

    monitor_interval = 0


def _advance_bar(bar: tqdm[Any], count: int) -> None:
    bar.update(count)


class _Lines:
    def __init__(self, label: str, total: int, unit: str, stream: TextIO) -> None:
        self._label, self._total, self._unit, self._stream = label, total, unit, stream
        self._done = 0
        self._said_at = time.monotonic()

    def advance(self, count: int) -> None:
        self._done += count
        if time.monotonic() - self._said_at >= LINE_EVERY_SECS:
            self.say()

    def say(self) -> None:
        self._said_at = time.monotonic()
        print(f"{self._label}: {self._done} of {self._total} {self._unit}", file=self._stream)
