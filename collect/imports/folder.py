"""The job of `vocparty import folder`: every picture file below a folder, as a photo of its own.

A photo's id is the digest of its file's bytes, so that importing a folder again, moved or renamed,
brings nothing twice, and a file that was mended is tried again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from catalog.party import Party
from catalog.states import Source
from collect.errors import PhotoBrokenError
from collect.reasons import Reason
from collect.text import clean_text

from .details import DetailError, LicenceRules, make_details
from .errors import ImportSourceError, TableError
from .exif_dates import find_taken_at
from .job import (
    ImportJob,
    Known,
    Prepared,
    Refused,
    check_class,
    make_licence_rules,
)
from .record import Arrival
from .summary import ImportCount
from .table import TableRow, read_table

TABLE_NAMES = ("photos.csv", "photos.json")
SUFFIXES = frozenset((
    ".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".gif", ".webp", ".tif", ".tiff", ".bmp", ".heic",
    ".heif", ".avif", ".jp2",
))  # fmt: skip
"""Files that are pictures by their name; others are no photographs and are left alone."""
_NO_ROW = TableRow(0, {})


@dataclass(frozen=True)
class FolderOrder:
    """What to import: the folder, a table beside it, the class that its photographs are for."""

    folder: Path
    table: Path | None = None
    class_name: str | None = None
    workers: int | None = None
    licence: str | None = None
    require_licence: bool = False


@dataclass(frozen=True)
class FolderFiles:
    """The picture files of a folder as relative paths, and what its table says of them."""

    names: tuple[str, ...]
    rows: Mapping[str, TableRow]
    unused: tuple[TableRow, ...]


def list_folder(order: FolderOrder) -> FolderFiles:
    """What there is to import; raises ImportSourceError, TableError."""
    if not order.folder.is_dir():
        raise ImportSourceError(f"{order.folder} is not a folder; name one with photographs.")
    names = _find_pictures(order.folder)
    if not names:
        raise ImportSourceError(
            f"{order.folder} holds no picture file, such as one ending in .jpg."
        )
    beside = (order.folder / name for name in TABLE_NAMES)
    table = order.table or next((path for path in beside if path.is_file()), None)
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
    default = check_class(party, order.class_name)
    licences = make_licence_rules(party, order.licence, order.require_licence)
    for row in files.rows.values():
        check_class(party, row.get("class"))
    for row in files.unused:
        count.refuse(f"line {row.line}", f"there is no file {row.get('file')}")
    keyword = clean_text(order.folder.resolve().name, 200)
    job = ImportJob(party, Source.FOLDER, keyword, count, now, advance)
    importer = _FolderImporter(job, order.folder, files.rows, default, licences)
    job.run(files.names, importer.prepare, order.workers or party.settings.collect.workers)


class _FolderImporter:
    def __init__(
        self,
        job: ImportJob,
        folder: Path,
        rows: Mapping[str, TableRow],
        class_name: str,
        licences: LicenceRules,
    ) -> None:
        self._job, self._folder, self._rows = job, folder, rows
        self._class_name, self._licences = class_name, licences

    def prepare(self, name: str) -> Prepared:
        """What the file is: an arrival with its picture stored, or why there is none."""
        row = self._rows.get(name, _NO_ROW)
        try:
            details = make_details(row, self._licences)
            self._job.check_owner(details["owner_id"])
            digest = _digest_file(self._folder / name)
        except DetailError as error:
            return Refused(name, str(error))
        except OSError as error:
            return Refused(name, f"it cannot be read: {error.strerror}")
        if self._job.is_known(digest):
            return Known()
        values = {
            **details,
            "source_id": digest,
            "title": details["title"] or clean_text(name, 1_000),
            "image_url": row.get("url"),
        }
        class_name = row.get("class") or self._class_name
        try:
            return self._read(name, values), class_name
        except OSError as error:
            return Refused(name, f"it cannot be read: {error.strerror}")

    def _read(self, name: str, values: dict[str, object]) -> Arrival:
        path, most = self._folder / name, self._job.party.settings.collect.max_bytes
        size = path.stat().st_size
        if size > most:
            return Arrival(values, PhotoBrokenError(Reason.TOO_MANY_BYTES, f"{size} bytes"))
        if size == 0:
            return Arrival(values, PhotoBrokenError(Reason.TRUNCATED, "the file is empty"))
        data = path.read_bytes()
        taken = values["taken_at_text"] or find_taken_at(data)
        arrival = self._job.arrive(data, values)
        return replace(arrival, values={**values, "taken_at_text": taken})


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
    paths = set(names)
    by_name: dict[str, list[str]] = {}
    for path in names:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    found: dict[str, TableRow] = {}
    unused = []
    for row in rows:
        wanted = (row.get("file") or "").replace("\\", "/").removeprefix("./")
        paths_of_name = [wanted] if wanted in paths else by_name.get(wanted, [])
        if len(paths_of_name) > 1:
            raise TableError(
                f"{table}, line {row.line}: {wanted} is the name of {len(paths_of_name)} files; "
                f"write its path, such as {paths_of_name[0]}."
            )
        if not paths_of_name:
            unused.append(row)
            continue
        path = paths_of_name[0]
        if path in found:
            raise TableError(
                f"{table}, line {row.line}: line {found[path].line} has {path} already."
            )
        found[path] = row
    return FolderFiles(names, found, tuple(unused))


def _digest_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
