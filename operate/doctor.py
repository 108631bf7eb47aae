"""What `vocparty doctor` looks at, and what it may put right without asking.

Only what can be taken back is repaired: files are set aside and never deleted, but for the
leftovers of this party's own stopped writes. What only a person can know has an option of its own.
"""

from __future__ import annotations

import shutil
import socket
import sqlite3
import stat
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from catalog.errors import ImageDamagedError, ImageMissingError, StoreOwnerError
from catalog.image_store import ImageStore, open_image_store
from catalog.migrate import require_current
from catalog.party import SESSION_KEY, catalogue_url
from catalog.preset import load_preset
from catalog.session import Catalogue, describe_loss, open_catalogue
from catalog.settings import FILE_NAME, read_settings
from catalog.states import WordKind
from catalog.store_owner import claim_store, seal_store
from catalog.stored_files import load_image_digests, load_named_digests
from catalog.tables import Annotation, Image, Object, Presence, Query, Review, Word
from vockit.errors import UserError
from vockit.format.plural import format_count, is_or_are

from .integrity import find_suspects, keep_copy, list_faults, rebuild_indexes

LEAST_FREE_BYTES = 1_000_000_000
CLOCK_SECS = 5
SET_ASIDE = "set-aside"
ORPHAN_SECS = 3_600  # other machines record a file within minutes
_SHOWN = 3
_MOST_SUSPECTS = 20
_KEY_CHARACTERS = 32

Take = Callable[[str], bool]


@dataclass(frozen=True)
class Orders:
    """What doctor may do besides looking."""

    repair: bool = False
    trust_rows: bool = False
    claim_store: bool = False


@dataclass(frozen=True)
class Check:
    """One thing looked at; `state` is "ok", "repaired", "warning" or "error"."""

    name: str
    state: str
    text: str


def examine(folder: Path, *, port: int, orders: Orders) -> Iterator[Check]:
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
    yield from _check_secrets(folder, orders.repair)
    yield _check_disk(folder)
    yield _check_port(port)
    if url.startswith("sqlite:///"):
        file = Path(url.removeprefix("sqlite:///"))
        yield (check := _check_sqlite(file, folder / SET_ASIDE, trusts_rows=orders.trust_rows))
        if check.state == "error":
            return
    catalogue = open_catalogue(url)
    try:
        store = open_image_store(settings.images, folder)
        yield from _check_party(catalogue, folder, store, orders)
    except (UserError, SQLAlchemyError) as error:
        yield Check("catalogue", "error", describe_loss(error) or str(error))
    finally:
        catalogue.close()


def _check_party(
    catalogue: Catalogue, folder: Path, store: ImageStore, orders: Orders
) -> Iterator[Check]:
    require_current(catalogue)
    if catalogue.engine.dialect.name == "postgresql":
        yield Check("catalogue", "ok", "PostgreSQL answers, and its tables are of this version.")
    with catalogue.reading() as session:
        yield _check_clock(session)
        yield _check_words(session)
    owned, check = _check_owner(catalogue, store, does_claim=orders.claim_store)
    yield check
    if owned is not None:
        yield from _check_store(catalogue, folder, owned, orders.repair)


def _check_owner(
    catalogue: Catalogue, store: ImageStore, *, does_claim: bool
) -> tuple[ImageStore | None, Check]:
    """The store where it is this party's own, else None."""
    try:
        return seal_store(catalogue, store), Check("store", "ok", "It is this party's own.")
    except StoreOwnerError as error:
        if not does_claim:
            return None, Check("store", "error", str(error))
    try:
        text = f"{store.place} is this party's from now on, and refused to any other."
        return claim_store(catalogue, store), Check("store", "repaired", text)
    except StoreOwnerError as error:
        return None, Check("store", "error", str(error))


def _check_store(
    catalogue: Catalogue, folder: Path, store: ImageStore, does_repair: bool
) -> Iterator[Check]:
    """The checks of the files in a store that is this party's own."""
    with catalogue.reading() as session:
        images = load_image_digests(session)
        named = load_named_digests(session)
    take: Take = partial(_set_aside, folder, store) if does_repair else lambda _sha256: False
    yield _check_files(store, images, named, take)
    yield _check_orphans(store, named, take)
    if store.folder is not None:
        yield _check_leftovers(store, store.folder, does_repair)


def _check_secrets(folder: Path, does_repair: bool) -> Iterator[Check]:
    key_file = folder / SESSION_KEY
    if key_file.exists() and len(key_file.read_bytes().strip()) < _KEY_CHARACTERS:
        text = f"{SESSION_KEY} holds no key; delete it, and everyone signs in again."
        yield Check("session key", "error", text)
        return
    secrets = [path for path in (key_file, folder / FILE_NAME) if path.exists()]
    readable = [path for path in secrets if stat.S_IMODE(path.stat().st_mode) & 0o077]
    names = " and ".join(path.name for path in readable)
    if not readable:
        yield Check("secrets", "ok", "Only their owner can read the files that hold secrets.")
    elif does_repair:
        for path in readable:
            path.chmod(0o600)
        yield Check("secrets", "repaired", f"Others can no longer read {names}.")
    else:
        yield Check("secrets", "warning", f"Other users of this machine can read {names}.")


def _check_disk(folder: Path) -> Check:
    free = shutil.disk_usage(folder).free
    text = f"{free / 1e9:,.1f} GB are free at {folder}."
    if free < LEAST_FREE_BYTES:
        return Check("disk", "error", f"{text} Make room: saves fail once the disk is full.")
    return Check("disk", "ok", text)


def _check_port(port: int) -> Check:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError as error:
        reason = str(error.strerror).partition(" (")[0]
        text = f"Port {port} cannot be used: {reason}. Perhaps the party is running."
        return Check("port", "warning", text)
    return Check("port", "ok", f"Port {port} is free.")


def _check_sqlite(path: Path, aside: Path, *, trusts_rows: bool) -> Check:
    if not path.is_file() or not path.stat().st_size:
        text = f"{path.name} is missing or empty; bring it back with `vocparty restore`."
        return Check("catalogue", "error", text)
    faults = list_faults(path)
    if not faults:
        return Check("catalogue", "ok", "SQLite finds no fault in the catalogue.")
    text = f"Damaged: {faults[0]} ({format_count(len(faults), 'fault')})."
    if not all("index" in fault for fault in faults):
        text += "".join(f" Suspect: {suspect}." for suspect in find_suspects(path, faults)[:_SHOWN])
        return Check("catalogue", "error", f"{text} Bring it back with `vocparty restore`.")
    return _settle_suspects(path, aside, faults, text, trusts_rows=trusts_rows)


def _settle_suspects(
    path: Path, aside: Path, faults: list[str], damage: str, *, trusts_rows: bool
) -> Check:
    """Name the rows that differ from their indexes; only a person says that the rows are right."""
    suspects = find_suspects(path, faults)
    named = "; ".join(map(str, suspects[:_MOST_SUSPECTS])) or damage
    if len(suspects) > _MOST_SUSPECTS:
        named += f"; and {len(suspects) - _MOST_SUSPECTS:,} more"
    try:
        copy = keep_copy(path, aside, faults, is_fresh=trusts_rows)
    except OSError as error:
        text = f"Suspect: {named}. No copy of it could be kept ({error.strerror})."
        return Check("catalogue", "error", text)
    copy_note = f"A copy of the file as it was is {aside.name}/{copy.name}."
    if trusts_rows:
        with suppress(sqlite3.DatabaseError):
            rebuild_indexes(path)
        if not list_faults(path):
            text = f"The indexes were built anew from the rows, as you said: {named}. {copy_note}"
            return Check("catalogue", "repaired", text)
    text = (
        f"Suspect: {named}. One of the two was damaged, and no program can know which. {copy_note} "
        "Compare with the image and a backup. If a row is wrong, bring the catalogue back with "
        "`vocparty restore`; if all rows are right, run `vocparty doctor --trust-rows`."
    )
    return Check("catalogue", "error", text)


def _check_words(session: Session) -> Check:
    """Whether every class that a row refers to is there."""
    known = select(Word.key).where(Word.kind == WordKind.CLASS)
    unknown: Counter[str] = Counter()
    for column in (Object.class_id, Query.class_id, Presence.class_id):
        counted = select(column, func.count()).where(column.not_in(known), column != "")
        unknown.update(dict(session.execute(counted.group_by(column)).tuples().all()))
    if not unknown:
        return Check("classes", "ok", "Every class that is referred to is there.")
    named = ", ".join(f"{key} ({count:,})" for key, count in sorted(unknown.items())[:_SHOWN])
    text = (
        f"{format_count(unknown.total(), 'row')} {is_or_are(unknown.total())} of classes that are "
        f"not there: {named}. Bring the catalogue back with `vocparty restore`."
    )
    return Check("classes", "error", text)


def _check_clock(session: Session) -> Check:
    """The clock against PostgreSQL's, and against the newest rows, which lie in the past."""
    now = datetime.now(UTC)
    newest = list[datetime]()
    for moment in (Annotation.saved_at, Review.reviewed_at, Image.state_at):
        last_at = session.scalar(select(func.max(moment)))
        newest += [last_at] if last_at else []
    if session.get_bind().dialect.name == "postgresql":
        apart = abs((session.scalar(select(func.now())) - now).total_seconds())  # type: ignore[operator]
        if apart > CLOCK_SECS:
            text = f"This clock and PostgreSQL's are {apart:,.0f} s apart; use NTP on both."
            return Check("clock", "error", text)
    ahead = (max(newest, default=now) - now).total_seconds()
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
    target, number = folder / SET_ASIDE / sha256, 1
    while target.exists():  # an earlier one stays
        number += 1
        target = target.with_name(f"{sha256}.{number}")
    shutil.move(path, target)
    store.drop_note(sha256)
    return True


def _check_files(store: ImageStore, images: set[str], named: set[str], take: Take) -> Check:
    """Whether all files that rows name are there and whole: images, and what releases hold."""
    missing, damaged = list[str](), list[str]()
    for sha256 in sorted(named):
        try:
            store.get(sha256)
        except ImageMissingError:
            missing.append(sha256)
        except ImageDamagedError:
            damaged.append(sha256)
    if not missing and not damaged:
        files = f"The files of {format_count(len(images), 'image')}"
        if released := len(named - images):
            files += f" and {format_count(released, 'file')} of releases"
        return Check("images", "ok", f"{files} are there and have their digests.")
    moved = sum(map(take, damaged))
    faults = f"{len(missing):,} missing and {len(damaged):,} damaged of {len(named):,} files"
    if moved:
        faults += f"; the damaged ones are in {SET_ASIDE}/ now"
    shown = ", ".join((missing + damaged)[:_SHOWN])
    text = f"{faults} ({shown}). Bring them back from a backup, into images/ab/ab..."
    return Check("images", "error", text)


def _check_orphans(store: ImageStore, named: set[str], take: Take) -> Check:
    """Old files that no row names; only those are taken that this party stored."""
    others = (sha256 for sha256 in store.digests() if sha256 not in named)
    orphans = [sha256 for sha256 in others if _is_old(store.local_path(sha256))]
    if not orphans:
        return Check("orphans", "ok", "Every stored file belongs to an image or a release.")
    stored_here = [sha256 for sha256 in orphans if store.has_note(sha256)]
    moved, count = sum(map(take, stored_here)), format_count(len(orphans), "file")
    if moved == len(orphans):
        return Check("orphans", "repaired", f"{moved:,} of {count} moved to {SET_ASIDE}/.")
    text = f"{count} in the image store belong to no image."
    if moved:
        text += f" {moved:,} moved to {SET_ASIDE}/."
    if strangers := len(orphans) - len(stored_here):
        text += f" {strangers:,} were not stored by this party, or long ago, and stay."
    return Check("orphans", "warning", text)


def _is_old(path: Path | None) -> bool:
    try:
        return path is None or path.stat().st_mtime < time.time() - ORPHAN_SECS
    except FileNotFoundError:
        return False


def _check_leftovers(store: ImageStore, folder: Path, does_repair: bool) -> Check:
    """Parts of files of this party whose writing was stopped; no reader looks for their names."""
    parts = [part for part in folder.rglob(".*.part") if store.is_own_part(part) and _is_old(part)]
    if not parts:
        return Check("leftovers", "ok", "No write was cut off.")
    count = format_count(len(parts), "part of a file", "parts of files")
    if not does_repair:
        return Check("leftovers", "warning", f"{count} left by stopped writes.")
    for part in parts:
        part.unlink(missing_ok=True)
    return Check("leftovers", "repaired", f"Deleted {count} left by stopped writes.")
