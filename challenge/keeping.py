"""Keeping a challenge: its database on another server, a backup in one file, a look for faults.

The rows are taken at one moment, then the files that they name: a file is stored before its row.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tarfile
from collections.abc import Iterator
from hashlib import file_digest
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.errors import CatalogueError
from catalog.session import open_catalogue
from catalog.validation import read_text
from operate.checks import Check, make_check
from operate.integrity import list_faults
from operate.rows import compare_rows, copy_rows
from vockit.errors import UserError
from vockit.foreign.folder import new_folder, part_folder
from vockit.format.plural import format_count
from vockit.format.whole_file import write_whole
from vockit.report.comparison import compare

from .database import create_tables
from .folder import DATABASE_FILE, FILE_NAME, TEMPORARY, Challenge, open_challenge
from .tables import Base, QuotaUse, Scoring, Submission
from .values import ScoringState, State
from .worker import LOCK_FILE

LIST_FILE = "backup.json"
_DATABASE = re.compile(r"(?m)^database\s*=.*\n?")
_LEFT_OUT = (TEMPORARY, LOCK_FILE)
_HOLDS = (State.QUEUED, State.SCORED)


class KeepingError(UserError):
    """A challenge cannot be kept or brought back."""


def move_database(challenge: Challenge, url: str) -> int:
    """How many rows were copied into the empty database at `url`, which the challenge has from now.

    Stop the server before. The old database is only read. Raises CatalogueError.
    """
    target = open_catalogue(url)
    try:
        create_tables(target)
        with challenge.catalogue.reading() as session:
            copy_rows(session, target, metadata=Base.metadata)
            rows = compare_rows(session, target, Base.metadata)
    finally:
        target.close()
    _name_database(challenge.folder, url)
    return rows


def _name_database(folder: Path, url: str) -> None:
    """Let challenge.toml name another database."""
    text = _DATABASE.sub("", read_text(folder / FILE_NAME))
    text = f"database = {json.dumps(url)}\n{text}"
    write_whole(folder / FILE_NAME, text.encode(), mode=0o600)


def write_backup(challenge: Challenge, target: Path) -> int:
    """How many files are in the new archive `target`, which appears whole; it may run meanwhile.

    It holds the sealed labels and the names of teams: keep it as private as the challenge. Raises
    KeepingError where something is at `target`.
    """
    if os.path.lexists(target):
        raise KeepingError(f"{target} already exists. Name a new file.")
    with part_folder(target) as folder:
        folder.chmod(0o700)
        rows = folder / DATABASE_FILE
        _copy_database(challenge, rows)
        paths = {DATABASE_FILE: rows} | dict(_list_files(challenge.folder))
        part = folder / target.name
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        digests = dict[str, str]()
        with os.fdopen(descriptor, "wb") as file, tarfile.open(fileobj=file, mode="w") as packed:
            for name, path in paths.items():
                if path.is_file():  # an upload may have been cancelled meanwhile
                    packed.add(path, name, recursive=False)
                    with path.open("rb") as content:
                        digests[name] = file_digest(content, "sha256").hexdigest()
            listing = folder / LIST_FILE
            listing.write_text(json.dumps(digests), "utf-8")
            packed.add(listing, LIST_FILE)
        part.rename(target)
    return len(digests)


def _copy_database(challenge: Challenge, rows: Path) -> None:
    """All rows of one moment in a new file of SQLite, wherever the challenge has them."""
    os.close(os.open(rows, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    copied = open_catalogue(f"sqlite:///{rows}")
    try:
        create_tables(copied)
        with challenge.catalogue.reading() as session:
            copy_rows(session, copied, metadata=Base.metadata)
    finally:
        copied.close()


def _list_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """All files but the database, uploads that are not whole, and what is temporary."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        is_kept = name.split("/")[0] not in _LEFT_OUT and not name.startswith(DATABASE_FILE)
        if is_kept and path.is_file() and path.suffix != ".part":
            yield name, path


def restore_backup(source: Path, folder: Path) -> int:
    """How many files of a backup are in the new folder; its database is a file there.

    Each file is compared with its digest. Raises KeepingError for a file that is no whole backup.
    """
    with new_folder(folder) as made:
        made.chmod(0o700)
        try:
            with tarfile.open(source) as packed:
                packed.extractall(made, filter="data")
            digests = json.loads((made / LIST_FILE).read_text("utf-8"))
        except (tarfile.TarError, OSError, ValueError, EOFError) as error:
            raise KeepingError(f"{source} is no whole backup of a challenge: {error}.") from error
        (made / LIST_FILE).unlink()
        for name, digest in digests.items():
            path = made / name
            if not path.is_file() or _digest(path) != digest:
                raise KeepingError(f"{source} is damaged: {name} is not what was backed up.")
        for path in made.rglob("*"):
            path.chmod(0o700 if path.is_dir() else 0o600)
        _name_database(made, f"sqlite:///{DATABASE_FILE}")
    return len(digests)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def examine(folder: Path) -> Iterator[Check]:
    """Every check of the challenge in the folder, as far as it can be looked at."""
    file = folder / DATABASE_FILE
    if file.is_file() and (faults := list_faults(file)):
        yield Check("database", "error", f"The database is damaged: {faults[0]}. Restore a backup.")
        return
    try:
        with open_challenge(folder) as challenge:
            yield Check("settings", "ok", f"{FILE_NAME} can be read, and the database answers.")
            yield _check_privacy(folder)
            yield _check_room(challenge)
            with challenge.catalogue.reading() as session:
                yield _check_uploads(session, challenge)
                yield _check_evidence(session, challenge)
                yield _check_quota(session)
    except (UserError, CatalogueError) as error:
        yield Check("settings", "error", str(error))


def _check_privacy(folder: Path) -> Check:
    paths = [folder, *folder.rglob("*")]
    outcomes = [(str(path.relative_to(folder)), not path.stat().st_mode & 0o077) for path in paths]
    advice = f"Others may read them: run `chmod -R go= {folder}`."
    return make_check("privacy", compare("file", outcomes, is_right="private"), advice)


def _check_room(challenge: Challenge) -> Check:
    free = shutil.disk_usage(challenge.folder).free
    least = challenge.settings.limits.least_free_bytes
    if free < least:
        text = f"{free / 1e9:.1f} GB are free, and below {least / 1e9:.1f} GB no upload is taken."
        return Check("disk", "warning", text)
    return Check("disk", "ok", f"{free / 1e9:.1f} GB are free.")


def _check_uploads(session: Session, challenge: Challenge) -> Check:
    """Whether each upload that is or will be scored is the one that was sent."""
    rows = session.scalars(select(Submission).where(Submission.state.in_(_HOLDS)))
    outcomes = []
    for row in rows.all():
        path = challenge.upload_path(row.id)
        outcomes.append((f"submission {row.id}", path.is_file() and _digest(path) == row.sha256))
    compared = compare("upload", outcomes, is_right="as sent")
    return make_check("uploads", compared, "Bring them back from a backup.")


def _check_evidence(session: Session, challenge: Challenge) -> Check:
    rows = session.scalars(select(Scoring).where(Scoring.state == ScoringState.DONE)).all()
    outcomes = [
        (
            f"submission {row.submission_id} in edition {row.edition_id}",
            challenge.evidence_path(row.submission_id, row.edition_id).is_file(),
        )
        for row in rows
    ]
    compared = compare("scoring", outcomes, is_right="with its replicates")
    advice = "Intervals of ranks lack them; `vocparty challenge rescore` makes them again."
    return make_check("evidence", compared, advice, fault="warning")


def _check_quota(session: Session) -> Check:
    """Whether each submission that took a result has its row, and no other has one."""
    taken = set(session.scalars(select(QuotaUse.submission_id)))
    rows = session.scalars(select(Submission)).all()
    outcomes = [
        (f"submission {row.id}", (row.id in taken) == (row.state in _HOLDS)) for row in rows
    ]
    compared = compare("submission", outcomes, is_right="counted once")
    advice = f"{format_count(len(taken), 'result')} are taken; restore a backup, and compare."
    return make_check("quota", compared, advice)
