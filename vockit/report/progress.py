"""The progress of long work: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TextIO

import click

from vockit.command_line import get_loudness

Advance = Callable[[int], None]
"""Called with how many more are done."""

LINE_EVERY_SECS = 5.0


@contextmanager
def progress(
    label: str, total: int, unit: str, *, stream: TextIO | None = None
) -> Iterator[Advance]:
    """A function to call with how many more are done; progress goes to standard error."""
    stream = stream or sys.stderr
    if get_loudness() < 0:
        yield lambda _count: None
    elif stream.isatty():
        showing: AbstractContextManager[Any] = click.progressbar(
            length=total,
            label=label,
            file=stream,
            bar_template=f"%(label)s: %(info)s of {total:,} {unit} [%(bar)s]",
            update_min_steps=max(total // 1000, 1),
        )
        with showing as bar:
            yield bar.update
    else:
        lines = _Lines(label, total, unit, stream)
        yield lines.advance
        lines.tell()


class _Lines:
    """Progress as a line every few seconds."""

    def __init__(self, label: str, total: int, unit: str, stream: TextIO) -> None:
        self._head = label
        self._rest = f"of {total} {unit}"
        self._stream = stream
        self._done = 0
        self._told_at = time.monotonic()

    def advance(self, count: int) -> None:
        self._done += count
        now = time.monotonic()
        if now - self._told_at >= LINE_EVERY_SECS:
            self._told_at = now
            self.tell()

    def tell(self) -> None:
        print(f"{self._head}: {self._done} {self._rest}", file=self._stream)
