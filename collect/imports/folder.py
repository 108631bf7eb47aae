"""The job of `vocparty import folder`: each picture file is a photo, whose id is its digest."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from catalog.party import Party
from catalog.states import Source
from collect.errors import PhotoBrokenError, Reason, clean_text
from vockit.errors import SettingsError
from vockit.format.shortage import refuse_shortage

from .count import ImportCount, Refusal
from .job import Candidate, ImportJob, ImportOrder
from .rows import check_class
from .table import DetailError, TableRow, read_table

TABLE_NAMES = ("photos.csv", "photos.json")
SUFFIXES = frozenset(
    (
        ".jpg",
        ".jpeg",
        ".jpe",
        ".jfif",
        ".png",
        ".gif",
        ".webp",
        ".tif",
        ".tiff",
        ".bmp",
        ".heic",
        ".heif",
        ".avif",
        ".jp2",
        ".mpo",
        ".ppm",
        ".tga",
    )
)
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
    """What there is to import; raises SettingsError."""
    if not order.folder.is_dir():
        raise SettingsError(f"{order.folder} is not a folder. Name a folder with photographs.")
    names = _find_pictures(order.folder)
    if not names:
        raise SettingsError(f"{order.folder} holds no picture file, such as one ending in .jpg.")
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
    """Import every file; `count` grows while it runs. The same call goes on where it stopped."""
    job = ImportJob(party, Source.FOLDER, order.folder.resolve().name, order, now)
    for row in files.rows.values():
        check_class(party, row.get("class"))
    for row in files.unused:
        count.refusals.append(Refusal(f"line {row.line}", f"there is no file {row.get('file')}"))
    most_bytes = party.settings.collect.max_bytes
    candidates = [
        Candidate(
            name,
            files.rows.get(name, _NO_ROW),
            find_id=partial(_digest_file, order.folder / name),
            read=partial(_read_file, order.folder / name, most_bytes),
            title=clean_text(name, 1_000),
        )
        for name in files.names
    ]
    job.run(candidates, count, advance)


def _find_pictures(folder: Path) -> tuple[str, ...]:
    """Relative paths with slashes, ascending; hidden files and folders are left alone."""
    pictures = []
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(root, name)
            if path.suffix.lower() in SUFFIXES and not name.startswith(".") and path.is_file():
                pictures.append(path.relative_to(folder).as_posix())
    return tuple(sorted(pictures))


def _match_table(names: tuple[str, ...], rows: tuple[TableRow, ...], table: Path) -> FolderFiles:
    """The rows by file; a table may name a file by its path or, where that is enough, its name."""
    by_name: dict[str, list[str]] = {}
    for path in names:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    by_name |= {path: [path] for path in names}
    matched: dict[str, TableRow] = {}
    unused = []
    for row in rows:
        where = f"{table}, line {row.line}"
        wanted = (row.get("file") or "").replace("\\", "/").removeprefix("./")
        paths = by_name.get(wanted, [])
        if not paths:
            unused.append(row)
        elif len(paths) > 1:
            raise SettingsError(
                f"{where}: {wanted} is the name of {len(paths)} files; "
                f"write its path, such as {paths[0]}."
            )
        elif paths[0] in matched:
            raise SettingsError(f"{where}: line {matched[paths[0]].line} has {paths[0]} already.")
        else:
            matched[paths[0]] = row
    return FolderFiles(names, matched, tuple(unused))


def _digest_file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        refuse_shortage(error)
        raise DetailError(f"it cannot be read: {error.strerror}") from error


def _read_file(path: Path, most_bytes: int) -> bytes:
    try:
        size = path.stat().st_size
        if size > most_bytes:
            raise PhotoBrokenError(Reason.TOO_MANY_BYTES, f"{size} bytes")
        if size == 0:
            raise PhotoBrokenError(Reason.TRUNCATED, "the file is empty")
        return path.read_bytes()
    except OSError as error:
        refuse_shortage(error)
        raise DetailError(f"it cannot be read: {error.strerror}") from error
