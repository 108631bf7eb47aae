"""Memory that goes back to the system; what GNU's C library does is tried in a real process."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import weakref

import pytest

from catalog.allocator import Trimmer, share_arenas, trim

HOLES = """
import ctypes
from pathlib import Path
from catalog.allocator import share_arenas, trim

def resident_pages():
    return int(Path("/proc/self/statm").read_text().split()[1])

library = ctypes.CDLL(None)
library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
library.free.argtypes = [ctypes.c_void_p]
share_arenas()
pieces = [library.malloc(60_000) for _ in range(1000)]
for piece in pieces:
    ctypes.memset(piece, 1, 60_000)
for piece in pieces[:-1]:  # the last one keeps the pool from shrinking by itself
    library.free(piece)
before = resident_pages()
trim()
print(before - resident_pages())
"""


def has_gnu_library() -> bool:
    return hasattr(ctypes.CDLL(None), "malloc_trim")


@pytest.mark.skipif(not has_gnu_library(), reason="needs GNU's C library")
def test_free_pages_below_a_used_piece_go_back() -> None:
    done = subprocess.run([sys.executable, "-c", HOLES], check=True, capture_output=True, text=True)
    assert int(done.stdout) > 10_000  # pages of 4 kB, of 60 MB freed


def test_cycles_are_collected_before() -> None:
    class Node:
        other: Node | None = None

    one, other = Node(), Node()
    one.other, other.other = other, one
    left = weakref.ref(one)
    gc.disable()
    try:
        del one, other
        assert left() is not None
        trim()
        assert left() is None
    finally:
        gc.enable()


def test_another_c_library_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    class Other:
        def __init__(self, name: object) -> None:
            asked.append(name)

    monkeypatch.setattr(ctypes, "CDLL", Other)
    share_arenas()
    trim()
    assert asked == [None, None]


def test_memory_is_trimmed_once_in_a_while_only() -> None:
    now_secs, trimmed_secs = [100.0], list[float]()
    trimmer = Trimmer(
        10, trim=lambda: trimmed_secs.append(now_secs[0]), read_secs=lambda: now_secs[0]
    )
    for secs in (100, 109, 110, 111, 119, 120, 150, 159):
        now_secs[0] = float(secs)
        trimmer.trim_if_due()
    assert trimmed_secs == [110, 120, 150]
