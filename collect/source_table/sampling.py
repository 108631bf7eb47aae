"""One pass over a table: of each query and month, the photographs with the lowest lots.

A lot is a digest of seed, query and id, so a photograph's chance depends on no other, the order of
the rows does not matter, and a row that comes twice counts once. What is kept of a month is the
lowest lots under the caps of owners and days: candidates lie in a SQLite file, and a month that has
many is cut to what can still win, which keeps memory and disk small.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from catalog.licences import Licence, is_kept
from catalog.settings import UNDATED_MONTHS
from collect.results import FoundPhoto
from collect.transport import ImageHosts, is_public, parse_endpoint

from .batches import BATCH_ROWS, read_batches
from .errors import RowError
from .recognise import TableFile
from .rows import PICTURES_URL
from .sample_file import NO_DATE, SampledPhoto, find_month

_CANDIDATES = 4
"""A month is cut once it has so many times as many candidates as are kept."""
_MOST_REASONS = 20
"""A column may name another licence in each row, so not all of them are told."""
_NUMBERS = re.compile(r"[0-9.]+")
_SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -65536;
CREATE TABLE photo (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE lot (query INTEGER, month INTEGER, lot INTEGER, photo INTEGER, source_id TEXT,
    owner TEXT, day TEXT, secs INTEGER, PRIMARY KEY (query, month, lot)) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Rules:
    """Which rows are sampled and how many; no licences where the table has no column for them."""

    queries: Sequence[str]
    licences: Mapping[str, Licence] | None
    dates: str
    seed: int
    photos_per_month: int
    photos_per_owner: int
    photos_per_owner_and_day: int
    blocked_owners: frozenset[str] = frozenset()
    default_licence: Licence | None = None
    hosts: ImageHosts = field(default_factory=lambda: ImageHosts(()))


@dataclass
class Counts:
    """What a pass read; `matched` counts by query and month, `left_out` by reason."""

    rows: int = 0
    answers: int = 0  # rows that answer a query and may be collected
    matched: Counter[tuple[int, int]] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)

    def list_left_out(self) -> list[tuple[str, int]]:
        """Each reason with its count, most first; rare ones together, where they are many."""
        reasons = sorted(self.left_out.items(), key=lambda entry: (-entry[1], entry[0]))
        others = reasons[_MOST_REASONS:]
        if not others:
            return reasons
        return [*reasons[:_MOST_REASONS], ("other reasons", sum(count for _, count in others))]


class Pass:
    """One pass, whose candidates are in the new file `path`."""

    def __init__(self, path: Path, rules: Rules) -> None:
        self.counts = Counts()
        self._rules = rules
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.executescript(_SCHEMA)
        self._connection.execute("BEGIN")
        self._photos: list[tuple[int, str]] = []
        self._lots: list[tuple[Any, ...]] = []
        self._waiting: Counter[tuple[int, int]] = Counter()  # candidates since the last cut
        self._highest: dict[tuple[int, int], int] = {}  # a lot above it cannot win any more
        self._number = 0

    def read(self, file: TableFile, advance: Callable[[int], None] = lambda _rows: None) -> None:
        """Take the rows of one file; raises TableError."""
        for batch in read_batches(file, self._rules.queries):
            self.counts.left_out.update(batch.left_out)
            for queries, photo in batch.found:
                self._take(queries, photo)
            self.counts.rows += batch.rows
            advance(batch.rows)

    def finish(self) -> Iterator[SampledPhoto]:
        """What is kept of the whole table, in the order of ids."""
        self._write()
        months = self._connection.execute("SELECT DISTINCT query, month FROM lot").fetchall()
        for month in months:
            self._cut(*month)
        rows = self._connection.execute(
            "SELECT lot.source_id, query, secs, value FROM lot JOIN photo ON photo.id = lot.photo "
            "ORDER BY lot.source_id, query, month, lot"
        )
        last = None
        value = ""
        moments = dict[int, int]()
        for source_id, query, secs, text in rows:
            if source_id != last and last is not None:
                yield SampledPhoto(_load_photo(value), moments)
                moments = {}
            last, value = source_id, value if moments else text
            moments[query] = secs
        if last is not None:
            yield SampledPhoto(_load_photo(value), moments)

    def close(self) -> None:
        """Close the file of candidates."""
        self._connection.close()

    def _take(self, queries: Sequence[int], photo: FoundPhoto) -> None:
        """Make a row that answers the queries a candidate, unless it cannot win."""
        try:
            photo = self._check(photo)
            month, secs, day = self._find_time(photo)
        except RowError as error:
            self.counts.left_out[str(error)] += 1
            return
        self.counts.answers += 1
        is_written = False
        for query in queries:
            key = query, month
            self.counts.matched[key] += 1
            lot = draw_lot(self._rules.seed, self._rules.queries[query], photo.source_id)
            if lot > self._highest.get(key, lot):
                continue
            if not is_written:
                self._number += 1
                self._photos.append((self._number, _dump_photo(photo)))
                is_written = True
            owner = photo.owner_id
            self._lots.append((*key, lot, self._number, photo.source_id, owner, day, secs))
            self._waiting[key] += 1
            if self._waiting[key] >= (_CANDIDATES - 1) * self._most(month):
                self._write()
                self._cut(*key)
        if len(self._lots) >= BATCH_ROWS:
            self._write()

    def _check(self, photo: FoundPhoto) -> FoundPhoto:
        """The photograph, with its licence; raises RowError where it may not be collected."""
        rules = self._rules
        licence = photo.licence or self._rules.default_licence
        if rules.licences is not None and licence is None:
            raise RowError("no licence is named")
        if rules.licences is not None and licence and not is_kept(licence, rules.licences):
            raise RowError(f"its licence {licence.name[:60]} is not among collect.licences")
        if photo.owner_id in rules.blocked_owners:
            raise RowError("its owner is excluded")
        if is_private(photo.image_url or "", rules.hosts):
            raise RowError("its address leads to a private host")
        return photo if licence is photo.licence else _with_licence(photo, licence)

    def _find_time(self, photo: FoundPhoto) -> tuple[int, int, str]:
        """Month, seconds and day by which it is sampled; raises RowError for an unknown date."""
        if self._rules.dates == "none":
            return NO_DATE, 0, f"{photo.uploaded_at:%Y-%m-%d}" if photo.uploaded_at else ""
        moment = photo.find_date(is_by_taken=self._rules.dates == "taken")
        if moment is None:
            raise RowError("no date by which it can be drawn")
        return find_month(moment), int(moment.timestamp()), f"{moment:%Y-%m-%d}"

    def _most(self, month: int) -> int:
        months = UNDATED_MONTHS if month == NO_DATE else 1
        return self._rules.photos_per_month * months

    def _write(self) -> None:
        self._connection.executemany("INSERT INTO photo VALUES (?, ?)", self._photos)
        self._connection.executemany(
            "INSERT OR IGNORE INTO lot VALUES (?, ?, ?, ?, ?, ?, ?, ?)", self._lots
        )
        self._photos.clear()
        self._lots.clear()

    def _cut(self, query: int, month: int) -> None:
        """Leave of a month only what would win if nothing else came: nothing else ever can."""
        rows = self._connection.execute(
            "SELECT lot, owner, day FROM lot WHERE query = ? AND month = ? ORDER BY lot",
            (query, month),
        ).fetchall()
        kept = set(choose_lowest(rows, self._rules, self._most(month)))
        lost = [(query, month, row[0]) for row in rows if row[0] not in kept]
        self._connection.executemany(
            "DELETE FROM lot WHERE query = ? AND month = ? AND lot = ?", lost
        )
        self._waiting[query, month] = 0
        if len(kept) == self._most(month):
            self._highest[query, month] = max(kept)


def choose_lowest(rows: Iterable[tuple[int, str, str]], rules: Rules, most: int) -> Iterator[int]:
    """The lots that are kept of those of a month, which come with owner and day, lowest first."""
    owners = Counter[str]()
    days = Counter[tuple[str, str]]()
    count = 0
    for lot, owner, day in rows:
        if count == most:
            return
        if owner:
            is_full = owners[owner] >= rules.photos_per_owner
            if is_full or (day and days[owner, day] >= rules.photos_per_owner_and_day):
                continue
            owners[owner] += 1
            days[owner, day] += 1
        count += 1
        yield lot


def is_private(url: str, hosts: ImageHosts) -> bool:
    """Whether an address names a host of the own network that the settings do not allow."""
    if url.startswith(PICTURES_URL):
        return False
    endpoint = parse_endpoint(url)
    if endpoint is None or hosts.allows(endpoint):
        return False
    is_number = _NUMBERS.fullmatch(endpoint.host) or ":" in endpoint.host
    return "." not in endpoint.host or bool(is_number and not is_public(endpoint.host))


def draw_lot(seed: int, query: str, source_id: str) -> int:
    """A number of 63 bits that is a photograph's own; each is equally likely."""
    digest = blake2b(f"{seed}/{query}/{source_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def _with_licence(photo: FoundPhoto, licence: Licence | None) -> FoundPhoto:
    return FoundPhoto(**(vars(photo) | {"licence": licence}))


def _dump_photo(photo: FoundPhoto) -> str:
    values = dict(vars(photo))
    values["licence"] = photo.licence and vars(photo.licence)
    values["uploaded_at"] = photo.uploaded_at and photo.uploaded_at.timestamp()
    return json.dumps(values)


def _load_photo(text: str) -> FoundPhoto:
    values = json.loads(text)
    licence = values["licence"]
    secs = values["uploaded_at"]
    values["licence"] = licence and Licence(**licence)
    values["uploaded_at"] = None if secs is None else datetime.fromtimestamp(secs, UTC)
    return FoundPhoto(**values)
