"""The rows of a table's files, one for each photograph, and the photograph of a row."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

from collect.errors import clean_text
from collect.results import FoundPhoto

from .errors import RowError
from .inaturalist import NaturalistReader, find_parts
from .opening import (
    MOST_READ_CHARS,
    YFCC_TABLE,
    connect,
    explaining,
    list_columns,
    list_objects,
    open_parquet,
    open_text,
)
from .recognise import NATURALIST, TableFile, list_files
from .rows import TEXT_FIELDS, YFCC_COLUMNS, YFCC_TEXTS, read_fields, read_yfcc
from .words import Matcher

_MOST_CELL_CHARS = 10_000
_BATCH_ROWS = 10_000

Part = tuple[int, int]
"""The first and the last number of the rows of a SQLite file that are read."""
Row = tuple[bytes, Any] | RowError
"""The text of a row that is searched, and the value that its reader reads; or why it has none."""


class Reader(Protocol):
    """Reads one file; a photograph is read only where its row is wanted."""

    def rows(self) -> Iterator[Row]:
        """The rows in their order."""

    def read(self, value: Any) -> FoundPhoto:
        """The photograph of a row's value; raises RowError where it is none."""


@contextmanager
def open_reader(file: TableFile, match: Matcher, part: Part | None = None) -> Iterator[Reader]:
    """The reader of the file, or of a part of a SQLite file; it raises TableError.

    Rows of no match may be left out. A text of YFCC100M's rows is as the values of a web form are
    encoded, that of others plain.
    """
    with ExitStack() as opened:
        with explaining(file.path):
            reader = _make_reader(file, match, opened, part)
        yield _ExplainedReader(file.path, reader)


def _make_reader(file: TableFile, match: Matcher, opened: ExitStack, part: Part | None) -> Reader:
    """The reader of the file, which is closed with `opened`."""
    if file.kind == "sqlite":
        return _SqliteReader(opened.enter_context(closing(connect(file.path))), part)
    if file.kind == NATURALIST:
        return NaturalistReader(find_parts(list_files(file.path)), match, open_text)
    if file.kind == "parquet":
        return _FieldReader(_list_parquet(file))
    list_lines = {"yfcc text": _list_yfcc, "json lines": _list_json}.get(file.kind, _list_csv)
    rows = list_lines(file, opened.enter_context(open_text(file.path)))
    return _YfccReader(rows) if file.is_yfcc else _FieldReader(rows)


@dataclass(frozen=True)
class _ExplainedReader:
    """Tells what is wrong with the file, and nothing of what its caller does between two rows."""

    path: Path
    reader: Reader

    def rows(self) -> Iterator[Row]:
        with explaining(self.path):
            yield from self.reader.rows()

    def read(self, value: Any) -> FoundPhoto:
        with explaining(self.path):
            return self.reader.read(value)


class _SqliteReader:
    """Reads only texts, and of a row that is wanted the rest."""

    def __init__(self, connection: sqlite3.Connection, part: Part | None = None) -> None:
        self._part = part
        names = list_columns(connection)
        connection.text_factory = bytes
        self._connection = connection
        self._wanted = ", ".join(name if name in names else "NULL" for name in YFCC_COLUMNS)
        self._key = "rowid" if _has_rowid(connection) else "photoid"

    def rows(self) -> Iterator[Row]:
        texts = " || ' ' || ".join(f"ifnull({name}, '')" for name in YFCC_COLUMNS[YFCC_TEXTS])
        query = f"SELECT CAST({texts} AS BLOB), {self._key} FROM {YFCC_TABLE}"  # noqa: S608
        if self._part is None:
            return self._connection.execute(query)
        return self._connection.execute(f"{query} WHERE rowid BETWEEN ? AND ?", self._part)

    def read(self, value: Any) -> FoundPhoto:
        query = f"SELECT {self._wanted} FROM {YFCC_TABLE} WHERE {self._key} = ?"  # noqa: S608
        cells = self._connection.execute(query, (value,)).fetchone()
        if cells is None:
            raise RowError("no id of a photograph")
        return read_yfcc(cells)


@dataclass(frozen=True)
class _YfccReader:
    """Reads cells in the order of YFCC100M's columns, and the hash where there is one."""

    lines: Iterator[Row]

    def rows(self) -> Iterator[Row]:
        return self.lines

    def read(self, value: Any) -> FoundPhoto:
        return read_yfcc(*value)


@dataclass(frozen=True)
class _FieldReader:
    """Reads cells by field."""

    lines: Iterator[Row]

    def rows(self) -> Iterator[Row]:
        return self.lines

    def read(self, value: Any) -> FoundPhoto:
        return read_fields(value)


def _list_yfcc(_file: TableFile, lines: Iterable[bytes]) -> Iterator[Row]:
    for line in lines:
        cells = line.rstrip(b"\r\n").split(b"\t")
        digest = b""
        if len(cells) == 25:
            digest = cells[2]
            del cells[2], cells[0]
        if len(cells) == len(YFCC_COLUMNS):
            yield b" ".join(cells[YFCC_TEXTS]), (cells, digest)
        else:
            yield RowError("too few or too many columns")


def _list_csv(file: TableFile, binary: IO[bytes]) -> Iterator[Row]:
    csv.field_size_limit(MOST_READ_CHARS)
    lines = io.TextIOWrapper(binary, encoding="utf-8-sig", newline="")
    try:
        reader = csv.reader(lines, delimiter=file.delimiter)
        names = [name.strip() for name in next(reader, [])]
        places = {field: names.index(column) for field, column in file.columns.items()}
        for cells in reader:
            if len(cells) == len(names):
                yield _make_row({field: cells[place] for field, place in places.items()})
            elif cells:
                yield RowError("too few or too many columns")
    finally:
        lines.detach()  # the file is closed by who opened it


def _list_json(file: TableFile, lines: Iterable[bytes]) -> Iterator[Row]:
    for value in list_objects(file.path, lines):
        if isinstance(value, RowError):
            yield value
        else:
            yield _make_row({field: value.get(name) for field, name in file.columns.items()})


def _list_parquet(file: TableFile) -> Iterator[Row]:
    names = sorted(set(file.columns.values()))
    for batch in open_parquet(file.path).iter_batches(_BATCH_ROWS, columns=names):
        for value in batch.to_pylist():
            yield _make_row({field: value[name] for field, name in file.columns.items()})


def _make_row(cells: Mapping[str, Any]) -> Row:
    """The row of these fields, whose values may be of any kind."""
    row = {field: _read_value(value) for field, value in cells.items()}
    text = " ".join(row.get(field, "") for field in TEXT_FIELDS)
    return text.encode(), row


def _read_value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_read_value, value))
    if isinstance(value, float):
        value = repr(value)
    text = clean_text(value if isinstance(value, str | int) else str(value or ""), _MOST_CELL_CHARS)
    return "" if text.strip() in ("null", "NULL") else text.strip()


def find_ends(connection: sqlite3.Connection) -> Part:
    """The least and the largest row number; equal ones where rows have no numbers."""
    if not _has_rowid(connection):
        return 0, 0
    ends = (f"SELECT {end}(rowid) FROM {YFCC_TABLE}" for end in ("min", "max"))  # noqa: S608
    first, last = (connection.execute(query).fetchone()[0] for query in ends)
    return first or 0, last or 0


def _has_rowid(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute(f"SELECT rowid FROM {YFCC_TABLE} LIMIT 1")  # noqa: S608
    except sqlite3.OperationalError:
        return False
    return True
