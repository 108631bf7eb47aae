"""photos.csv: what is known about the photographs of a folder, one row a file.

Only the column `file` must be there; what a row leaves empty is invented. docs/manual/standin.md
describes the columns; a test holds the two together.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

from catalog.errors import SettingsError

from .licences import LICENCE_IDS
from .photos import Availability, ContentType
from .times import parse_time_secs

FILE_NAME = "photos.csv"
COLUMNS = (
    "file", "id", "title", "description", "tags", "owner", "licence", "uploaded", "taken",
    "granularity", "views", "latitude", "longitude", "content_type", "safety", "original", "state",
)  # fmt: skip
TAG_SEPARATOR = ";"

Row = Mapping[str, str]


def read_table(folder: Path) -> dict[str, Row]:
    """The rows of the folder's photos.csv by file name; empty where there is no such file."""
    path = folder / FILE_NAME
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.DictReader(lines)
        _check_columns(path, reader.fieldnames or [])
        rows = {row["file"]: row for row in reader}
    for number, row in enumerate(rows.values(), start=2):
        _check_row(f"{path}, row {number}", row)
    return {name: {key: value or "" for key, value in row.items()} for name, row in rows.items()}


def write_table(folder: Path, rows: Iterable[Row]) -> None:
    """Write the folder's photos.csv whole."""
    path = folder / FILE_NAME
    beside = path.with_suffix(".part")
    with beside.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    beside.replace(path)


def _check_columns(path: Path, columns: Iterable[str]) -> None:
    unknown = sorted(set(columns) - set(COLUMNS))
    if unknown:
        known = ", ".join(COLUMNS)
        raise SettingsError(f"{path} has a column {unknown[0]!r}; the columns are {known}.")
    if "file" not in columns:
        raise SettingsError(f"{path} needs a column 'file' that names a file of the folder.")


def _check_row(where: str, row: Mapping[str | None, str | None]) -> None:
    if None in row or None in row.values():
        raise SettingsError(f"{where} has not as many fields as the first row.")
    for column, (is_valid, expected) in CHECKS.items():
        value = row.get(column) or ""
        if value and not is_valid(value):
            raise SettingsError(f"{where}: {column} must be {expected}, not {value!r}.")


def _is_time(text: str) -> bool:
    try:
        parse_time_secs(text)
    except ValueError:
        return False
    return True


def _is_degrees(limit: float, text: str) -> bool:
    try:
        return -limit <= float(text) <= limit
    except ValueError:
        return False


def _one_of(options: Iterable[object]) -> tuple[frozenset[str], str]:
    words = [str(option) for option in options]
    return frozenset(words), "one of " + ", ".join(words)


_LICENCES, _LICENCE_RULE = _one_of(sorted(LICENCE_IDS))
_TYPES, _TYPE_RULE = _one_of(ContentType)
_STATES, _STATE_RULE = _one_of(Availability)

CHECKS = {
    "id": (str.isdecimal, "a whole number"),
    "licence": (_LICENCES.__contains__, _LICENCE_RULE),
    "uploaded": (_is_time, "YYYY-MM-DD HH:MM:SS (UTC) or a unix timestamp"),
    "granularity": ({"0", "4", "6", "8"}.__contains__, "0, 4, 6 or 8"),
    "views": (str.isdecimal, "a whole number"),
    "latitude": (lambda text: _is_degrees(90, text), "degrees from -90 to 90"),
    "longitude": (lambda text: _is_degrees(180, text), "degrees from -180 to 180"),
    "content_type": (_TYPES.__contains__, _TYPE_RULE),
    "safety": ({"1", "2", "3"}.__contains__, "1, 2 or 3"),
    "original": ({"shown", "hidden"}.__contains__, "shown or hidden"),
    "state": (_STATES.__contains__, _STATE_RULE),
}
