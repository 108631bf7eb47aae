"""iNaturalist's open data: photos, observations and taxa, joined where a taxon answers a query.

Source: github.com/inaturalist/inaturalist-open-data (columns, the address of a picture). A query is
looked for in the scientific names of a taxon and its ancestors.
"""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from collect.results import FoundPhoto

from .errors import RowError, TableError
from .rows import read_fields
from .words import Matcher

PICTURES_URL = "https://inaturalist-open-data.s3.amazonaws.com/photos/"
PARTS = ("photos", "observations", "taxa")
_SIZE = "medium"  # 500 pixels
_COLUMNS = {
    "photos": ("photo_id", "observation_uuid", "observer_id", "extension", "license"),
    "observations": ("observation_uuid", "latitude", "longitude", "taxon_id", "observed_on"),
    "taxa": ("taxon_id", "ancestry", "name"),
}

Cells = tuple[str, ...]
Open = Callable[[Path], Any]
"""What opens a file's text in a block, unpacked."""


def find_parts(paths: list[Path]) -> dict[str, Path]:
    """The three files by what they hold, or none where one is missing."""
    parts = {path.name.partition(".")[0]: path for path in paths}
    return {name: parts[name] for name in PARTS} if set(PARTS) <= parts.keys() else {}


class NaturalistReader:
    """Reads taxa twice, then observations of those that answer, then photos."""

    def __init__(self, parts: Mapping[str, Path], match: Matcher, open_text: Open) -> None:
        self._parts = parts
        self._match = match
        self._open = open_text

    def rows(self) -> Iterator[tuple[bytes, Any] | RowError]:
        """The rows of the photos, each with the names of its taxon that answer a query."""
        names = self._load_names()
        with closing(sqlite3.connect("", isolation_level=None)) as joined:  # on disk
            joined.execute("CREATE TABLE seen (uuid TEXT PRIMARY KEY, name, at, north, east)")
            joined.execute("BEGIN")
            for uuid, north, east, taxon_id, at in self._list("observations"):
                if (name := names.get(taxon_id)) is not None:
                    row = uuid, name, at, north, east
                    joined.execute("INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?, ?)", row)
            wanted = "SELECT name, at, north, east FROM seen WHERE uuid = ?"
            for cells in self._list("photos"):
                seen = joined.execute(wanted, (cells[1],)).fetchone()
                if seen is None:
                    yield b"", None
                else:
                    yield seen[0].encode(), (cells, seen)

    def read(self, value: Any) -> FoundPhoto:
        """The photograph of a row of the photos with its observation."""
        (photo_id, _uuid, observer, extension, licence), (name, at, north, east) = value
        return read_fields(
            {
                "id": photo_id,
                "url": f"{PICTURES_URL}{photo_id}/{_SIZE}.{extension}",
                "page": f"https://www.inaturalist.org/photos/{photo_id}",
                "title": name,
                "owner": f"inaturalist:{observer}",
                "owner_name": f"observer {observer}",
                "licence": licence,
                "taken": at,
                "latitude": north,
                "longitude": east,
            }
        )

    def _load_names(self) -> dict[str, str]:
        """The names of a taxon and its ancestors that answer a query, by the taxon."""
        answering = {
            taxon_id: name
            for taxon_id, _ancestry, name in self._list("taxa")
            if self._match(name.encode())
        }
        names = dict[str, str]()
        for taxon_id, ancestry, _name in self._list("taxa"):
            chain = [key for key in (*ancestry.split("/"), taxon_id) if key in answering]
            if chain:
                names[taxon_id] = ", ".join(answering[key] for key in chain)
        return names

    def _list(self, part: str) -> Iterator[Cells]:
        """The wanted cells of each row of a part; raises TableError where a column is missing."""
        path = self._parts[part]
        wanted = _COLUMNS[part]
        with self._open(path) as binary:
            lines = (line.decode() for line in binary)
            reader = csv.reader(lines, delimiter="\t")
            names = next(reader, [])
            if missing := [name for name in wanted if name not in names]:
                raise TableError(f"{path} has no column {missing[0]!r}, as iNaturalist's has.")
            places = [names.index(name) for name in wanted]
            for cells in reader:
                if len(cells) == len(names):
                    yield tuple(cells[place] for place in places)
