"""The progress of long work: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from tqdm import tqdm

Advance = Callable[[int], None]

LINE_EVERY_SECS = 5.0


@contextmanager
def progress(
    label: str, total: int, unit: str, *, stream: TextIO | None = None
) -> Iterator[Advance]:
    """A function to call with how many more are done; progress goes to standard error."""
    stream = stream or sys.stderr
    if stream.isatty():
        with tqdm(desc=label, total=total, unit=f" {unit}", file=stream) as bar:
            yield lambda count: _advance_bar(bar, count)
        return
    done, told_at = 0, time.monotonic()

    def tell() -> None:
        print(f"{label}: {done} of {total} {unit}", file=stream)

    def advance(count: int) -> None:
        nonlocal done, told_at
        done += count
        if time.monotonic() - told_at >= LINE_EVERY_SECS:
            told_at = time.monotonic()
            tell()

    yield advance
    tell()


def _advance_bar(bar: tqdm[Any], count: int) -> None:
    bar.update(count)
