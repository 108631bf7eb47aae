"""photos.csv: what is known about the photographs of a folder, one row a file, and times.

Only the column `file` must be there; an empty field is invented. docs/manual/standin.md
describes the columns; a test holds the two together.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from vockit.errors import SettingsError

from .photos import Availability, ContentType

FORMATS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d")
BEFORE_ALL_SECS = -(2**62)
FILE_NAME = "photos.csv"
COLUMNS = (
    "file",
    "id",
    "title",
    "description",
    "tags",
    "owner",
    "licence",
    "uploaded",
    "taken",
    "content_type",
    "state",
)
TAG_SEPARATOR = ";"


Row = Mapping[str, str]


def read_table(folder: Path) -> dict[str, Row]:
    """The rows of the folder's photos.csv by file name; empty where there is no such file."""
    path = folder / FILE_NAME
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.DictReader(lines)
        columns = reader.fieldnames or []
        rows = list(reader)
    if unknown := sorted(set(columns) - set(COLUMNS)):
        known = ", ".join(COLUMNS)
        raise SettingsError(f"{path} has a column {unknown[0]!r}; the columns are {known}.")
    if "file" not in columns:
        raise SettingsError(f"{path} needs a column 'file' that names a file of the folder.")
    for number, row in enumerate(rows, start=2):
        where = f"{path}, row {number}"
        if None in row or None in row.values():
            raise SettingsError(f"{where} has not as many fields as the first row.")
        for column, (is_valid, expected) in CHECKS.items():
            if (value := row.get(column)) and not is_valid(value):
                raise SettingsError(f"{where}: {column} must be {expected}, not {value!r}.")
    return {row["file"]: row for row in rows}


def write_table(folder: Path, rows: Iterable[Row]) -> None:
    """Write the folder's photos.csv whole."""
    path = folder / FILE_NAME
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    part.replace(path)


def parse_time_secs(text: str) -> int:
    """Seconds since 1970 of a unix timestamp or a MySQL datetime as it stands; else ValueError."""
    stripped = text.strip()
    number = parse_number(stripped.removeprefix("-"))
    if number is not None:
        return -number if stripped.startswith("-") else number
    for pattern in FORMATS:
        try:
            return int(datetime.strptime(stripped, pattern).replace(tzinfo=UTC).timestamp())
        except ValueError:
            continue
    raise ValueError(f"expected a unix timestamp or YYYY-MM-DD HH:MM:SS, got {text!r}")


def parse_number(text: str | None) -> int | None:
    """The whole number that up to 18 digits give; None for anything else."""
    is_number = text is not None and text.isdecimal() and len(text) <= 18
    return int(text) if text is not None and is_number else None


def format_mysql(secs: int) -> str:
    """The MySQL datetime of a number of seconds since 1970."""
    return datetime.fromtimestamp(secs, UTC).strftime(FORMATS[0])


def order_secs(taken: str) -> int:
    """Where a taken time sorts; Flickr also has times such as "0000-00-00 00:00:00"."""
    try:
        return parse_time_secs(taken)
    except ValueError:
        return BEFORE_ALL_SECS


_LICENCES = {str(number) for number in range(17)}  # flickr.photos.licenses.getInfo, June 2025
_TYPES = {kind.value: kind for kind in ContentType}
_STATES = {state.value: state for state in Availability}

CHECKS = {
    "id": (str.isdecimal, "a whole number"),
    "licence": (_LICENCES.__contains__, "one of 0, 1, ... 16"),
    "uploaded": (
        lambda text: order_secs(text) != BEFORE_ALL_SECS,
        "YYYY-MM-DD HH:MM:SS (UTC) or a unix timestamp",
    ),
    "content_type": (_TYPES.__contains__, f"one of {', '.join(_TYPES)}"),
    "state": (_STATES.__contains__, f"one of {', '.join(_STATES)}"),
}
