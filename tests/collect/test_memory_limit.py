"""A limited process gets what an accepted picture needs, and no more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import mmap, sys
from collect.memory_limit import limit_memory
limit_memory(int(sys.argv[1]))
try:
    mmap.mmap(-1, int(sys.argv[2])).close()  # touches none of it
except OSError:
    print("refused")
else:
    print("given")
"""


@pytest.mark.parametrize(
    ("max_pixels", "wanted_bytes", "expected"),
    [
        (25_000_000, 25_000_000 * 24, "given"),
        (25_000_000, 2**31 + 25_000_000 * 24, "refused"),
        (100_000_000, 2**31 + 25_000_000 * 24, "given"),
        (25_000_000, 2**40, "refused"),
    ],
)
def test_more_memory_than_any_accepted_picture_needs_is_refused(
    max_pixels: int, wanted_bytes: int, expected: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(max_pixels), str(wanted_bytes)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == expected
