"""What the collector's own transactions cost on a synthetic catalogue of growing size.

Each photograph goes the way of `vocparty collect` with its default settings: a search is looked at
(known ids, room of owners), a draw recorded (room again, counters, searches, ten found photos),
24 are claimed at once, eight kept pictures recorded at once. Every found photo is kept, and owners
have eight photographs each at every size.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from catalog.new_party import make_party
from catalog.party import Party, open_party
from catalog.settings import CollectSettings
from collect.balance import RELOAD_DRAWS
from collect.caps import caps_of, choose_within, load_room, lock_caps
from collect.claims import Claim, claim_photos
from collect.found import Finding, insert_found, load_known_ids
from collect.licences import get_licences
from collect.looks import Look
from collect.outcomes import Kept, Outcome, load_fetched_count, record_kept
from collect.picture import StoredPicture
from collect.queries import DrawCounts, count_draw
from collect.results import FoundPhoto
from collect.search_rows import insert_searches
from collect.snapshots import load_class_counts
from collect.supplies import SHELF_SHARE
from collect.worker_threads import RECOUNT_EVERY_SECS, RECOUNT_SHARE
from collect.worth import count_query_worth, load_standing, save_query_worth

from .collect_synthetic import (
    NOW,
    QUERIES,
    WEEK,
    add_queries,
    digest_of,
    fill,
    make_found,
    take_statistics,
)

LEASE = timedelta(minutes=7)
BLOCK = 10_000
PHOTOS_OF_ONE = 8
READ_OF_A_PAGE = 40
KNOWN_OF_THEM = 4
ROUNDS = 10
SELDOM = 3
IMAGES_A_RUN = 10_000
HEAD = (
    "rows | look, ms | draw 10, ms | claim 24, ms | record 8, ms | per image, ms | "
    "of these processor, ms | count progress, ms (share of time) | "
    "standing, ms (per image) | recount worth, ms (per image)"
)


def measure_rows(folder: Path, rows: int, catalogue: str | None = None) -> None:
    """Print a line of times at a fiftieth, a fifth and all of the rows.

    `catalogue` is the URL of an empty database; without it there is a file of SQLite.
    """
    values = {"catalogue": catalogue} if catalogue else {}
    make_party(folder / "rows", name="Benchmark", preset="voc2012", values=values)
    with open_party(folder / "rows") as party:
        add_queries(party)
        print(HEAD, flush=True)
        filled, owners = 0, 0
        for size in (rows // 50, rows // 5, rows):
            more = max(1, (size - filled) // PHOTOS_OF_ONE)
            for start in range(filled, size, BLOCK):
                fill(party, range(start, min(size, start + BLOCK)), owners, more)
            take_statistics(party)
            filled, owners = size, owners + more
            print(" | ".join((f"{size:,}", *_time_all(party, size, owners))), flush=True)


def _time_all(party: Party, size: int, owners: int) -> Iterator[str]:
    run = _Run(party, owners, first=10**9 + 10**6 * (size // BLOCK))
    run.collect_once()
    run.forget()
    for _ in range(ROUNDS):
        run.collect_once()
    for name in ("look", "draw", "claim", "record"):
        yield f"{statistics.median(run.watch.secs[name]) * 1000:.1f}"
    yield f"{sum(map(sum, run.watch.secs.values())) / run.images * 1000:.2f}"
    yield f"{run.watch.processor_secs / run.images * 1000:.2f}"
    progress, standing, worth = (_median_secs(one) for one in _seldom(party))
    pause_secs = max(RECOUNT_EVERY_SECS, progress / RECOUNT_SHARE)
    yield f"{progress * 1000:.0f} ({progress / (progress + pause_secs):.1%})"
    per_draw = CollectSettings().photos_per_search
    yield f"{standing * 1000:.0f} ({standing / (RELOAD_DRAWS * per_draw) * 1000:.2f})"
    yield f"{worth * 1000:.0f} ({2 * worth / IMAGES_A_RUN * 1000:.2f})"


@dataclass
class _Watch:
    """The seconds of each kind of transaction, and the processor's for all of them."""

    secs: dict[str, list[float]] = field(default_factory=dict)
    processor_secs: float = 0.0

    @contextmanager
    def timing(self, name: str) -> Iterator[None]:
        """Add what the block takes."""
        began, processor = time.perf_counter(), time.process_time()
        yield
        self.processor_secs += time.process_time() - processor
        self.secs.setdefault(name, []).append(time.perf_counter() - began)


class _Run:
    """The collector's way with new photographs, one thread and no network."""

    def __init__(self, party: Party, owners: int, first: int) -> None:
        self._party, self._owners, self._next = party, owners, first
        self._rng = random.Random(first)
        self._settings = CollectSettings()
        self._licences = get_licences(self._settings.licences)
        self.watch, self.images = _Watch(), 0

    def forget(self) -> None:
        """Count from here: the first round made every statement."""
        self.watch, self.images = _Watch(), 0

    def collect_once(self) -> None:
        """Twelve searches' photographs, from the look at each page to the rows of images."""
        for _ in range(12):
            self._draw(self._look())
        shelf, waiting = SHELF_SHARE * self._settings.workers, True
        while waiting:
            claims = self._claim(shelf)
            waiting = len(claims) == shelf
            for start in range(0, len(claims), self._settings.workers):
                self._record(claims[start : start + self._settings.workers])

    def _look(self) -> tuple[FoundPhoto, ...]:
        page = {photo.source_id: photo for photo in self._make_page()}
        with self.watch.timing("look"), self._party.catalogue.reading() as session:
            known = load_known_ids(session, page)
            new = [photo for source_id, photo in page.items() if source_id not in known]
            room = load_room(session, (one.owner_id for one in new), caps_of(self._settings))
            return tuple(photo for photo in new if room.admits(photo))

    def _draw(self, fresh: Sequence[FoundPhoto]) -> None:
        settings, query_id = self._settings, self._rng.randrange(QUERIES) + 1
        look = Look(WEEK, tuple(self._licences), 1, 3000, 500, tuple(fresh))
        with self.watch.timing("draw"), self._party.catalogue.writing() as session:
            lock_caps(session)
            room = load_room(session, (one.owner_id for one in fresh), caps_of(settings))
            chosen = choose_within(fresh, room, settings.photos_per_search)
            count_draw(session, query_id, DrawCounts(1, look.total))
            insert_searches(session, query_id, settings.dates, [look], NOW)
            insert_found(session, chosen, Finding(query_id, WEEK, 1, NOW), self._licences)

    def _claim(self, count: int) -> list[Claim]:
        with self.watch.timing("claim"), self._party.catalogue.writing() as session:
            return claim_photos(session, "benchmark", count, now=NOW, lease=LEASE, attempts=5)

    def _record(self, claims: Sequence[Claim]) -> None:
        kept = [
            Kept(one, StoredPicture(digest_of(10**8 + one.photo_id), 500, 375, 110_000), NOW)
            for one in claims
        ]
        with self.watch.timing("record"), self._party.catalogue.writing() as session:
            outcomes = record_kept(session, kept)
        if set(outcomes) != {Outcome.FETCHED}:
            raise RuntimeError(f"expected new images only, got {outcomes}")
        self.images += len(kept)

    def _make_page(self) -> Iterator[FoundPhoto]:
        for at in range(READ_OF_A_PAGE):
            self._next += 1
            number = at if at < KNOWN_OF_THEM else self._next
            yield make_found(number, self._rng.randrange(self._owners), self._rng)


def _seldom(party: Party) -> tuple[Callable[[], None], ...]:
    def count() -> None:
        with party.catalogue.reading() as session:
            load_fetched_count(session)
            load_class_counts(session)

    def stand() -> None:
        with party.catalogue.reading() as session:
            load_standing(session)

    def recount() -> None:
        with party.catalogue.reading() as session:
            worth = count_query_worth(session)
        with party.catalogue.writing() as session:
            save_query_worth(session, worth)

    return count, stand, recount


def _median_secs(work: Callable[[], None]) -> float:
    found = []
    for _ in range(SELDOM):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return statistics.median(found)
