"""The sample of a table: a small SQLite file in the party, on which `collect` works.

It holds no moment and no path, so that the same table, settings and seed give the same bytes.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from hashlib import file_digest
from pathlib import Path
from typing import Any
from urllib.parse import quote

from catalog.licences import Licence
from collect.results import FoundPhoto
from collect.strata import Window

from .errors import TableError

FOLDER = "tables"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
"""The name of a table, which is a part of file names and of ids."""
_FILE_NAME = re.compile(rf"{NAME.pattern}-[0-9a-f]{{12}}\.db")
_APPLICATION = 0x766F6370
_VERSION = 1
_COLUMNS = (
    "source_id",
    "owner_id",
    "owner_name",
    "title",
    "tags",
    "licence_id",
    "licence_name",
    "licence_url",
    "taken_at_text",
    "uploaded_secs",
    "image_url",
    "second_url",
    "page_url",
    "place",
)
_SCHEMA = f"""
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE query (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE photo (id INTEGER PRIMARY KEY, {", ".join(_COLUMNS)});
CREATE TABLE matched (query_id INTEGER, month INTEGER, rows INTEGER, PRIMARY KEY (query_id, month))
    WITHOUT ROWID;
CREATE TABLE kept (query_id INTEGER, secs INTEGER, photo_id INTEGER,
    PRIMARY KEY (query_id, secs, photo_id)) WITHOUT ROWID;
CREATE INDEX photo_owner ON photo (owner_id);
"""
NO_DATE = 0
"""The month and the moment of what is sampled without dates."""


@dataclass(frozen=True)
class About:
    """What was read, and how it was sampled.

    `files` are the digests of the table's files by their names, `sha256` that of the one file or of
    their list. `left_out` counts rows that answered a query, or could not be read, by reason.
    `dates` are those by which months were told apart, "none" where there are none.
    """

    name: str
    format: str
    sha256: str
    files: Mapping[str, str]
    columns: Mapping[str, str]
    seed: int
    photos_per_month: int
    photos_per_owner: int
    photos_per_owner_and_day: int
    dates: str
    licences: Sequence[str]
    queries: Sequence[str]
    rows: int
    answers: int
    left_out: Mapping[str, int]
    has_licences: bool = True
    has_owners: bool = True


@dataclass(frozen=True)
class SampledPhoto:
    """A photograph, and for each of its queries the moment it stands for there."""

    photo: FoundPhoto
    moments: Mapping[int, int]  # seconds by number of query


def find_path(party_folder: Path, name: str, sha256: str) -> Path:
    """Where a party has the sample of that digest of the table of that name."""
    return party_folder / FOLDER / f"{name}-{sha256[:12]}.db"


def digest_of_file(path: Path) -> str:
    """The SHA-256 of a file of any size."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def write_sample(
    path: Path,
    about: About,
    matched: Mapping[tuple[int, int], int],
    photos: Iterable[SampledPhoto],
) -> int:
    """How many photographs the new file holds; `matched` counts the rows of each query and month.

    Photographs come in the order of their ids.
    """
    number = 0
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(
            f"PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
            f"PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {_VERSION};"
            f"BEGIN; {_SCHEMA}"
        )
        values = ((name, json.dumps(value)) for name, value in sorted(asdict(about).items()))
        connection.executemany("INSERT INTO about VALUES (?, ?)", values)
        connection.executemany("INSERT INTO query VALUES (?, ?)", enumerate(about.queries))
        counts = ((*key, count) for key, count in sorted(matched.items()))
        connection.executemany("INSERT INTO matched VALUES (?, ?, ?)", counts)
        marks = ", ".join("?" * (1 + len(_COLUMNS)))
        for number, sampled in enumerate(photos, start=1):
            row = [number, *_format_photo(sampled.photo)]
            connection.execute(f"INSERT INTO photo VALUES ({marks})", row)  # noqa: S608
            moments = [(query, secs, number) for query, secs in sorted(sampled.moments.items())]
            connection.executemany("INSERT INTO kept VALUES (?, ?, ?)", moments)
        connection.execute("COMMIT")
    with path.open("rb") as file:
        os.fsync(file.fileno())
    return number


def is_kept_sample(path: Path) -> bool:
    """Whether the file is a sample under a name that find_path gives, and no other file."""
    return _FILE_NAME.fullmatch(path.name) is not None and path.is_file() and is_sample(path)


def is_sample(path: Path) -> bool:
    """Whether the file is the sample of a table, as this program writes it."""
    with path.open("rb") as file:
        head = file.read(72)
    return head[:6] == b"SQLite" and head[68:72] == _APPLICATION.to_bytes(4, "big")


class Sample:
    """A sample that is open for searches; threads may use it one after the other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with _explaining(path):
            self._connection = _connect(path)
            self.about = _read_about(self._connection, path)
            counted = self._connection.execute("SELECT count(*) FROM photo").fetchone()
            self.photos: int = counted[0]
            rows = self._connection.execute("SELECT text, id FROM query")
            self._query_ids: dict[str, int] = dict(rows.fetchall())

    def search(self, query: str, window: Window | None) -> list[FoundPhoto]:
        """The photographs that answer the query, with a window those of its moments."""
        query_id = self._query_ids.get(query)
        first, end = (0, 2**62) if window is None else map(_to_secs, (window.start, window.end))
        columns = ", ".join(f"photo.{name}" for name in _COLUMNS)
        with _explaining(self.path):
            rows = self._connection.execute(
                f"SELECT {columns} FROM kept JOIN photo ON photo.id = photo_id "  # noqa: S608
                "WHERE query_id = ? AND secs >= ? AND secs < ? ORDER BY secs, photo_id",
                (query_id, first, end),
            ).fetchall()
        return [_parse_photo(row) for row in rows]

    def find_unanswered(self) -> list[str]:
        """The queries that no row of the table answers."""
        with _explaining(self.path):
            rows = self._connection.execute(
                "SELECT text FROM query WHERE id NOT IN (SELECT query_id FROM matched) ORDER BY id"
            ).fetchall()
        return [text for (text,) in rows]

    def find_owners(self, owner_ids: Sequence[str]) -> set[str]:
        """Those of the owners who have photographs in the sample."""
        marks = ", ".join("?" * len(owner_ids))
        with _explaining(self.path):
            rows = self._connection.execute(
                f"SELECT DISTINCT owner_id FROM photo WHERE owner_id IN ({marks})",  # noqa: S608
                owner_ids,
            ).fetchall()
        return {owner_id for (owner_id,) in rows}

    def find_hosts_urls(self) -> list[str]:
        """One address of each beginning that pictures have, up to the path."""
        with _explaining(self.path):
            rows = self._connection.execute("SELECT image_url FROM photo").fetchall()
        beginnings = {"/".join(url.split("/", 3)[:3]): url for (url,) in reversed(rows)}
        return sorted(beginnings.values())

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def copy_without_owners(path: Path, copy: Path, owner_ids: Sequence[str]) -> int:
    """How many photographs of these owners the copy of a sample lacks; without any, none is made.

    Nothing of theirs is left in the copy.
    """
    marks = ", ".join("?" * len(owner_ids))
    is_theirs = f"owner_id IN ({marks})"
    with _explaining(path), closing(_connect(path)) as old:
        counted = old.execute(f"SELECT count(*) FROM photo WHERE {is_theirs}", owner_ids)  # noqa: S608
        count = int(counted.fetchone()[0])
        if not count:
            return 0
        with closing(sqlite3.connect(copy)) as new:
            old.backup(new)
            new.execute("PRAGMA journal_mode = OFF")
            theirs = f"SELECT id FROM photo WHERE {is_theirs}"  # noqa: S608
            new.execute(f"DELETE FROM kept WHERE photo_id IN ({theirs})", owner_ids)  # noqa: S608
            new.execute(f"DELETE FROM photo WHERE {is_theirs}", owner_ids)  # noqa: S608
            new.commit()
            new.execute("VACUUM")
    return count


def find_month(moment: datetime) -> int:
    """The number of a month; none is 0."""
    return moment.year * 12 + moment.month


def _to_secs(moment: datetime) -> int:
    return int(moment.timestamp())


def _connect(path: Path) -> sqlite3.Connection:
    """A connection that reads the file and writes nothing; threads may share it."""
    url = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
    return sqlite3.connect(url, uri=True, check_same_thread=False)


def _read_about(connection: sqlite3.Connection, path: Path) -> About:
    pragmas = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("application_id", "user_version")
    )
    if tuple(pragmas) != (_APPLICATION, _VERSION):
        raise TableError(f"{path} is no sample of a table of this version of vocparty.")
    rows = connection.execute("SELECT name, value FROM about").fetchall()
    values = {name: json.loads(value) for name, value in rows}
    if not NAME.fullmatch(str(values["name"])):
        raise TableError(f"{path} is no sample that vocparty made: a table has no such name.")
    return About(**{field.name: values[field.name] for field in fields(About)})


def _format_photo(photo: FoundPhoto) -> Iterator[Any]:
    licence = photo.licence
    uploaded_at = photo.uploaded_at
    values = vars(photo) | {
        "licence_id": licence and licence.id,
        "licence_name": licence and licence.name,
        "licence_url": licence and licence.url,
        "uploaded_secs": None if uploaded_at is None else _to_secs(uploaded_at),
    }
    return (values[name] for name in _COLUMNS)


def _parse_photo(row: Sequence[Any]) -> FoundPhoto:
    values = dict(zip(_COLUMNS, row, strict=True))
    secs = values.pop("uploaded_secs")
    taken = values["taken_at_text"]
    words = [values.pop(f"licence_{name}") for name in ("id", "name", "url")]
    return FoundPhoto(
        **values,
        licence=None if words[0] is None else Licence(*words),
        taken_at_unknown=taken is None,
        uploaded_at=None if secs is None else datetime.fromtimestamp(secs, UTC),
        promised_width=None,
        promised_height=None,
    )


@contextmanager
def _explaining(path: Path) -> Iterator[None]:
    """Tell a sample that is damaged or not there as TableError."""
    try:
        yield
    except (sqlite3.Error, KeyError, ValueError) as error:
        raise TableError(
            f"{path} cannot be read ({error}); add the table again with `vocparty source add`."
        ) from error
