"""The progress of long work: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from tqdm import tqdm

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
    is_quiet = get_loudness() < 0
    has_bar, done, told_at = stream.isatty() and not is_quiet, 0, time.monotonic()

    def advance(count: int) -> None:
        nonlocal done, told_at
        done += count
        bar.update(count)
        if not has_bar and time.monotonic() - told_at >= LINE_EVERY_SECS:
            told_at = time.monotonic()
            tell()

    def tell() -> None:
        if not is_quiet:
            print(f"{label}: {done} of {total} {unit}", file=stream)

    with tqdm(desc=label, total=total, unit=f" {unit}", file=stream, disable=not has_bar) as bar:
        yield advance
    if not has_bar:
        tell()
