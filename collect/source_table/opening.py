"""The files of a table, opened: text, SQLite and Parquet; what is said of damaged ones."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from .errors import RowError, TableError

YFCC_TABLE = "yfcc100m_dataset"
MOST_READ_CHARS = 10_000_000
"""A longer cell of a CSV is a quote without its end, after which all would be read as one cell."""
_TEXTS = ("", ".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".sql")


@contextmanager
def open_text(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a text, unpacked; raises TableError for a file of another kind."""
    suffix = path.suffix.lower()
    opener: Callable[..., Any] = {".bz2": bz2.open, ".gz": gzip.open}.get(suffix, open)
    if opener is open and suffix not in _TEXTS and not suffix[1:].isdigit():
        raise TableError(
            f"{path} is of no kind that is read: SQLite of YFCC100M, text with tabs, CSV, TSV, "
            "JSON lines, Parquet; also packed as .bz2 or .gz."
        )
    with opener(path, "rb") as binary:
        yield binary


def list_objects(path: Path, lines: Iterable[bytes]) -> Iterator[dict[str, Any] | RowError]:
    """The object of each line, or why it has none."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield parse_json(path, number, line.decode("utf-8-sig"))
        except (TableError, UnicodeDecodeError):
            yield RowError("a line that is no JSON object in UTF-8")


def parse_json(path: Path, number: int, line: str) -> dict[str, Any]:
    """The object in the line of that number; raises TableError where it is none."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise TableError(f"{path}, line {number} is not JSON.") from error
    if not isinstance(value, dict):
        raise TableError(f"{path}, line {number}: expected an object.")
    return value


def open_parquet(path: Path) -> Any:
    """The file, of which only the description of its columns is read yet."""
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(path)


def connect(path: Path) -> sqlite3.Connection:
    """A connection that only reads; it is to be closed."""
    return sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1", uri=True)


def list_columns(connection: sqlite3.Connection) -> list[str]:
    """The columns of YFCC100M's table, none where there is no such table."""
    return [row[1] for row in connection.execute(f"PRAGMA table_info({YFCC_TABLE})")]


@contextmanager
def explaining(path: Path) -> Iterator[None]:
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
