"""The tables of a party once they were added; taking one of them, or an owner, out again."""

from __future__ import annotations

import errno
import fcntl
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from catalog.party import PartyData
from catalog.states import ImageState, PhotoState, Source
from catalog.tables import Annotation, BlockedOwner, Image, Photo, TablePass
from collect.query_yield import recount_yields
from collect.takedown.job import TakedownPlan, take_down
from vockit.format.whole_file import make_folder, sync_path
from vockit.report.comparison import Compared

from .errors import TableChoiceError, TableError
from .sample_file import (
    FOLDER,
    Sample,
    copy_without_owners,
    digest_of_file,
    find_path,
    is_kept_sample,
)

PART = ".pass-"
"""How the names begin of folders that hold what is not whole yet."""
_NOT_WRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS)


def load_passes(session: Session, *, also_ended: bool = False) -> Sequence[TablePass]:
    """The tables that are sources, by name; also those that were, from the first on."""
    wanted = select(TablePass).order_by(TablePass.id)
    if not also_ended:
        wanted = select(TablePass).where(TablePass.ended_at.is_(None)).order_by(TablePass.name)
    return session.scalars(wanted).all()


def list_samples(party: PartyData) -> list[Path]:
    """Where the samples of the party's tables are, by name."""
    with party.catalogue.reading() as session:
        rows = load_passes(session)
        return [find_path(party.folder, row.name, row.sample_sha256) for row in rows]


def compare_samples(party: PartyData) -> Compared:
    """Which samples of tables are there as they were written."""
    different = list[str]()
    with party.catalogue.reading() as session:
        digests = {row.name: row.sample_sha256 for row in load_passes(session)}
    for name, sha256 in digests.items():
        path = find_path(party.folder, name, sha256)
        if not path.is_file() or digest_of_file(path) != sha256:
            different.append(name)
    return Compared(
        what="sample of a table",
        equal=len(digests) - len(different),
        different=tuple(different),
        is_right="as it was written",
        is_wrong="missing or changed",
    )


def find_changed(row: TablePass) -> bool:
    """Whether a file of the table is there and is another one than that which was read."""
    for name, (size, changed) in row.files.items():
        path = Path(row.folder, name)
        try:
            if path.exists() and look_at(path) != [size, changed]:
                return True
        except OSError:  # it may be on a disk that is away
            continue
    return False


def remove_table(
    party: PartyData, name: str, *, now: Callable[[], datetime], dry_run: bool = False
) -> TakedownPlan:
    """What was withdrawn of a table that is no source any more: all that nobody has annotated.

    Raises TableError where there is no such table.
    """
    with alone(party.folder):
        with party.catalogue.writing() as session:
            if name not in (row.name for row in load_passes(session)):
                names = ", ".join(row.name for row in load_passes(session)) or "none"
                raise TableChoiceError(f"There is no table {name!r}; the tables are: {names}.")
            photo_ids = _find_unannotated(session, name)
            at = now()
            reason = f"source: the table {name} was removed"
            plan = take_down(session, photo_ids, reason=reason, at=at)
            if dry_run:
                session.rollback()
                return plan
            end_pass(session, name, at)
        sweep(party)
    recount_yields(party)
    return plan


def find_listed(party: PartyData, owner_ids: Sequence[str]) -> frozenset[str]:
    """Those of the owners whom a sample lists, as far as samples can be read."""
    listed = set[str]()
    for path in list_samples(party) if owner_ids else ():
        with suppress(TableError), closing(Sample(path)) as sample:
            listed |= sample.find_owners(owner_ids)
    return frozenset(listed)


def forget_owners(party: PartyData, owner_ids: Sequence[str]) -> int:
    """How many photographs of the owners were taken out of the samples of the party.

    A sample's copy takes its place with the commit of its row. Raises TableError.
    """
    if not owner_ids or not (party.folder / FOLDER).is_dir():
        return 0
    count = 0
    with alone(party.folder) as folder, telling_of_the_disk(folder):
        with party.catalogue.reading() as session:
            names = {row.id: (row.name, row.sample_sha256) for row in load_passes(session)}
        for pass_id, (name, sha256) in names.items():
            with TemporaryDirectory(prefix=PART, dir=folder) as part:
                copy = Path(part, "sample.db")
                path = find_path(party.folder, name, sha256)
                removed = copy_without_owners(path, copy, owner_ids) if path.is_file() else 0
                if not removed:
                    continue
                count += removed
                digest = digest_of_file(copy)
                copy.replace(find_path(party.folder, name, digest))
            sync_path(folder)
            changed = update(TablePass).where(TablePass.id == pass_id)
            with party.catalogue.writing() as session:
                session.execute(changed.values(sample_sha256=digest))
        sweep(party)
    return count


def load_blocked(party: PartyData) -> list[str]:
    """The ids of the owners who are excluded."""
    with party.catalogue.reading() as session:
        return sorted(session.scalars(select(BlockedOwner.owner_id)))


def look_at(path: Path) -> list[int]:
    """Size in bytes and time of the last change in nanoseconds."""
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns]


def end_pass(session: Session, name: str, at: datetime) -> None:
    """Let the table of that name be a source no more."""
    is_current = TablePass.name == name, TablePass.ended_at.is_(None)
    session.execute(update(TablePass).where(*is_current).values(ended_at=at))


def _find_unannotated(session: Session, name: str) -> list[int]:
    """The photos of a table whose images have no revision, and which nobody has open."""
    has_revision = select(Annotation.id).where(Annotation.image_id == Photo.image_id).exists()
    is_open = Image.state == ImageState.ANNOTATING
    wanted = (
        select(Photo.id)
        .outerjoin(Image, Image.id == Photo.image_id)
        .where(
            Photo.source == Source.TABLE,
            Photo.source_id.startswith(f"{name}:", autoescape=True),
            Photo.state.in_((PhotoState.FOUND, PhotoState.FETCHED)),
            ~has_revision,
            Image.id.is_(None) | ~is_open,
        )
    )
    return list(session.scalars(wanted.order_by(Photo.id)))


def sweep(party: PartyData) -> None:
    """Delete samples that are no source's any more; other files in their folder stay."""
    folder = party.folder / FOLDER
    with party.catalogue.reading() as session:
        used = {
            find_path(party.folder, row.name, row.sample_sha256) for row in load_passes(session)
        }
    for path in folder.glob("*.db"):
        if path not in used and is_kept_sample(path):
            path.unlink(missing_ok=True)


@contextmanager
def alone(party_folder: Path) -> Iterator[Path]:
    """The folder of samples, in which no other process works; raises TableError."""
    folder = party_folder / FOLDER
    try:
        make_folder(folder)
        with (folder / ".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise TableError(
                    "Another command reads a table of this party; wait until it has ended."
                ) from error
            for left in folder.glob(f"{PART}*"):  # of a pass that was killed
                shutil.rmtree(left, ignore_errors=True)
            yield folder
    except OSError as error:
        if error.errno not in _NOT_WRITABLE:
            raise
        raise TableError(f"{folder} cannot be written: {error.strerror}.") from error


@contextmanager
def telling_of_the_disk(folder: Path, advice: str = "") -> Iterator[None]:
    """Tell as TableError, with the advice, what ends a command that cannot write a sample."""
    try:
        yield
    except (sqlite3.OperationalError, OSError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        fault = f"The sample cannot be written in {folder}: {reason}."
        raise TableError(f"{fault} {advice}".rstrip()) from error
