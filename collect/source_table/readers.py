"""Files with a row for each photograph: SQLite, text, CSV, JSON lines and Parquet, also packed."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import sqlite3
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from collect.errors import clean_text
from collect.results import FoundPhoto

from .errors import RowError, TableError
from .rows import (
    FIELDS,
    TEXT_FIELDS,
    YFCC_COLUMNS,
    YFCC_NEEDED,
    YFCC_TEXTS,
    read_fields,
    read_yfcc,
)

YFCC_TABLE = "yfcc100m_dataset"
YFCC_WIDTHS = (23, 25)
"""Columns of the text: the older ten parts, and the whole with a line number and a hash."""
_SQLITE = b"SQLite format 3\0"
_OTHER_NAMES = {"license": "licence", "image_url": "url", "page_url": "page"}
_TEXTS = ("", ".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".sql")
_MOST_CELL_CHARS = 10_000
_BATCH_ROWS = 10_000


@dataclass(frozen=True)
class TableRow:
    """One row: the text that is searched, and what reads the photograph once that is wanted."""

    text: bytes
    read: Callable[[], FoundPhoto]


@dataclass(frozen=True)
class TableFile:
    """A file, what it is, and which of its columns are which fields.

    `has_licences` and `has_dates` say whether a column is there for them.
    """

    path: Path
    kind: str  # "sqlite", "yfcc text", "csv", "tsv", "json lines" or "parquet"
    columns: Mapping[str, str] = field(default_factory=dict)  # by field

    @property
    def is_yfcc(self) -> bool:
        """Whether it is YFCC100M's, whose columns are known."""
        return self.kind in ("sqlite", "yfcc text")

    @property
    def fields(self) -> frozenset[str]:
        """The fields that the file has."""
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
            first = binary.readline(10_000_000)
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
        return TableFile(path, "json lines", map_columns(path, _parse_json(path, 1, line), columns))
    kind = "tsv" if line.count("\t") > line.count(",") else "csv"
    names = next(csv.reader([line], delimiter=_delimiter(kind)), [])
    return TableFile(path, kind, map_columns(path, names, columns))


def map_columns(
    path: Path, names: Sequence[str] | Mapping[str, Any], chosen: Mapping[str, str]
) -> dict[str, str]:
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


def read_rows(file: TableFile) -> Iterator[TableRow | RowError]:
    """The rows in their order; for one that cannot be read, why. Raises TableError.

    A text of YFCC100M's rows is as the values of a web form are encoded, that of others plain.
    """
    readers: Mapping[str, Callable[[TableFile], Iterator[TableRow | RowError]]] = {
        "sqlite": _read_sqlite,
        "yfcc text": _read_yfcc_text,
        "csv": _read_csv,
        "tsv": _read_csv,
        "json lines": _read_json_lines,
        "parquet": _read_parquet,
    }
    with _explaining(file.path):
        yield from readers[file.kind](file)


def _read_sqlite(file: TableFile) -> Iterator[TableRow | RowError]:
    with closing(_connect(file.path)) as connection:
        names = _list_columns(connection)
        connection.text_factory = bytes
        wanted = ", ".join(name if name in names else "NULL" for name in YFCC_COLUMNS)
        texts = " || ' ' || ".join(f"ifnull({name}, '')" for name in YFCC_COLUMNS[YFCC_TEXTS])
        query = f"SELECT {texts}, {wanted} FROM {YFCC_TABLE}"  # noqa: S608  names of our own
        for text, *values in connection.execute(query):
            yield TableRow(text, lambda values=values: read_yfcc(values))  # type: ignore[misc]


def _read_yfcc_text(file: TableFile) -> Iterator[TableRow | RowError]:
    with _open_text(file.path) as lines:
        for line in lines:
            cells = line.rstrip(b"\r\n").split(b"\t")
            digest = b""
            if len(cells) == 25:
                digest = cells[2]
                del cells[2], cells[0]
            if len(cells) != len(YFCC_COLUMNS):
                yield RowError("too few or too many columns")
                continue
            yield TableRow(
                b" ".join(cells[YFCC_TEXTS]),
                lambda cells=cells, digest=digest: read_yfcc(cells, digest),  # type: ignore[misc]
            )


def _read_csv(file: TableFile) -> Iterator[TableRow | RowError]:
    csv.field_size_limit(sys.maxsize)
    with _open_text(file.path) as binary:
        lines = io.TextIOWrapper(binary, encoding="utf-8-sig", newline="")
        reader = csv.reader(lines, delimiter=_delimiter(file.kind))
        names = [name.strip() for name in next(reader, [])]
        places = {field: names.index(column) for field, column in file.columns.items()}
        for cells in reader:
            if len(cells) == len(names):
                yield _make_row({field: cells[place] for field, place in places.items()})
            elif cells:
                yield RowError("too few or too many columns")


def _read_json_lines(file: TableFile) -> Iterator[TableRow | RowError]:
    with _open_text(file.path) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                value = _parse_json(file.path, number, line.decode("utf-8-sig"))
            except (TableError, UnicodeDecodeError):
                yield RowError("a line that is no JSON object in UTF-8")
                continue
            yield _make_row({field: value.get(name) for field, name in file.columns.items()})


def _read_parquet(file: TableFile) -> Iterator[TableRow | RowError]:
    names = sorted(set(file.columns.values()))
    for batch in _parquet_file(file.path).iter_batches(_BATCH_ROWS, columns=names):
        for value in batch.to_pylist():
            yield _make_row({field: value[name] for field, name in file.columns.items()})


def _make_row(cells: Mapping[str, Any]) -> TableRow:
    """The row of these fields, whose values may be of any kind."""
    row = {field: _read_value(value) for field, value in cells.items()}
    text = " ".join(row.get(field, "") for field in TEXT_FIELDS)
    return TableRow(text.encode(), lambda: read_fields(row))


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


def _delimiter(kind: str) -> str:
    return "\t" if kind == "tsv" else ","


def _parquet_file(path: Path) -> Any:
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(path)


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1", uri=True)


def _list_columns(connection: sqlite3.Connection) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({YFCC_TABLE})")]


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
    opener: Callable[..., Any] = {".bz2": bz2.open, ".gz": gzip.open}.get(path.suffix, open)
    inner = path.with_suffix("") if path.suffix in (".bz2", ".gz") else path
    if opener is open and inner.suffix not in _TEXTS and not inner.suffix[1:].isdigit():
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
