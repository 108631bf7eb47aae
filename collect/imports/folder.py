"""The job of `vocparty import folder`: every picture file below a folder, as one photo.

A photo's id is the digest of its file's bytes, so that importing a folder again, moved or renamed,
brings nothing twice, and a file that was repaired is tried again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from catalog.party import Party
from catalog.states import Source
from collect.errors import PhotoBrokenError, Reason, clean_text

from .job import ImportJob, ImportOrder, Prepared, check_class
from .record import Arrival, ImportCount, Refusal
from .table import DetailError, ImportSourceError, TableError, TableRow, read_table

TABLE_NAMES = ("photos.csv", "photos.json")
SUFFIXES = frozenset((
    ".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".gif", ".webp", ".tif", ".tiff", ".bmp", ".heic",
    ".heif", ".avif", ".jp2",
))  # fmt: skip
"""Files that are pictures by their name; others are no photographs and are left alone."""
_NO_ROW = TableRow(0, {})


@dataclass(frozen=True)
class FolderOrder(ImportOrder):
    """What to import: the folder, and a table about it."""

    folder: Path
    table: Path | None = None


@dataclass(frozen=True)
class FolderFiles:
    """The picture files of a folder as relative paths, and what its table says of them."""

    names: tuple[str, ...]
    rows: Mapping[str, TableRow]
    unused: tuple[TableRow, ...]


def list_folder(order: FolderOrder) -> FolderFiles:
    """What there is to import; raises ImportSourceError, TableError."""
    if not order.folder.is_dir():
        raise ImportSourceError(f"{order.folder} is not a folder. Name a folder with photographs.")
    names = _find_pictures(order.folder)
    if not names:
        raise ImportSourceError(
            f"{order.folder} holds no picture file, such as one ending in .jpg."
        )
    tables = (order.folder / name for name in TABLE_NAMES)
    table = order.table or next((path for path in tables if path.is_file()), None)
    if table is None:
        return FolderFiles(names, {}, ())
    return _match_table(names, read_table(table, "file").rows, table)


def import_folder(
    party: Party,
    order: FolderOrder,
    files: FolderFiles,
    count: ImportCount,
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    advance: Callable[[int], None] = lambda _count: None,
) -> None:
    """Import every file; `count` grows while it runs. The same call goes on where it stopped.

    Raises ImportSourceError before anything is stored; ImageStoreError where it cannot go on.
    """
    name = order.folder.resolve().name
    job = ImportJob(party, Source.FOLDER, name, order, count, now, advance)
    for row in files.rows.values():
        check_class(party, row.get("class"))
    for row in files.unused:
        count.refusals.append(Refusal(f"line {row.line}", f"there is no file {row.get('file')}"))
    importer = _FolderImporter(job, order.folder, files.rows)
    job.run(files.names, importer.prepare)


class _FolderImporter:
    def __init__(self, job: ImportJob, folder: Path, rows: Mapping[str, TableRow]) -> None:
        self._job, self._folder, self._rows = job, folder, rows

    def prepare(self, name: str) -> Prepared:
        """What the file is: an arrival with its picture stored, or why there is none."""
        row, path = self._rows.get(name, _NO_ROW), self._folder / name
        try:
            details = self._job.read_details(row)
            digest = _digest_file(path)
            if self._job.is_known(digest):
                return None
            title = details["title"] or clean_text(name, 1_000)
            values = {**details, "source_id": digest, "title": title, "image_url": row.get("url")}
            return self._read(path, values, row.get("class"), name)
        except DetailError as error:
            return Refusal(name, str(error))
        except OSError as error:
            return Refusal(name, f"it cannot be read: {error.strerror}")

    def _read(
        self, path: Path, values: dict[str, object], class_name: str | None, name: str
    ) -> Arrival:
        size = path.stat().st_size
        if size > self._job.settings.max_bytes:
            fault = PhotoBrokenError(Reason.TOO_MANY_BYTES, f"{size} bytes")
            return Arrival(values, class_name, fault, where=name)
        if size == 0:
            fault = PhotoBrokenError(Reason.TRUNCATED, "the file is empty")
            return Arrival(values, class_name, fault, where=name)
        return self._job.arrive(path.read_bytes(), values, class_name, name)


def _find_pictures(folder: Path) -> tuple[str, ...]:
    """Relative paths with slashes, ascending; hidden files and folders are left alone."""
    found = []
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(root, name)
            if path.suffix.lower() in SUFFIXES and not name.startswith(".") and path.is_file():
                found.append(path.relative_to(folder).as_posix())
    return tuple(sorted(found))


def _match_table(names: tuple[str, ...], rows: tuple[TableRow, ...], table: Path) -> FolderFiles:
    """The rows by file; a table may name a file by its path or, where that is enough, its name."""
    by_name: dict[str, list[str]] = {}
    for path in names:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    by_name |= {path: [path] for path in names}
    found: dict[str, TableRow] = {}
    unused = []
    for row in rows:
        where = f"{table}, line {row.line}"
        wanted = (row.get("file") or "").replace("\\", "/").removeprefix("./")
        paths = by_name.get(wanted, [])
        if not paths:
            unused.append(row)
        elif len(paths) > 1:
            raise TableError(
                f"{where}: {wanted} is the name of {len(paths)} files; "
                f"write its path, such as {paths[0]}."
            )
        elif paths[0] in found:
            raise TableError(f"{where}: line {found[paths[0]].line} has {paths[0]} already.")
        else:
            found[paths[0]] = row
    return FolderFiles(names, found, tuple(unused))


def _digest_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
