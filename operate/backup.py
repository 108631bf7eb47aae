"""One file that holds a whole party, written while it runs, and the party that comes back of it.

It is a tar archive of a party's folder on SQLite, which any tar unpacks. The first member,
contents.json, lists the small files that were written, whatever their names are. The rows are taken
at one moment, then the files: a file is stored before its row, so every row finds its file. The
last member, backup.json, says that the archive is whole.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sqlite3
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import file_digest
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO
from urllib.parse import quote, unquote

from pydantic import TypeAdapter, ValidationError

from catalog.errors import CatalogueError, ImageDamagedError, ImageMissingError
from catalog.image_store import MARK_FILE, open_image_store
from catalog.instances import note_restore
from catalog.migrate import require_current, upgrade_catalogue
from catalog.party import PartyData
from catalog.session import open_catalogue
from catalog.settings import FILE_NAME
from catalog.store_owner import format_mark, read_token
from catalog.stored_files import find_missing, load_named_digests
from catalog.validation import read_text
from vockit.errors import UserError
from vockit.foreign.folder import part_folder
from vockit.format.whole_file import digest_of, sync_path

from .integrity import list_faults
from .move import (
    CATALOGUE_FILE,
    IMAGES_FOLDER,
    change_places,
    list_small_files,
    write_missing_list,
)
from .rows import Advance, copy_rows, skip_numbers

FIRST_MEMBER = "contents.json"
LAST_MEMBER = "backup.json"
_FORMAT = 2
_MARK = f"{IMAGES_FOLDER}/{MARK_FILE}"
_PLAIN = CATALOGUE_FILE, _MARK
_IMAGE = re.compile(rf"{IMAGES_FOLDER}/([0-9a-f]{{2}})/(\1[0-9a-f]{{62}})")


class BackupError(UserError):
    """A backup cannot be written, or a file is no whole backup."""


@dataclass(frozen=True)
class Backup:
    """What a backup holds.

    `left_out` are digests of files that were damaged, `missing` of those that rows name and the
    image store did not hold.
    """

    name: str
    made_at: str
    files: int
    catalogue_sha256: str
    left_out: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    format: int = _FORMAT


def write_backup(party: PartyData, target: Path, advance: Advance) -> Backup:
    """What the new file `target` holds; it appears whole and takes no other file's place.

    Raises BackupError where it cannot be written or the catalogue is damaged.
    """
    party.store.refuse_inside(target)
    _refuse_taken(target)
    if not target.parent.is_dir():  # perhaps a disk that is away
        raise BackupError(f"{target} cannot be written: there is no folder {target.parent}.")
    with part_folder(target) as folder, _telling(f"{target} cannot be written"):
        folder.chmod(0o700)  # the catalogue has names and secrets
        part = folder / target.name
        rows = folder / CATALOGUE_FILE
        made_at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        _write_rows(party, rows)
        with _create(part) as file:
            backup = _write_archive(party, file, rows, made_at, advance)
            file.flush()
            os.fsync(file.fileno())
        _refuse_taken(target)  # another backup of this name may have ended meanwhile
        part.rename(target)
        sync_path(target.parent)
    return backup


def _refuse_taken(target: Path) -> None:
    if os.path.lexists(target):
        raise BackupError(f"{target} already exists. Name a new file.")


def restore_backup(source: Path, folder: Path) -> Backup:
    """What the backup holds, when its party is in `folder`, which must be new or empty.

    Every file is compared with its digest. The folder appears whole.
    `missing` is then what the rows name and the folder does not hold, whatever the backup says.
    New rows have numbers that no row had after the backup, which open pages may still name. Raises
    BackupError where the backup is damaged or the folder cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BackupError(f"{folder} is not empty. Name a new folder.")
    folder = folder.resolve()
    with part_folder(folder) as parent, _telling(f"{source} was not restored"):
        parent.chmod(0o700)
        part = parent / folder.name
        part.mkdir()
        try:
            backup = _read_archive(source, part)
        except tarfile.TarError as error:
            raise BackupError(f"{source} is no whole backup: {error}.") from error
        check_sqlite(part / CATALOGUE_FILE)
        _check_mark(source, part)
        backup = replace(backup, missing=_find_missing(part, backup))
        write_missing_list(part, {*backup.missing, *backup.left_out})
        _begin_again(part / CATALOGUE_FILE)
        os.sync()  # once for all files
        part.rename(folder)
        sync_path(folder.parent)
    return backup


@contextmanager
def _telling(what: str) -> Iterator[None]:
    """Raise BackupError with what the system says of files in the block."""
    try:
        yield
    except OSError as error:
        raise BackupError(f"{what}: {error.strerror or error}.") from error


def check_sqlite(path: Path) -> None:
    """Raise BackupError where the catalogue in the file is damaged."""
    if faults := list_faults(path):
        raise BackupError(f"The catalogue is damaged: {faults[0]}. Run `vocparty doctor`.")


def _check_mark(source: Path, folder: Path) -> None:
    """Raise BackupError where the store's mark is not that of the catalogue."""
    try:
        with closing(sqlite3.connect(folder / CATALOGUE_FILE)) as connection:
            token = connection.execute("SELECT token FROM store_owner").fetchone()
    except sqlite3.DatabaseError as error:
        raise BackupError(f"{source} was made by another version of vocparty.") from error
    mark = folder / _MARK
    if not token or not mark.exists() or mark.read_bytes() != _format_mark(token[0]):
        raise BackupError(f"{source} is damaged: {_MARK} is not what was stored.")


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


def _write_rows(party: PartyData, path: Path) -> None:
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
    party: PartyData, file: BinaryIO, rows: Path, made_at: str, advance: Advance
) -> Backup:
    places = {"catalogue": f"sqlite:///{CATALOGUE_FILE}", "images": IMAGES_FOLDER}
    settings = change_places(read_text(party.folder / FILE_NAME), **places)
    small = {FILE_NAME: settings.encode()}
    for path in list_small_files(party):
        small[path.relative_to(party.folder).as_posix()] = path.read_bytes()
    with party.catalogue.reading() as session:
        wanted = load_named_digests(session)
    written = set[str]()
    left_out = list[str]()
    with tarfile.open(fileobj=file, mode="w") as archive:
        _add(archive, FIRST_MEMBER, _format_contents(small))
        for name, data in small.items():
            _add(archive, name, data)
        archive.add(rows, CATALOGUE_FILE)
        _add(archive, _MARK, _format_mark(read_token(party.catalogue) or ""))
        for sha256 in party.store.digests():
            try:
                _add(archive, f"{IMAGES_FOLDER}/{sha256[:2]}/{sha256}", party.store.get(sha256))
                written.add(sha256)
            except ImageDamagedError:
                left_out.append(sha256)
            except ImageMissingError:
                pass  # it was there a moment ago; find_missing looks whether it was erased
            advance(1)
        missing = find_missing(party.catalogue, wanted, written.union(left_out))
        with rows.open("rb") as catalogue:
            digest = file_digest(catalogue, "sha256").hexdigest()
        backup = Backup(
            name=party.settings.name,
            made_at=made_at,
            files=len(written),
            catalogue_sha256=digest,
            left_out=tuple(left_out),
            missing=missing,
        )
        _add(archive, LAST_MEMBER, (json.dumps(vars(backup), indent=2) + "\n").encode())
    return backup


def _format_contents(small: Mapping[str, bytes]) -> bytes:
    """The list of the small files with their digests; names in percent-encoding, of any bytes."""
    digests = {quote(os.fsencode(name)): digest_of(data) for name, data in small.items()}
    return (json.dumps({"format": _FORMAT, "files": digests}, indent=2) + "\n").encode()


def _format_mark(token: str) -> bytes:
    """The mark of the store that lies beside the catalogue once the archive is unpacked."""
    return format_mark(token, {"beside": f"../{CATALOGUE_FILE}"})


def _create(path: Path) -> BinaryIO:
    """A new file that only its owner can read."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    member.mode = 0o600
    member.mtime = int(datetime.now(UTC).timestamp())
    archive.addfile(member, io.BytesIO(data))
    archive.getmembers().clear()  # the archive would keep them all


def _read_archive(source: Path, folder: Path) -> Backup:
    files = 0
    backup = None
    with tarfile.open(source, "r:") as archive:
        small = _read_contents(source, archive)
        while (member := archive.next()) is not None:
            name = member.name
            stream = archive.extractfile(member) if member.isreg() else None
            archive.members.clear()  # type: ignore[attr-defined]
            if stream is not None and (match := _IMAGE.fullmatch(name)):
                data = _read_whole(source, name, stream, match[2])
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                files += 1
            elif stream is not None and name == LAST_MEMBER:
                backup = _parse_last(source, stream.read())
            elif stream is not None and name in _PLAIN:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                with _create(folder / name) as file:
                    shutil.copyfileobj(stream, file)
            elif stream is not None and name in small:
                data = _read_whole(source, name, stream, small.pop(name))
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                with _create(folder / name) as file:
                    file.write(data)
            else:
                raise BackupError(f"{source} is no backup of a party: it holds {name!r}.")
    if backup is None or backup.files != files or small:
        raise BackupError(f"{source} is no whole backup: it was cut short.")
    with (folder / CATALOGUE_FILE).open("rb") as catalogue:
        if file_digest(catalogue, "sha256").hexdigest() != backup.catalogue_sha256:
            raise BackupError(f"{source} is damaged: {CATALOGUE_FILE} is not what was stored.")
    return backup


def _read_contents(source: Path, archive: tarfile.TarFile) -> dict[str, str]:
    """The digests of the small files by their names, as the first member lists them."""
    member = archive.next()
    stream = archive.extractfile(member) if member is not None and member.isreg() else None
    if member is None:
        raise BackupError(f"{source} is no whole backup: it was cut short.")
    if stream is None or member.name not in (FIRST_MEMBER, FILE_NAME):
        raise BackupError(f"{source} is no backup of a party: it holds {member.name!r}.")
    if member.name == FILE_NAME:  # the first member before there was a list
        raise BackupError(f"{source} was made by another version of vocparty.")
    try:
        document = json.loads(stream.read())
        files = document["files"].items()
        listed = {unquote(name, errors="surrogateescape"): str(digest) for name, digest in files}
        version = document["format"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BackupError(f"{source} is no backup of a party: {FIRST_MEMBER}: {error}.") from error
    if version != _FORMAT:
        raise BackupError(f"{source} was made by another version of vocparty.")
    for name in listed:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            raise BackupError(f"{source} is no backup of a party: it holds {name!r}.")
    return listed


def _read_whole(source: Path, name: str, stream: IO[bytes], digest: str) -> bytes:
    """The bytes of a member; raises BackupError where they are not those that were stored."""
    data = stream.read()
    if digest_of(data) != digest:
        raise BackupError(f"{source} is damaged: {name} is not what was stored.")
    return data


def _find_missing(folder: Path, backup: Backup) -> tuple[str, ...]:
    """The files that the restored rows name and the folder lacks, but for those left out."""
    catalogue = open_catalogue(f"sqlite:///{folder / CATALOGUE_FILE}")
    try:
        require_current(catalogue)
        with catalogue.reading() as session:
            wanted = load_named_digests(session)
    except CatalogueError:  # of an earlier version, whose rows only that one reads
        return backup.missing
    finally:
        catalogue.close()
    there = open_image_store(IMAGES_FOLDER, folder).digests()
    return tuple(sorted(wanted.difference(there, backup.left_out)))


def _parse_last(source: Path, data: bytes) -> Backup:
    try:
        backup = TypeAdapter(Backup).validate_json(data)
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise BackupError(f"{source} is no backup of a party: {LAST_MEMBER}: {reason}.") from error
    if backup.format != _FORMAT:
        raise BackupError(f"{source} was made by another version of vocparty.")
    return backup
