"""Whether the collector's cost of an image stays flat, in rows and in memory.

Rows: a synthetic catalogue is filled to 500,000 photos and images; on the way the collector's own
transactions are timed (see collect_rows). Memory: a worker of the real job collects from a
stand-in, image after image; the resident set is read on the way.

    python -m benchmarks.collect_scale --rows 500000 --images 3000

With TMPDIR=/dev/shm no transaction waits for a disk; the server of --postgres never does (fsync is
off).
"""

from __future__ import annotations

import argparse
import ctypes
import math
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from catalog.party import open_party
from tests.postgres import running_server

from .collect_rows import measure_rows

HEAD = (
    "images | resident MB of the collector | C library in use, MB | free in it, MB | "
    "images/s so far"
)
PICTURES = 200
SPARE = 5  # times as many photographs as are fetched: licences and caps refuse most


def main() -> None:
    """Print the time of each statement at sizes up to the wanted one, and the memory on the way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--images", type=int, default=3000)
    parser.add_argument(
        "--postgres", action="store_true", help="measure the rows on a PostgreSQL server of its own"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.rows and given.postgres:
            with running_server() as server:
                measure_rows(Path(folder), given.rows, server.url(server.make_database()))
        elif given.rows:
            measure_rows(Path(folder), given.rows)
        if given.images:
            measure_memory(Path(folder), given.images)


def measure_memory(folder: Path, images: int) -> None:
    """Print the resident set of the collector at several counts of images of one run."""
    from benchmarks.collect_throughput import Plan, make_pictures
    from benchmarks.collect_throughput import make_party as make_collecting_party
    from benchmarks.standin_processes import running_standins
    from collect.job import Order, run_collect

    pictures = make_pictures(folder / "pictures", PICTURES, is_small=True)
    copies = math.ceil(images * SPARE / PICTURES)
    marks = [size for size in (100, 300, 1000, 3000, 10_000, 30_000, 100_000) if size < images]
    with running_standins(pictures, folder / "cache", 0, copies=copies) as standins:
        values = {"window_days": 7, "photos_per_search": 50}
        make_collecting_party(folder / "memory", standins, Plan(images, 1, 8, None), values)
        with open_party(folder / "memory") as party:
            print(HEAD, flush=True)
            run_collect(party, Order(classes=["cat"]), on_fetched=_Marks([*marks, images]).count)


class _Marks:
    """Prints the resident set whenever so many images are fetched."""

    def __init__(self, marks: Sequence[int]) -> None:
        self._left, self._fetched, self._began = list(marks), 0, time.monotonic()

    def count(self, more: int) -> None:
        """Count further images."""
        self._fetched += more
        if self._left and self._fetched >= self._left[0]:
            rate = self._fetched / (time.monotonic() - self._began)
            held = " | ".join(f"{mb:.1f}" for mb in (_resident_mb(), *_heap_mb()))
            print(f"{self._left.pop(0)} | {held} | {rate:.0f}", flush=True)


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


class _Heap(ctypes.Structure):
    """What mallinfo2(3) of GNU's C library tells."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


def _heap_mb() -> tuple[float, float]:
    """What the C library has in use and holds free; Python keeps its small objects elsewhere."""
    library = ctypes.CDLL(None)
    library.mallinfo2.restype = _Heap
    heap = library.mallinfo2()
    return heap.uordblks / 1e6, heap.fordblks / 1e6


if __name__ == "__main__":
    main()
