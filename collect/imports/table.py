"""Tables that say what is known of photographs: CSV with a head line, or a JSON list of objects."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catalog.errors import SettingsError
from collect.errors import clean_text


class TableError(SettingsError):
    """A table cannot be read or lacks what it needs."""


class ImportSourceError(SettingsError):
    """The folder, a class or a host of an import is wrong."""


MOST_BYTES = 1_000_000_000
MOST_CELL_CHARS = 10_000
COLUMNS = (
    "file",
    "id",
    "class",
    "owner",
    "owner_name",
    "title",
    "tags",
    "licence",
    "url",
    "page",
    "taken",
)
_OTHER_NAMES = {"license": "licence", "image_url": "url", "page_url": "page"}


@dataclass(frozen=True)
class TableRow:
    """One line of a table, its number from 1; cells that are empty are not there."""

    line: int
    cells: Mapping[str, str]

    def get(self, column: str) -> str | None:
        """The text in that column, or None."""
        return self.cells.get(column)


@dataclass(frozen=True)
class Table:
    """The lines of a table, and its columns that are not read."""

    rows: tuple[TableRow, ...]
    ignored: tuple[str, ...]


def read_table(path: Path, required: str) -> Table:
    """The table in a .csv or .json file, which has a column `required`; raises TableError."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise TableError(f"{path} is larger than {MOST_BYTES} bytes; split it.")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise TableError(f"{path} is not UTF-8 text.") from error
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}.") from error
    rows = list(_read_json(text, path) if path.suffix.lower() == ".json" else _read_csv(text, path))
    names = {name for _line, row in rows for name in row}
    if rows and required not in {_known_name(name) for name in names}:
        raise TableError(f"{path} has no column {required!r}; it has: {', '.join(sorted(names))}.")
    return Table(
        rows=tuple(TableRow(line, _clean(row)) for line, row in rows),
        ignored=tuple(sorted(name for name in names if _known_name(name) not in COLUMNS)),
    )


def _read_csv(text: str, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        head = [name.strip() for name in next(reader, [])]
        for row in reader:
            if not row:
                continue
            if len(row) != len(head):
                raise TableError(
                    f"{path}, line {reader.line_num}: expected {len(head)} columns, got {len(row)}."
                )
            yield reader.line_num, dict(zip(head, row, strict=True))
    except csv.Error as error:
        raise TableError(f"{path}, line {reader.line_num}: {error}.") from error


def _read_json(text: str, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TableError(f"{path} is not JSON: {error}.") from error
    if not isinstance(values, list):
        raise TableError(f"{path}: expected a list of objects.")
    for number, value in enumerate(values, start=1):
        if not isinstance(value, dict):
            raise TableError(f"{path}, entry {number}: expected an object, got {value!r:.60}.")
        yield number, value


def _clean(row: Mapping[str, Any]) -> dict[str, str]:
    cells = {_known_name(name): clean_text(value, MOST_CELL_CHARS) for name, value in row.items()}
    return {name: text.strip() for name, text in cells.items() if text.strip()}


def _known_name(name: str) -> str:
    lowered = name.strip().lower()
    return _OTHER_NAMES.get(lowered, lowered)
