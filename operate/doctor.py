"""What `vocparty doctor` looks at, and what it may put right without asking.

Only what can be taken back is repaired: files are set aside and never deleted, but for the
leftovers of stopped writes.
"""

from __future__ import annotations

import re
import shutil
import socket
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from sqlalchemy import Text, cast, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from catalog.errors import ImageDamagedError, ImageMissingError
from catalog.image_store import ImageStore, open_image_store
from catalog.migrate import require_current
from catalog.party import SESSION_KEY, catalogue_url
from catalog.preset import load_preset
from catalog.session import Catalogue, describe_loss, open_catalogue
from catalog.settings import FILE_NAME, read_settings
from catalog.tables import Annotation, Image, Release, ReleaseImage, Review
from vockit.errors import UserError
from vockit.format.plural import format_count

from .backup import list_faults

LEAST_FREE_BYTES = 1_000_000_000
CLOCK_SECS = 5
SET_ASIDE = "set-aside"
ORPHAN_SECS = 3_600  # other machines record a file within minutes
_SHOWN = 3
_KEY_CHARACTERS = 32
_DIGEST = re.compile(r"[0-9a-f]{64}")

Take = Callable[[str], bool]


@dataclass(frozen=True)
class Check:
    """One thing looked at; `state` is "ok", "repaired", "warning" or "error"."""

    name: str
    state: str
    text: str


def examine(folder: Path, *, port: int, does_repair: bool) -> Iterator[Check]:
    """Every check of the party in the folder, as far as it can be looked at."""
    try:
        settings = read_settings(folder / FILE_NAME)
        load_preset(settings.preset, folder)
        url = catalogue_url(settings, folder)
    except UserError as error:
        yield Check("settings", "error", str(error))
        return
    yield Check("settings", "ok", f"{FILE_NAME} and the preset can be read.")
    if settings.flickr.key:
        yield Check("key", "ok", "There is a Flickr key.")
    else:
        yield Check("key", "warning", f"No Flickr key; collecting needs one in {FILE_NAME}.")
    yield from _check_secrets(folder, does_repair)
    yield _check_disk(folder)
    yield _check_port(port)
    if url.startswith("sqlite:///"):
        yield (check := _check_sqlite(Path(url.removeprefix("sqlite:///")), does_repair))
        if check.state == "error":
            return
    catalogue = open_catalogue(url)
    try:
        store = open_image_store(settings.images, folder)
        yield from _check_party(catalogue, folder, store, does_repair)
    except (UserError, SQLAlchemyError) as error:
        yield Check("catalogue", "error", describe_loss(error) or str(error))
    finally:
        catalogue.close()


def _check_party(
    catalogue: Catalogue, folder: Path, store: ImageStore, does_repair: bool
) -> Iterator[Check]:
    require_current(catalogue)
    if catalogue.engine.dialect.name == "postgresql":
        yield Check("catalogue", "ok", "PostgreSQL answers, and its tables are of this version.")
    with catalogue.reading() as session:
        yield _check_clock(session)
        wanted = set(session.scalars(select(Image.sha256).where(Image.erased_at.is_(None))))
        named = set(wanted)  # and every digest in a release's settings or in an image's form
        for values in (Release.settings, ReleaseImage.form):
            for text in session.scalars(select(cast(values, Text)).where(values.is_not(None))):
                named.update(_DIGEST.findall(text))
    take: Take = partial(_set_aside, folder, store) if does_repair else lambda _sha256: False
    yield _check_files(store, wanted, take)
    yield _check_orphans(store, named, take)
    if store.folder is not None:
        yield _check_leftovers(store.folder, does_repair)


def _check_secrets(folder: Path, does_repair: bool) -> Iterator[Check]:
    path = folder / SESSION_KEY
    if path.exists() and len(path.read_bytes().strip()) < _KEY_CHARACTERS:
        told = f"{SESSION_KEY} holds no key; delete it, and everyone signs in again."
        yield Check("session key", "error", told)
        return
    secrets = [one for one in (path, folder / FILE_NAME) if one.exists()]
    open_ones = [one for one in secrets if stat.S_IMODE(one.stat().st_mode) & 0o077]
    names = " and ".join(one.name for one in open_ones)
    if not open_ones:
        yield Check("secrets", "ok", "Only their owner can read the files that hold secrets.")
    elif does_repair:
        for one in open_ones:
            one.chmod(0o600)
        yield Check("secrets", "repaired", f"Others can no longer read {names}.")
    else:
        yield Check("secrets", "warning", f"Other users of this machine can read {names}.")


def _check_disk(folder: Path) -> Check:
    free = shutil.disk_usage(folder).free
    told = f"{free / 1e9:,.1f} GB are free at {folder}."
    if free < LEAST_FREE_BYTES:
        return Check("disk", "error", f"{told} Make room: saves fail once the disk is full.")
    return Check("disk", "ok", told)


def _check_port(port: int) -> Check:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError as error:
        reason = str(error.strerror).partition(" (")[0]
        told = f"Port {port} cannot be used: {reason}. Perhaps the party is running."
        return Check("port", "warning", told)
    return Check("port", "ok", f"Port {port} is free.")


def _check_sqlite(path: Path, does_repair: bool) -> Check:
    if not path.is_file() or not path.stat().st_size:
        told = f"{path.name} is missing or empty; bring it back with `vocparty restore`."
        return Check("catalogue", "error", told)
    faults = list_faults(path)
    if not faults:
        return Check("catalogue", "ok", "SQLite finds no fault in the catalogue.")
    if all("index" in one for one in faults) and does_repair:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("REINDEX")
        if not list_faults(path):
            return Check("catalogue", "repaired", "Its indexes were wrong and were built anew.")
    told = f"{faults[0]} ({format_count(len(faults), 'fault')})"
    return Check("catalogue", "error", f"Damaged: {told}. Bring it back with `vocparty restore`.")


def _check_clock(session: Session) -> Check:
    """The clock against PostgreSQL's, and against the newest rows, which lie in the past."""
    now = datetime.now(UTC)
    told = list[datetime]()
    for moment in (Annotation.saved_at, Review.reviewed_at, Image.state_at):
        found = session.scalar(select(func.max(moment)))
        told += [found] if found else []
    if session.get_bind().dialect.name == "postgresql":
        apart = abs((session.scalar(select(func.now())) - now).total_seconds())  # type: ignore[operator]
        if apart > CLOCK_SECS:
            text = f"This clock and PostgreSQL's are {apart:,.0f} s apart; use NTP on both."
            return Check("clock", "error", text)
    ahead = (max(told, default=now) - now).total_seconds()
    if ahead > CLOCK_SECS:
        text = f"The newest row is {ahead:,.0f} s in the future: the clock was set back; use NTP."
        return Check("clock", "error", text)
    return Check("clock", "ok", "No row is of the future.")


def _set_aside(folder: Path, store: ImageStore, sha256: str) -> bool:
    """Whether the file was moved out of the store; one in an object store is left."""
    path = store.local_path(sha256)
    if path is None or not path.exists():
        return False
    (folder / SET_ASIDE).mkdir(exist_ok=True)
    shutil.move(path, folder / SET_ASIDE / sha256)
    return True


def _check_files(store: ImageStore, wanted: set[str], take: Take) -> Check:
    missing, damaged = list[str](), list[str]()
    for sha256 in sorted(wanted):
        try:
            store.get(sha256)
        except ImageMissingError:
            missing.append(sha256)
        except ImageDamagedError:
            damaged.append(sha256)
    if not missing and not damaged:
        count = format_count(len(wanted), "image")
        return Check("images", "ok", f"The files of {count} are there and have their digests.")
    moved = sum(map(take, damaged))
    told = f"{len(missing):,} missing and {len(damaged):,} damaged of {len(wanted):,} files"
    if moved:
        told += f"; the damaged ones are in {SET_ASIDE}/ now"
    shown = ", ".join((missing + damaged)[:_SHOWN])
    text = f"{told} ({shown}). Bring them back from a backup, into images/ab/ab..."
    return Check("images", "error", text)


def _check_orphans(store: ImageStore, named: set[str], take: Take) -> Check:
    others = (one for one in store.digests() if one not in named)
    orphans = [one for one in others if _is_old(store.local_path(one))]
    if not orphans:
        return Check("orphans", "ok", "Every stored file belongs to an image or a release.")
    count = format_count(len(orphans), "file")
    if moved := sum(map(take, orphans)):
        return Check("orphans", "repaired", f"{moved:,} of {count} moved to {SET_ASIDE}/.")
    return Check("orphans", "warning", f"{count} in the image store belong to no image.")


def _is_old(path: Path | None) -> bool:
    try:
        return path is None or path.stat().st_mtime < time.time() - ORPHAN_SECS
    except FileNotFoundError:
        return False


def _check_leftovers(folder: Path, does_repair: bool) -> Check:
    """Parts of files whose writing was stopped; they have names that no reader looks for."""
    parts = [one for one in folder.rglob(".*.part") if _is_old(one)]
    if not parts:
        return Check("leftovers", "ok", "No write was cut off.")
    count = format_count(len(parts), "part of a file", "parts of files")
    if not does_repair:
        return Check("leftovers", "warning", f"{count} left by stopped writes.")
    for one in parts:
        one.unlink(missing_ok=True)
    return Check("leftovers", "repaired", f"Deleted {count} left by stopped writes.")
