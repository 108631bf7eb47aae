"""Whether SQLite's file is sound, and where a row and an index of it say different things.

An index was made of the rows, so where both differ one of them was damaged, and which one it was
only a person can say. Rebuilding the index would make a damaged row right.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from catalog.errors import CatalogueError
from catalog.read_only import ReadOnlyFile, may_write
from catalog.session import DiskFault, describe_fault, is_full

_INDEX = re.compile(r"(?:index|INDEX) (\w+)")
_LONGEST = 60


@dataclass(frozen=True)
class Suspect:
    """A row and an index of it that differ; None where one has no such row, or cannot be read."""

    table: str
    row_id: int
    index: str
    columns: tuple[str, ...]
    in_row: tuple[object, ...] | None
    in_index: tuple[object, ...] | None

    def __str__(self) -> str:
        row = f"row {self.row_id} of {self.table}"
        if self.in_row is None:
            return f"{row} is in the index {self.index} only, with {self._show(self.in_index)}"
        if self.in_index is None:
            return f"{row} has {self._show(self.in_row)} and is not in the index {self.index}"
        return (
            f"{row} has {self._show(self.in_row, self.in_index)}, and the index {self.index} has "
            f"{self._show(self.in_index, self.in_row)}"
        )

    def _show(
        self, values: tuple[object, ...] | None, others: tuple[object, ...] | None = None
    ) -> str:
        """The values that differ from the others, by their columns."""
        shown = [
            f"{column} = {value!r:.{_LONGEST}}"
            for at, (column, value) in enumerate(zip(self.columns, values or (), strict=False))
            if others is None or others[at] != value
        ]
        return ", ".join(shown)


def list_faults(path: Path) -> list[str]:
    """What SQLite says of a damaged catalogue, at most 100 sentences; empty for a sound one.

    Raises CatalogueError where the disk is too full for SQLite to open it.
    """
    source = ReadOnlyFile(path)
    try:
        with closing(sqlite3.connect(path) if may_write(path) else source.connect()) as connection:
            lines = [str(line) for (line,) in connection.execute("PRAGMA integrity_check")]
            broken = connection.execute("PRAGMA foreign_key_check").fetchmany(100)
    except sqlite3.DatabaseError as error:
        if is_full(path, str(error)):
            raise CatalogueError(describe_fault(DiskFault.FULL)) from error
        return [str(error)]
    finally:
        source.close()
    lost = [f"row {row} of {table} refers to no row of {other}" for table, row, other, _ in broken]
    return [line for line in lines if line != "ok"] + lost


def find_suspects(path: Path, faults: list[str]) -> list[Suspect]:
    """Where rows and the indexes that the faults name differ, as far as both can be read."""
    names = sorted({name for fault in faults for name in _INDEX.findall(fault)})
    suspects = list[Suspect]()
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        connection.text_factory = _decode
        for name in names:
            try:
                suspects += _compare(connection, name)
            except sqlite3.DatabaseError:  # SQLite's own sentence says what cannot be read
                continue
    return suspects


def keep_copy(path: Path, folder: Path, faults: list[str], *, is_fresh: bool) -> Path:
    """A copy of the damaged file, an earlier one of the same faults unless it has to be fresh.

    Raises OSError where it cannot be kept.
    """
    digest = sha256("\n".join(faults).encode()).hexdigest()[:12]
    word = f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}" if is_fresh else digest
    copy = folder / f"{path.stem}-{word}{path.suffix}"
    if copy.exists():
        return copy
    folder.mkdir(exist_ok=True)
    part = copy.with_name(f".{copy.name}.part")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with closing(sqlite3.connect(path)) as connection, closing(sqlite3.connect(part)) as target:
            connection.backup(target)  # page by page, also of damaged ones
    except sqlite3.DatabaseError:
        shutil.copyfile(path, part)
    part.rename(copy)
    return copy


def rebuild_indexes(path: Path) -> None:
    """Make every index anew of the rows, whatever it said; raises sqlite3.DatabaseError."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("REINDEX")


def _compare(connection: sqlite3.Connection, index: str) -> Iterator[Suspect]:
    wanted = "SELECT tbl_name FROM sqlite_schema WHERE type = 'index' AND name = ?"
    row = connection.execute(wanted, (index,)).fetchone()
    if row is None:
        return
    table: str = row[0]
    columns = [str(row[2]) for row in connection.execute(f'PRAGMA index_info("{index}")')]
    listed = ", ".join(f'"{column}"' for column in columns)
    asked = f'SELECT rowid, {listed} FROM "{table}"'  # noqa: S608, the catalogue's own names
    rows = {row[0]: row[1:] for row in connection.execute(f"{asked} NOT INDEXED")}
    entries = {row[0]: row[1:] for row in connection.execute(f'{asked} INDEXED BY "{index}"')}
    for row_id in sorted(rows.keys() | entries.keys()):
        in_row = rows.get(row_id)
        in_index = entries.get(row_id)
        if in_row != in_index:
            yield Suspect(
                table=table,
                row_id=row_id,
                index=index,
                columns=tuple(columns),
                in_row=in_row,
                in_index=in_index,
            )


def _decode(data: bytes) -> str:
    return data.decode(errors="backslashreplace")
