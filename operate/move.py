"""A party on other engines: its rows and files copied there, and a new folder with party.toml.

The old party is only read, but for a note of where it went. The new party.toml appears last, so
that no command runs there before all is copied; until then it is called moving.toml, and the same
command goes on.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path

from sqlalchemy import select, true

from catalog.errors import CatalogueError, ImageDamagedError, ImageMissingError
from catalog.image_store import ImageStore, open_image_store
from catalog.instances import SERVED_FOR, find_last_served
from catalog.migrate import current_revision, upgrade_catalogue
from catalog.party import (
    MOVED_FILE,
    MOVING_FILE,
    SESSION_KEY,
    Party,
    PartyData,
    catalogue_url,
    format_toml,
)
from catalog.session import Catalogue, open_catalogue
from catalog.settings import FILE_NAME, parse_settings
from catalog.store_owner import hand_over_store, refuse_foreign
from catalog.stored_files import find_missing, load_named_digests
from catalog.tables import Lease, Person
from catalog.validation import read_text
from collect.pauses import CLOCKS_DIFFER
from collect.source_table.keeping import list_samples
from vockit.errors import SettingsError
from vockit.format.own_files import refuse_in_tree
from vockit.format.threads import ThreadPool
from vockit.format.whole_file import sync_path, write_whole
from work.lease_endings import release_leases

from .integrity import list_faults
from .rows import Advance, compare_rows, copy_rows

CATALOGUE_FILE = "catalogue.db"
IMAGES_FOLDER = "images"
MISSING_LIST = "missing-images.txt"
_PLACE = re.compile(r"(?m)^(catalogue|images)\s*=.*\n?")
_TABLE = re.compile(r"(?m)^\s*\[")
_THREADS = 8
_SLICE = 200


@dataclass(frozen=True)
class Move:
    """What a move copied.

    `left_out` are digests of files that are damaged, `missing` of those that rows name and neither
    image store holds. `ended` are the leases that were left, by person and image, and are ended in
    the new party; `is_noted` says whether the old folder could take a note of the new one.
    """

    rows: int
    files: int
    left_out: tuple[str, ...]
    missing: tuple[str, ...]
    ended: tuple[str, ...]
    is_noted: bool


def move_party(
    party: Party,
    folder: Path,
    *,
    to: str,
    images: str | None,
    advance_rows: Advance,
    advance_files: Advance,
) -> Move:
    """What the party in the new folder has, once all rows and files are there.

    `to` is the URL of an empty database, `images` of the new image store (else a folder in the new
    one, or the same object store). Raises SettingsError or CatalogueError where one cannot be
    used or a server is at work, ImageStoreError where a store fails; the same call goes on where
    it stopped.
    """
    refuse_in_tree(folder)
    refuse_served(party.catalogue)
    old = party.settings.images
    images = images or (old if "://" in old else IMAGES_FOLDER)
    text = read_text(party.folder / FILE_NAME)
    text = change_places(text, catalogue=to, images=images)
    if (folder / FILE_NAME).exists():
        raise SettingsError(f"{folder} is a party already; name another folder for the new one.")
    settings = parse_settings(text)
    store = open_image_store(settings.images, folder)
    present = set(store.digests())  # a store that does not answer is told before all else
    refuse_damaged(party.catalogue)
    catalogue = open_catalogue(catalogue_url(settings, folder.resolve()))
    try:
        refuse_foreign(store, party.catalogue, *_list_begun(folder, catalogue))
        _begin(folder, text, catalogue)
        with party.catalogue.reading() as session:
            copy_rows(session, catalogue, advance_rows)
        files, left_out = _move_files(party.store, store, present, advance_files)
        rows, wanted = _compare_at_last(party.catalogue, catalogue)
        missing = find_missing(party.catalogue, wanted, present.union(left_out))
        write_missing_list(folder, {*left_out, *missing})
        for path in list_small_files(party):
            write_whole(folder / path.relative_to(party.folder), path.read_bytes(), mode=0o600)
        hand_over_store(catalogue, store)
        refuse_served(party.catalogue)  # one that was started meanwhile
        ended = _end_leases(catalogue)
    finally:
        catalogue.close()
    (folder / MOVING_FILE).rename(folder / FILE_NAME)
    sync_path(folder)
    is_noted = _note_place(party.folder, folder)
    return Move(
        rows=rows,
        files=files,
        left_out=left_out,
        missing=missing,
        ended=ended,
        is_noted=is_noted,
    )


def _compare_at_last(old: Catalogue, new: Catalogue) -> tuple[int, set[str]]:
    """How many rows both have, and the digests that they name, when all files were copied.

    Raises CatalogueError where they differ: what a command wrote meanwhile would stay behind.
    """
    with old.reading() as session:
        try:
            return compare_rows(session, new), load_named_digests(session)
        except CatalogueError as error:
            raise CatalogueError(
                f"{error} Another command changed the party during the move, or the new database "
                "keeps them otherwise. Stop all commands of the party, then run this again."
            ) from error


def refuse_served(catalogue: Catalogue) -> None:
    """Raise CatalogueError while a server is at work: what it saves later would stay behind.

    A sign of life that no running server can have given is of a clock that was ahead.
    """
    with catalogue.reading() as session:
        served_at = find_last_served(session)
    if served_at is None:
        return
    quiet = datetime.now(UTC) - served_at
    if -CLOCKS_DIFFER < quiet < SERVED_FOR:
        raise CatalogueError(
            "`vocparty serve` is at work with this party, and what people save during a move would "
            "stay behind. Stop it, then move. (Its last sign of life was "
            f"{max(0.0, quiet.total_seconds()):.0f} s ago; "
            f"if it was killed, the move can begin {SERVED_FOR.seconds} s after that.)"
        )


def _end_leases(catalogue: Catalogue) -> tuple[str, ...]:
    """End all leases of the new party, whose pages are the old one's; who held which image."""
    held = select(Person.name, Lease.image_id).join(Person, Person.id == Lease.person_id)
    with catalogue.writing() as session:
        rows = session.execute(held.order_by(Lease.id)).tuples().all()
        release_leases(session, true(), "taken_back", at=datetime.now(UTC))
    return tuple(f"{name} (image {image_id})" for name, image_id in rows)


def _note_place(old: Path, new: Path) -> bool:
    """Whether the old folder says from now on where the party went."""
    at = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    text = f"This party was moved to {new.resolve()} on {at}. Continue there."
    try:
        write_whole(old / MOVED_FILE, f"{text}\n".encode())
    except OSError:
        return False
    return True


def refuse_damaged(catalogue: Catalogue) -> None:
    """Raise CatalogueError where SQLite's file is damaged: a copy would make wrong rows right."""
    file = catalogue.engine.url.database
    if catalogue.engine.dialect.name == "sqlite" and file and (faults := list_faults(Path(file))):
        raise CatalogueError(f"The catalogue is damaged: {faults[0]}. Run `vocparty doctor`.")


def _list_begun(folder: Path, catalogue: Catalogue) -> list[Catalogue]:
    """The new catalogue where a move that was stopped may have given it the store already."""
    is_begun = (folder / MOVING_FILE).exists() and current_revision(catalogue) is not None
    return [catalogue] if is_begun else []


def _begin(folder: Path, text: str, catalogue: Catalogue) -> None:
    """Note what is moved to where, before anything is; the database has to be empty then."""
    note = folder / MOVING_FILE
    if note.exists():
        if read_text(note) != text:
            raise SettingsError(
                f"A move to other places, or with other settings, was begun in {folder}: repeat "
                "that command, or delete the folder and take an empty database."
            )
    elif folder.exists() and any(folder.iterdir()):
        raise SettingsError(f"{folder} is not empty; name a new folder with --folder.")
    else:
        folder.mkdir(parents=True, exist_ok=True)
        if current_revision(catalogue) is not None:
            raise CatalogueError(
                f"The database {catalogue.engine.url!r} holds a party already; name an empty one."
            )
        write_whole(note, text.encode(), mode=0o600)
    upgrade_catalogue(catalogue)


def _move_files(
    old: ImageStore, new: ImageStore, present: set[str], advance: Advance
) -> tuple[int, tuple[str, ...]]:
    """How many files are in the new store, and the digests of those that are damaged.

    Adds those that are in the new store now to `present`.
    """
    left_out = list[str]()
    total = 0
    move_file = partial(_move_file, old, new)
    with ThreadPool(_THREADS) as pool:
        digests = old.digests()
        while some := list(islice(digests, _SLICE)):
            waiting = [sha256 for sha256 in some if sha256 not in present]
            for sha256, fault in zip(waiting, pool.map(move_file, waiting), strict=True):
                if fault is None:
                    present.add(sha256)
                elif isinstance(fault, ImageDamagedError):
                    left_out.append(sha256)
            total += sum(sha256 in present for sha256 in some)
            advance(len(some))
    return total, tuple(left_out)


def _move_file(
    old: ImageStore, new: ImageStore, sha256: str
) -> ImageMissingError | ImageDamagedError | None:
    """Why the file could not be read; None where the new store holds it now."""
    try:
        new.put(old.get(sha256))
    except (ImageMissingError, ImageDamagedError) as error:
        return error
    return None


def write_missing_list(folder: Path, digests: Collection[str]) -> None:
    """List the files that a new party lacks, a digest a line; without any there is no list."""
    if digests:
        text = "".join(f"{sha256}\n" for sha256 in sorted(digests))
        write_whole(folder / MISSING_LIST, text.encode())
    else:
        (folder / MISSING_LIST).unlink(missing_ok=True)


def list_small_files(party: PartyData) -> list[Path]:
    """The key, presets, guidelines and samples; SettingsError for a preset outside the folder."""
    preset = Path(party.settings.preset)
    if preset.is_absolute() or ".." in preset.parts:
        raise SettingsError(f"Copy the preset {preset} into {party.folder} and name it so, first.")
    paths = {party.folder / SESSION_KEY, party.folder / preset}
    paths |= {*party.folder.glob("*.toml"), *party.folder.glob("*.md")}
    paths |= set(list_samples(party))
    return sorted(path for path in paths if path.name != FILE_NAME and path.is_file())


def change_places(text: str, *, catalogue: str, images: str) -> str:
    """The text of party.toml with these places, comments kept; SettingsError where unclear."""
    first_table = _TABLE.search(text)
    end = first_table.start() if first_table else len(text)
    head = _PLACE.sub("", text[:end]).rstrip("\n")
    tail = text[end:].lstrip()
    places = format_toml({"catalogue": catalogue, "images": images})
    changed = f"{head}\n{places}\n{tail}"
    settings = parse_settings(changed)
    if (settings.catalogue, settings.images) != (catalogue, images):
        raise SettingsError(
            f"Write catalogue and images in {FILE_NAME} on a line each, above the first [table]."
        )
    return changed
