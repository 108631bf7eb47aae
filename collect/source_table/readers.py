"""Files with a row for each photograph: SQLite, text, CSV, JSON lines and Parquet, also packed."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, Any, Protocol
from urllib.parse import quote

from collect.errors import clean_text
from collect.results import FoundPhoto

from .errors import RowError, TableError
from .inaturalist import NaturalistReader, find_parts
from .rows import (
    FIELDS,
    TEXT_FIELDS,
    YFCC_COLUMNS,
    YFCC_NEEDED,
    YFCC_TEXTS,
    read_fields,
    read_yfcc,
)
from .words import Matcher

NATURALIST = "inaturalist"
YFCC_TABLE = "yfcc100m_dataset"
YFCC_WIDTHS = (23, 25)
"""Columns of the text: the older ten parts, and the whole with a line number and a hash."""
_SQLITE = b"SQLite format 3\0"
_OTHER_NAMES = {"license": "licence", "image_url": "url", "page_url": "page"}
_TEXTS = ("", ".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".sql")
_DELIMITERS = (",", "\t", ";")
_MOST_CELL_CHARS = 10_000
_MOST_READ_CHARS = 10_000_000
"""A longer cell of a CSV is a quote without its end, after which all would be read as one cell."""
_BATCH_ROWS = 10_000
_OBJECTS_LOOKED_AT = 10_000
"""So many JSON lines say which columns there are: an object may leave out what it has not."""


Row = tuple[bytes, Any] | RowError
"""The text of a row that is searched, and the value that its reader reads; or why it has none."""


class Reader(Protocol):
    """Reads one file; a photograph is read only where its row is wanted."""

    def rows(self) -> Iterator[Row]:
        """The rows in their order."""

    def read(self, value: Any) -> FoundPhoto:
        """The photograph of a row's value; raises RowError where it is none."""


@dataclass(frozen=True)
class TableFile:
    """A file, what it is, and which of its columns are which fields.

    `has_licences` and `has_dates` say whether a column is there for them.
    """

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
        raise TableError(f"{source} is no file and no folder with files. Name the table.")
    return sorted(files)


def recognise_all(
    source: Path, paths: list[Path], columns: Mapping[str, str], format: str | None
) -> list[TableFile]:
    """What the files of a table are; the three of iNaturalist are one. Raises TableError."""
    parts = find_parts(paths)
    if format == NATURALIST and not parts:
        raise TableError(
            f"{source} is no folder of iNaturalist's open data: expected photos, observations and "
            "taxa in it, as .csv.gz or unpacked."
        )
    if parts and not columns and format in (None, NATURALIST):
        return [TableFile(source, NATURALIST)]
    return [recognise(path, columns, format) for path in paths]


def recognise(path: Path, columns: Mapping[str, str], format: str | None) -> TableFile:
    """What the file is, with the columns that were named; raises TableError for no table."""
    with _explaining(path):
        with path.open("rb") as file:
            head = file.read(16)
        if head == _SQLITE:
            _check_sqlite(path)
            return TableFile(path, "sqlite")
        if path.suffix == ".parquet" or head[:4] == b"PAR1":
            names = _parquet_file(path).schema_arrow.names
            return TableFile(path, "parquet", map_columns(path, names, columns))
        with _open_text(path) as binary:
            first = binary.readline(_MOST_READ_CHARS)
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
    with _explaining(path):
        line = first.decode("utf-8-sig")
    if line.lstrip().startswith("{"):
        _parse_json(path, 1, line)  # it is refused as a whole where it begins with no object
        return TableFile(path, "json lines", map_columns(path, _list_keys(path), columns))
    delimiter = max(_DELIMITERS, key=line.count)
    names = next(csv.reader([line], delimiter=delimiter), [])
    return TableFile(path, "csv", map_columns(path, names, columns), delimiter)


def map_columns(path: Path, names: Sequence[str], chosen: Mapping[str, str]) -> dict[str, str]:
    """The column of each field: those chosen, else those of the field's own name."""
    there = [name.strip() for name in names]
    if missing := [column for column in chosen.values() if column not in there]:
        raise TableError(f"{path} has no column {missing[0]!r}; it has: {', '.join(there)[:500]}.")
    by_name = {_OTHER_NAMES.get(name.lower(), name.lower()): name for name in reversed(there)}
    mapped = {name: by_name[name] for name in FIELDS if name in by_name} | dict(chosen)
    if "url" not in mapped:
        raise TableError(
            f"{path} has no column for the addresses of the pictures; name it with "
            f"--column url=COLUMN. It has: {', '.join(there)[:500]}."
        )
    return mapped


@contextmanager
def open_reader(file: TableFile, match: Matcher) -> Iterator[Reader]:
    """The reader of the file, whose rows need not be those of no match; it raises TableError.

    A text of YFCC100M's rows is as the values of a web form are encoded, that of others plain.
    """
    with ExitStack() as opened:
        with _explaining(file.path):
            reader = _make_reader(file, match, opened)
        yield _ExplainedReader(file.path, reader)


def _make_reader(file: TableFile, match: Matcher, opened: ExitStack) -> Reader:
    """The reader of the file, which is closed with `opened`."""
    if file.kind == "sqlite":
        return _SqliteReader(opened.enter_context(closing(_connect(file.path))))
    if file.kind == NATURALIST:
        return NaturalistReader(find_parts(list_files(file.path)), match, _open_text)
    if file.kind == "parquet":
        return _FieldReader(_list_parquet(file))
    list_lines = {"yfcc text": _list_yfcc, "json lines": _list_json}.get(file.kind, _list_csv)
    rows = list_lines(file, opened.enter_context(_open_text(file.path)))
    return _YfccReader(rows) if file.is_yfcc else _FieldReader(rows)


@dataclass(frozen=True)
class _ExplainedReader:
    """Tells what is wrong with the file, and nothing of what its caller does between two rows."""

    path: Path
    reader: Reader

    def rows(self) -> Iterator[Row]:
        with _explaining(self.path):
            yield from self.reader.rows()

    def read(self, value: Any) -> FoundPhoto:
        with _explaining(self.path):
            return self.reader.read(value)


class _SqliteReader:
    """Reads only texts, and of a row that is wanted the rest."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        names = _list_columns(connection)
        connection.text_factory = bytes
        self._connection = connection
        self._wanted = ", ".join(name if name in names else "NULL" for name in YFCC_COLUMNS)
        self._key = "rowid" if _has_rowid(connection) else "photoid"

    def rows(self) -> Iterator[Row]:
        texts = " || ' ' || ".join(f"ifnull({name}, '')" for name in YFCC_COLUMNS[YFCC_TEXTS])
        query = f"SELECT CAST({texts} AS BLOB), {self._key} FROM {YFCC_TABLE}"  # noqa: S608
        yield from self._connection.execute(query)

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
    csv.field_size_limit(_MOST_READ_CHARS)
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
    for value in _list_objects(file.path, lines):
        if isinstance(value, RowError):
            yield value
        else:
            yield _make_row({field: value.get(name) for field, name in file.columns.items()})


def _list_objects(path: Path, lines: Iterable[bytes]) -> Iterator[dict[str, Any] | RowError]:
    """The object of each line, or why it has none."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield _parse_json(path, number, line.decode("utf-8-sig"))
        except (TableError, UnicodeDecodeError):
            yield RowError("a line that is no JSON object in UTF-8")


def _list_keys(path: Path) -> list[str]:
    """The keys of the first objects of JSON lines, each once."""
    keys = dict[str, None]()
    with _explaining(path), _open_text(path) as lines:
        for value in islice(_list_objects(path, lines), _OBJECTS_LOOKED_AT):
            keys |= {} if isinstance(value, RowError) else dict.fromkeys(value)
    return list(keys)


def _list_parquet(file: TableFile) -> Iterator[Row]:
    names = sorted(set(file.columns.values()))
    for batch in _parquet_file(file.path).iter_batches(_BATCH_ROWS, columns=names):
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


def _parse_json(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise TableError(f"{path}, line {number} is not JSON.") from error
    if not isinstance(value, dict):
        raise TableError(f"{path}, line {number}: expected an object.")
    return value


def _parquet_file(path: Path) -> Any:
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(path)


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1", uri=True)


def _list_columns(connection: sqlite3.Connection) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({YFCC_TABLE})")]


def _has_rowid(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute(f"SELECT rowid FROM {YFCC_TABLE} LIMIT 1")  # noqa: S608
    except sqlite3.OperationalError:
        return False
    return True


def _check_sqlite(path: Path) -> None:
    """Raise TableError where the file has no table of YFCC100M."""
    with closing(_connect(path)) as connection:
        names = _list_columns(connection)
    if missing := [name for name in YFCC_NEEDED if name not in names]:
        what = f"column {missing[0]!r} in its table" if names else "table"
        raise TableError(f"{path} is no SQLite file of YFCC100M: it has no {what} {YFCC_TABLE}.")


@contextmanager
def _open_text(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a text, unpacked."""
    suffix = path.suffix.lower()
    opener: Callable[..., Any] = {".bz2": bz2.open, ".gz": gzip.open}.get(suffix, open)
    if opener is open and suffix not in _TEXTS and not suffix[1:].isdigit():
        raise TableError(
            f"{path} is of no kind that is read: SQLite of YFCC100M, text with tabs, CSV, TSV, "
            "JSON lines, Parquet; also packed as .bz2 or .gz."
        )
    with opener(path, "rb") as binary:
        yield binary


@contextmanager
def _explaining(path: Path) -> Iterator[None]:
    """Tell as TableError what a file that is cut short or damaged makes its reader say."""
    try:
        yield
    except RowError:
        raise
    except EOFError as error:
        raise TableError(f"{path} ends too early; download it again.") from error
    except (sqlite3.Error, zlib.error) as error:
        raise TableError(f"{path} is damaged or was cut short ({error}); download it again.") from (
            error
        )
    except UnicodeDecodeError as error:
        raise TableError(f"{path} is not text in UTF-8; convert it, and add it again.") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise TableError(f"{path} cannot be read: {reason}.") from error
    except (ValueError, csv.Error) as error:
        raise TableError(f"{path} cannot be read: {str(error)[:200]}.") from error
