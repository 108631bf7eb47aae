"""What is known of photographs from elsewhere: lines of CSV or JSON, and the files' own dates."""

from __future__ import annotations

import csv
import io
import json
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from PIL import ExifTags, Image

from catalog.licences import Licence, LicenceError, check_licence
from catalog.states import SEARCHED, Source
from catalog.validation import read_text
from collect.errors import clean_text
from collect.transport import parse_endpoint
from vockit.errors import SettingsError
from vockit.format.shortage import refuse_shortage

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
    "uploaded",
    "query",
    "source",
)
_OTHER_NAMES = {"license": "licence", "image_url": "url", "page_url": "page"}
_DELIMITERS = (",", "\t", ";")


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
    """The table in a .csv or .json file, which has a column `required`; raises SettingsError."""
    if path.is_file() and path.stat().st_size > MOST_BYTES:
        raise SettingsError(f"{path} is larger than {MOST_BYTES} bytes; split it.")
    text = read_text(path)
    rows = list(_read_json(text, path) if path.suffix.lower() == ".json" else _read_csv(text, path))
    names = {name for _line, row in rows for name in row}
    if not rows:
        raise SettingsError(f"{path} names no photograph. Write a line or an entry for each one.")
    if required not in {_known_name(name) for name in names}:
        raise SettingsError(
            f"{path} has no column {required!r}; it has: {', '.join(sorted(names))}."
        )
    cleaned = []
    for line, row in rows:
        texts = {_known_name(name): clean_text(row[name], MOST_CELL_CHARS).strip() for name in row}
        cleaned.append(TableRow(line, {name: text for name, text in texts.items() if text}))
    ignored = sorted(name for name in names if _known_name(name) not in COLUMNS)
    return Table(tuple(cleaned), tuple(ignored))


def _read_csv(text: str, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    delimiter = find_delimiter(text.partition("\n")[0])
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    try:
        head = [name.strip() for name in next(reader, [])]
        for row in filter(None, reader):
            if len(row) != len(head):
                raise SettingsError(
                    f"{path}, line {reader.line_num}: expected {len(head)} columns, got {len(row)}."
                )
            yield reader.line_num, dict(zip(head, row, strict=True))
    except csv.Error as error:
        raise SettingsError(f"{path}, line {reader.line_num}: {error}.") from error


def find_delimiter(heads: str) -> str:
    """What stands between the columns of a text, by its first line."""
    return max(_DELIMITERS, key=heads.count)


def _read_json(text: str, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{path} is not JSON: {error}.") from error
    if not isinstance(values, list):
        raise SettingsError(f"{path}: expected a list of objects.")
    for number, value in enumerate(values, start=1):
        if not isinstance(value, dict):
            raise SettingsError(f"{path}, entry {number}: expected an object, got {value!r:.60}.")
        yield number, value


def _known_name(name: str) -> str:
    lowered = name.strip().lower()
    return _OTHER_NAMES.get(lowered, lowered)


_TAG = ExifTags.Base
_MOMENT = re.compile(r"(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)")
_NO_DATE = "0000"


def find_taken_at(data: bytes) -> str | None:
    """The camera's local time as `YYYY-MM-DD hh:mm:ss` (EXIF 2.3, 4.6.4 and 4.6.5), or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # damaged EXIF costs only the date
            with Image.open(io.BytesIO(data), formats=["JPEG", "PNG", "WEBP"]) as image:
                exif = image.getexif()
                inner = exif.get_ifd(ExifTags.IFD.Exif)
    except Exception as error:
        refuse_shortage(error)
        return None
    times = [inner.get(tag) for tag in (_TAG.DateTimeOriginal, _TAG.DateTimeDigitized)]
    moments = map(_parse, (*times, exif.get(_TAG.DateTime)))
    return next(filter(None, moments), None)


def _parse(value: object) -> str | None:
    match = _MOMENT.match(value.strip(" \0")) if isinstance(value, str) else None
    if match is None or match[1] == _NO_DATE:
        return None
    return f"{match[1]}-{match[2]}-{match[3]} {match[4]}"


MOST_URL_CHARS = 2_000


class DetailError(ValueError):
    """A line of the table says something that keeps its photograph out."""


@dataclass(frozen=True)
class LicenceRules:
    """Which licences are kept, by id; that of lines which name none; whether each must have one."""

    kept: Mapping[str, Licence]
    default: str | None = None
    is_required: bool = False


def make_details(row: TableRow, rules: LicenceRules) -> dict[str, Any]:
    """Columns of the photo; raises DetailError for a licence that is not kept, or is missing."""
    try:
        licence = check_licence(row.get("licence") or rules.default, rules.kept)
    except LicenceError as error:
        raise DetailError(str(error)) from error
    if licence is None and rules.is_required:
        raise DetailError("it has no licence, and this import requires one")
    owner = row.get("owner") or row.get("owner_name")
    page = row.get("page")
    if page is not None and (len(page) > MOST_URL_CHARS or parse_endpoint(page) is None):
        raise DetailError(f"its page {page[:100]!r} is not a web address")
    return {
        "owner_id": owner and owner[:200],
        "owner_name": row.get("owner_name") or owner,
        "title": row.get("title"),
        "image_url": row.get("url"),
        "tags": row.get("tags"),
        "licence_id": licence and licence.id,
        "licence_name": licence and licence.name,
        "licence_url": licence and licence.url,
        "page_url": page,
        "taken_at_text": (row.get("taken") or "")[:40] or None,
        "uploaded_at": _parse_upload(row.get("uploaded")),
    }


def _parse_upload(text: str | None) -> datetime | None:
    """The moment, in UTC where it names no zone; raises DetailError for any other text."""
    try:
        moment = datetime.fromisoformat(text) if text else None
    except ValueError as error:
        raise DetailError(f"uploaded is {text!r:.40}, not a date like 2024-05-31") from error
    return moment.replace(tzinfo=moment.tzinfo or UTC) if moment else None


def find_origin(row: TableRow, kind: Source, table: str) -> tuple[Source, str]:
    """The source and the query that the photograph counts for; raises DetailError without an id.

    One of a source that is searched is as if collected there; of another, the query is told, or the
    table's name.
    """
    source = row.get("source")
    query = row.get("query") or table
    if source is None or source.lower() in SEARCHED:
        origin = Source(source.lower()) if source else kind
        if source and row.get("id") is None:
            raise DetailError(f"it is of {source}, and there is no id of it there")
        return origin, clean_text(query, 200)
    return kind, clean_text(f"{source}: {query}", 200)
