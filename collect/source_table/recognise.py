"""What the files of a table are, and which of their columns are which fields."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from collect.imports.table import find_delimiter

from .errors import RowError, TableChoiceError, TableError
from .inaturalist import find_parts
from .opening import (
    MOST_READ_CHARS,
    YFCC_TABLE,
    connect,
    explaining,
    list_columns,
    list_objects,
    open_parquet,
    open_text,
    parse_json,
)
from .rows import FIELDS, YFCC_NEEDED

NATURALIST = "inaturalist"
YFCC_WIDTHS = (23, 25)
"""Columns of the text: the older ten parts, and the whole with a line number and a hash."""
_SQLITE = b"SQLite format 3\0"
_OTHER_NAMES = {"license": "licence", "image_url": "url", "page_url": "page"}
_OBJECTS_LOOKED_AT = 10_000
"""So many JSON lines say which columns there are: an object may leave out what it has not."""


@dataclass(frozen=True)
class TableFile:
    """A file, what it is, and which of its columns are which fields."""

    path: Path
    kind: str  # "sqlite", "yfcc text", "csv", "json lines", "parquet" or "inaturalist"
    columns: Mapping[str, str] = field(default_factory=dict)  # by field
    delimiter: str = ","

    @property
    def is_yfcc(self) -> bool:
        """Whether it is YFCC100M's, whose columns are known."""
        return self.kind in ("sqlite", "yfcc text")

    @property
    def fields(self) -> frozenset[str]:
        """The fields that the file has."""
        if self.kind == NATURALIST:
            return frozenset(FIELDS) - {"uploaded"}
        return frozenset(FIELDS if self.is_yfcc else self.columns)


def list_files(source: Path) -> list[Path]:
    """The file, or those of the folder by their names; raises TableError for none."""
    if source.is_dir():
        files = [path for path in source.iterdir() if path.is_file() and path.name[0] != "."]
    else:
        files = [source] if source.is_file() else []
    if not files:
        raise TableChoiceError(f"{source} is no file and no folder with files. Name the table.")
    return sorted(files)


def recognise_all(
    source: Path, paths: list[Path], columns: Mapping[str, str], format: str | None
) -> list[TableFile]:
    """What the files of a table are; the three of iNaturalist are one. Raises TableError."""
    parts = find_parts(paths)
    if format == NATURALIST and not parts:
        raise TableChoiceError(
            f"{source} is no folder of iNaturalist's open data: expected photos, observations and "
            "taxa in it, as .csv.gz or unpacked."
        )
    if parts and not columns and format in (None, NATURALIST):
        return [TableFile(source, NATURALIST)]
    return [recognise(path, columns, format) for path in paths]


def recognise(path: Path, columns: Mapping[str, str], format: str | None) -> TableFile:
    """What the file is, with the columns that were named; raises TableError for no table."""
    with explaining(path):
        with path.open("rb") as file:
            head = file.read(16)
        if head == _SQLITE:
            _check_sqlite(path)
            return TableFile(path, "sqlite")
        if path.suffix == ".parquet" or head[:4] == b"PAR1":
            names = open_parquet(path).schema_arrow.names
            return TableFile(path, "parquet", map_columns(path, names, columns))
        with open_text(path) as binary:
            first = binary.readline(MOST_READ_CHARS)
    tabs = first.count(b"\t") + 1
    is_yfcc = tabs in YFCC_WIDTHS and first.split(b"\t")[1 if tabs == 25 else 0].strip().isdigit()
    if format == "yfcc100m" or (format is None and is_yfcc and not columns):
        if tabs not in YFCC_WIDTHS:
            raise TableError(
                f"{path} is no table of YFCC100M: its first row has {tabs} columns; expected 23 or "
                "25, with tabs between them."
            )
        return TableFile(path, "yfcc text")
    if not first.strip():
        raise TableError(f"{path} is empty. Name a table with a row for each photograph.")
    with explaining(path):
        line = first.decode("utf-8-sig")
    if line.lstrip().startswith("{"):
        parse_json(path, 1, line)  # it is refused as a whole where it begins with no object
        return TableFile(path, "json lines", map_columns(path, _list_keys(path), columns))
    delimiter = find_delimiter(line)
    names = next(csv.reader([line], delimiter=delimiter), [])
    return TableFile(path, "csv", map_columns(path, names, columns), delimiter)


def map_columns(path: Path, names: Sequence[str], chosen: Mapping[str, str]) -> dict[str, str]:
    """The column of each field: those chosen, else those of the field's own name."""
    there = [name.strip() for name in names]
    if missing := [column for column in chosen.values() if column not in there]:
        raise TableChoiceError(
            f"{path} has no column {missing[0]!r}; it has: {', '.join(there)[:500]}."
        )
    by_name = {_OTHER_NAMES.get(name.lower(), name.lower()): name for name in reversed(there)}
    mapped = {name: by_name[name] for name in FIELDS if name in by_name} | dict(chosen)
    if "url" not in mapped:
        raise TableChoiceError(
            f"{path} has no column for the addresses of the pictures; name it with "
            f"--column url=COLUMN. It has: {', '.join(there)[:500]}."
        )
    return mapped


def _list_keys(path: Path) -> list[str]:
    """The keys of the first objects of JSON lines, each once."""
    keys = dict[str, None]()
    with explaining(path), open_text(path) as lines:
        for value in islice(list_objects(path, lines), _OBJECTS_LOOKED_AT):
            keys |= {} if isinstance(value, RowError) else dict.fromkeys(value)
    return list(keys)


def _check_sqlite(path: Path) -> None:
    """Raise TableError where the file has no table of YFCC100M."""
    with closing(connect(path)) as connection:
        names = list_columns(connection)
    if missing := [name for name in YFCC_NEEDED if name not in names]:
        what = f"column {missing[0]!r} in its table" if names else "table"
        raise TableError(f"{path} is no SQLite file of YFCC100M: it has no {what} {YFCC_TABLE}.")
