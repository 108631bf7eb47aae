"""Whether the collector's cost of an image stays flat, in rows and in memory.

Rows: a synthetic catalogue is filled to 500,000 photos and images; on the way the statements of the
collector are timed (claim eight, record one, choose within caps, count progress). Memory: a worker
of the real job collects from a stand-in, image after image; the resident set is read on the way.

    python -m benchmarks.collect_scale --rows 500000 --images 3000
"""

from __future__ import annotations

import argparse
import hashlib
import math
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import insert

from catalog.new_party import make_party
from catalog.party import Party, open_party
from catalog.states import ImageState, PhotoState, Source
from catalog.tables import Image, Photo, Query
from collect.caps import Caps, load_room, lock_caps
from collect.claims import claim_photos
from collect.outcomes import load_fetched_count, record_fetched
from collect.picture import Picture
from collect.snapshots import load_class_counts
from collect.worth import load_standing, refresh_query_worth

NOW = datetime(2025, 1, 1, tzinfo=UTC)
LEASE = timedelta(minutes=4)
BLOCK = 10_000
QUERIES = 200
OWNERS = 60_000
PICTURES = 200
SPARE = 5  # times as many photographs as are fetched: licences and caps refuse most
TIMED = 30


def main() -> None:
    """Print the time of each statement at sizes up to the wanted one, and the memory on the way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--images", type=int, default=3000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.rows:
            measure_rows(Path(folder), given.rows)
        if given.images:
            measure_memory(Path(folder), given.images)


def measure_rows(folder: Path, rows: int) -> None:
    """Print a line of times at a fiftieth, a fifth and all of the rows."""
    make_party(folder / "rows", name="Benchmark", preset="voc2012")
    with open_party(folder / "rows") as party:
        add_queries(party)
        print("rows | claim 8, ms | record 1, ms | room of 200 owners, ms | "
              "count progress, ms | standing, ms | recount worth, ms")  # fmt: skip
        filled = 0
        for step, size in enumerate((rows // 50, rows // 5, rows)):
            for start in range(filled, size, BLOCK):
                gap = 1000 * step  # the ids between are those of the timed images
                fill(party, start + gap, min(size, start + BLOCK) + gap)
            filled = size
            print(" | ".join((str(size), *time_statements(party, size))), flush=True)


def add_queries(party: Party) -> None:
    """Twenty classes of ten queries."""
    rows = [
        {"id": n + 1, "source": Source.FLICKR, "class_name": f"class{n % 20}", "keyword": f"k{n}"}
        for n in range(QUERIES)
    ]
    with party.catalogue.writing() as session:
        session.execute(insert(Query), rows)


def fill(party: Party, start: int, stop: int) -> None:
    """Photos that were fetched, each with its image."""
    numbers = range(start + 1, stop + 1)
    images = [
        {
            "id": n,
            "sha256": _digest(n),
            "width": 500,
            "height": 375,
            "bytes": 110_000,
            "stored_at": NOW,
            "state": ImageState.POOL,
            "state_at": NOW,
        }
        for n in numbers
    ]
    with party.catalogue.writing() as session:
        session.execute(insert(Image), images)
        session.execute(insert(Photo), [_photo(n, PhotoState.FETCHED, n) for n in numbers])


def time_statements(party: Party, size: int) -> Sequence[str]:
    """The median milliseconds of each statement, as a transaction of its own."""
    fresh = range(10**7 + size, 10**7 + size + 9 * TIMED)
    with party.catalogue.writing() as session:
        session.execute(insert(Photo), [_photo(n, PhotoState.FOUND, None) for n in fresh])
    claimed = []

    def claim() -> None:
        with party.catalogue.writing() as session:
            claimed.extend(claim_photos(session, "benchmark", 8, now=NOW, lease=LEASE, attempts=5))

    def record() -> None:
        one = claimed.pop()
        digest = _digest(one.photo_id + 10**8 + size)
        with party.catalogue.writing() as session:
            record_fetched(session, one, Picture(b"x", 500, 375), digest, now=NOW)

    def room() -> None:
        with party.catalogue.writing() as session:
            lock_caps(session)
            load_room(session, (f"owner {n}" for n in range(200)), Caps(20, 1))

    def count() -> None:
        with party.catalogue.reading() as session:
            load_fetched_count(session)
            load_class_counts(session)

    def stand() -> None:
        with party.catalogue.reading() as session:
            load_standing(session)

    def recount() -> None:
        with party.catalogue.writing() as session:
            refresh_query_worth(session)

    often, seldom = (claim, record, room), (count, stand, recount)
    return [_median_ms(one, TIMED) for one in often] + [_median_ms(one, 3) for one in seldom]


def measure_memory(folder: Path, images: int) -> None:
    """Print the resident set of the collector at several counts of images of one run."""
    from benchmarks.collect_throughput import Plan, make_pictures, running_standin
    from benchmarks.collect_throughput import make_party as make_collecting_party
    from collect.job import Order, run_collect

    pictures = make_pictures(folder / "pictures", PICTURES, is_small=True)
    copies = math.ceil(images * SPARE / PICTURES)
    marks = [size for size in (100, 300, 1000, 3000, 10_000, 30_000, 100_000) if size < images]
    with running_standin(pictures, folder / "cache", 0, copies=copies) as standin:
        values = {"window_days": 7, "photos_per_search": 50}
        make_collecting_party(folder / "memory", standin.base_url, Plan(images, 1, 8, None), values)
        with open_party(folder / "memory") as party:
            print("images | resident MB of the collector | images/s so far", flush=True)
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
            print(f"{self._left.pop(0)} | {_resident_mb():.1f} | {rate:.0f}", flush=True)


def _photo(number: int, state: PhotoState, image_id: int | None) -> dict[str, object]:
    return {
        "source": Source.FLICKR,
        "source_id": str(number),
        "state": state,
        "owner_id": f"owner {number % OWNERS}",
        "owner_name": f"owner {number % OWNERS}",
        "title": "A photograph with a title of the usual length",
        "tags": "cat garden summer",
        "licence_id": "4",
        "uploaded_at": NOW - timedelta(minutes=number % 10**7),
        "page_url": f"https://www.flickr.com/photos/owner/{number}",
        "image_url": f"https://live.staticflickr.com/65535/{number}_0123456789.jpg",
        "query_id": 1 + number % QUERIES,
        "found_at": NOW,
        "image_id": image_id,
    }


def _digest(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def _median_ms(work: Callable[[], None], times: int) -> str:
    found = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        found.append((time.perf_counter() - began) * 1000)
    return f"{statistics.median(found):.1f}"


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


if __name__ == "__main__":
    main()
