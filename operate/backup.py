"""One file that holds a whole party, written while it runs, and the party that comes back of it.

It is a tar archive of a party's folder on SQLite, which any tar unpacks. The rows are taken at one
moment, then the files: a file is stored before its row, so every row finds its file. The last
member, backup.json, says that the archive is whole.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import sqlite3
import tarfile
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import file_digest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from pydantic import TypeAdapter, ValidationError

from catalog.errors import ImageDamagedError, ImageMissingError, VocpartyError
from catalog.instances import note_restore
from catalog.migrate import require_current, upgrade_catalogue
from catalog.party import SESSION_KEY, Party
from catalog.session import open_catalogue
from catalog.settings import FILE_NAME
from catalog.whole_file import digest_of, sync_path

from .move import CATALOGUE_FILE, IMAGES_FOLDER, change_places, list_small_files
from .rows import Advance, copy_rows, skip_numbers

LAST_MEMBER = "backup.json"
_FORMAT = 1
_IMAGE = re.compile(rf"{IMAGES_FOLDER}/([0-9a-f]{{2}})/(\1[0-9a-f]{{62}})")
_SMALL = re.compile(r"((?!\.\./)[^/\\]+/)*[^/\\]+\.(toml|md)|" + re.escape(SESSION_KEY))


class BackupError(VocpartyError):
    """A backup cannot be written, or a file is no whole backup."""


@dataclass(frozen=True)
class Backup:
    """What a backup holds; `left_out` are digests of files that were damaged."""

    name: str
    made_at: str
    files: int
    catalogue_sha256: str
    left_out: tuple[str, ...] = ()
    format: int = _FORMAT


def write_backup(party: Party, target: Path, advance: Advance) -> Backup:
    """What the new file `target` holds; it appears whole and takes no other file's place.

    Raises BackupError where it cannot be written or the catalogue is damaged.
    """
    if target.exists():
        raise BackupError(f"{target} already exists. Name a new file.")
    try:
        with TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
            part, rows = Path(folder, target.name), Path(folder, CATALOGUE_FILE)
            made_at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            _write_rows(party, rows)
            with _create(part) as file:
                found = _write_archive(party, file, rows, made_at, advance)
                file.flush()
                os.fsync(file.fileno())
            part.rename(target)
        sync_path(target.parent)
    except OSError as error:
        raise BackupError(f"{target} cannot be written: {error.strerror or error}.") from error
    return found


def restore_backup(source: Path, folder: Path) -> Backup:
    """What the backup holds, when its party is in `folder`, which must be new or empty.

    Every file is compared with its digest. The folder appears whole; raises BackupError else.
    New rows have numbers that no row had after the backup, which open pages may still name.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BackupError(f"{folder} is not empty. Name a new folder.")
    folder = folder.resolve()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as parent:
            part = Path(parent, folder.name)
            part.mkdir()
            found = _read_archive(source, part)
            check_sqlite(part / CATALOGUE_FILE)
            _begin_again(part / CATALOGUE_FILE)
            os.sync()  # once for all files
            part.rename(folder)
        sync_path(folder.parent)
    except tarfile.TarError as error:
        raise BackupError(f"{source} is no whole backup: {error}.") from error
    except OSError as error:
        raise BackupError(f"{source} was not restored: {error.strerror or error}.") from error
    return found


def check_sqlite(path: Path) -> None:
    """Raise BackupError where the catalogue in the file is damaged."""
    if faults := list_faults(path):
        raise BackupError(f"The catalogue is damaged: {faults[0]}. Run `vocparty doctor`.")


def list_faults(path: Path) -> list[str]:
    """What SQLite says of a damaged catalogue, at most 100 sentences; empty for a sound one."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            told = [str(one) for (one,) in connection.execute("PRAGMA integrity_check")]
            broken = connection.execute("PRAGMA foreign_key_check").fetchmany(100)
    except sqlite3.DatabaseError as error:
        return [str(error)]
    lost = [f"row {row} of {table} refers to no row of {other}" for table, row, other, _ in broken]
    return [one for one in told if one != "ok"] + lost


def _begin_again(path: Path) -> None:
    """Note the restore in the catalogue, and pass over the numbers given since the backup."""
    catalogue = open_catalogue(f"sqlite:///{path}")
    try:
        require_current(catalogue)
        with catalogue.writing() as session:
            skip_numbers(session)
            note_restore(session, at=datetime.now(UTC))
    finally:
        catalogue.close()


def _write_rows(party: Party, path: Path) -> None:
    """A catalogue on SQLite with the rows of one moment, whatever the party's own database is."""
    _create(path).close()
    if party.catalogue.engine.dialect.name == "sqlite":
        raw = party.catalogue.engine.raw_connection()
        try:
            with closing(raw), closing(sqlite3.connect(path)) as copy:
                raw.driver_connection.backup(copy)  # type: ignore[union-attr]
        except sqlite3.DatabaseError as error:
            raise BackupError(f"The catalogue cannot be copied: {error}.") from error
    else:
        copied = open_catalogue(f"sqlite:///{path}")
        try:
            upgrade_catalogue(copied)
            with party.catalogue.reading() as session:
                copy_rows(session, copied)
        finally:
            copied.close()
    check_sqlite(path)


def _write_archive(
    party: Party, file: BinaryIO, rows: Path, made_at: str, advance: Advance
) -> Backup:
    places = {"catalogue": f"sqlite:///{CATALOGUE_FILE}", "images": IMAGES_FOLDER}
    settings = change_places((party.folder / FILE_NAME).read_text(encoding="utf-8"), **places)
    files, left_out = 0, list[str]()
    with tarfile.open(fileobj=file, mode="w") as archive:
        _add(archive, FILE_NAME, settings.encode())
        for path in list_small_files(party):
            _add(archive, path.relative_to(party.folder).as_posix(), path.read_bytes())
        archive.add(rows, CATALOGUE_FILE)
        for sha256 in party.store.digests():
            with contextlib.suppress(ImageMissingError):  # erased a moment ago
                try:
                    _add(archive, f"{IMAGES_FOLDER}/{sha256[:2]}/{sha256}", party.store.get(sha256))
                    files += 1
                except ImageDamagedError:
                    left_out.append(sha256)
            advance(1)
        with rows.open("rb") as catalogue:
            digest = file_digest(catalogue, "sha256").hexdigest()
        found = Backup(party.settings.name, made_at, files, digest, tuple(left_out))
        _add(archive, LAST_MEMBER, (json.dumps(vars(found), indent=2) + "\n").encode())
    return found


def _create(path: Path) -> BinaryIO:
    """A new file that only its owner can read."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = len(data), 0o600, int(datetime.now(UTC).timestamp())
    archive.addfile(member, io.BytesIO(data))
    archive.getmembers().clear()  # the archive would keep them all


def _read_archive(source: Path, folder: Path) -> Backup:
    files, found = 0, None
    with tarfile.open(source, "r:") as archive:
        while (member := archive.next()) is not None:
            name, stream = member.name, archive.extractfile(member) if member.isreg() else None
            archive.members.clear()  # type: ignore[attr-defined]
            if stream is not None and (match := _IMAGE.fullmatch(name)):
                data = stream.read()
                if digest_of(data) != match[2]:
                    raise BackupError(f"{source} is damaged: {name} is not what was stored.")
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                files += 1
            elif stream is not None and name == LAST_MEMBER:
                found = _parse_last(source, stream.read())
            elif stream is not None and (name == CATALOGUE_FILE or _SMALL.fullmatch(name)):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                with _create(folder / name) as file:
                    shutil.copyfileobj(stream, file)
            else:
                raise BackupError(f"{source} is no backup of a party: it holds {name!r}.")
    if found is None or found.files != files:
        raise BackupError(f"{source} is no whole backup: it was cut short.")
    with (folder / CATALOGUE_FILE).open("rb") as catalogue:
        if file_digest(catalogue, "sha256").hexdigest() != found.catalogue_sha256:
            raise BackupError(f"{source} is damaged: {CATALOGUE_FILE} is not what was stored.")
    return found


def _parse_last(source: Path, data: bytes) -> Backup:
    try:
        found = TypeAdapter(Backup).validate_json(data)
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise BackupError(f"{source} is no backup of a party: {LAST_MEMBER}: {reason}.") from error
    if found.format != _FORMAT:
        raise BackupError(f"{source} was made by another version of vocparty.")
    return found
