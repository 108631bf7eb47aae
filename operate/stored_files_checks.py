"""The checks of a party's image store: whose it is, what is missing, damaged, or of no use.

A repair moves a file to `set-aside/` and deletes none.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from pathlib import Path

from PIL import Image as Picture
from PIL import UnidentifiedImageError

from catalog.errors import (
    ImageDamagedError,
    ImageMissingError,
    ImageUnreadableError,
    StoreOwnerError,
)
from catalog.image_store import MARK_FILE, ImageStore
from catalog.session import Catalogue
from catalog.store_owner import claim_store, read_token, seal_store
from catalog.stored_files import load_image_digests, load_image_sizes, load_named_digests
from vockit.format.plural import format_count
from vockit.format.whole_file import write_whole
from vockit.report.comparison import Compared, Outcome, compare

from .checks import Check, make_check

SET_ASIDE = "set-aside"
ORPHAN_SECS = 3_600  # other machines record a file within minutes
_ADVICE = "Bring them back from a backup, into images/ab/ab..."

Take = Callable[[str], bool]


def check_owner(
    catalogue: Catalogue, store: ImageStore, folder: Path, *, does_claim: bool
) -> tuple[ImageStore | None, Check]:
    """The store where it is this party's own, else None."""
    try:
        return seal_store(catalogue, store), Check("store", "ok", "It is this party's own.")
    except StoreOwnerError as error:
        if not does_claim:
            return None, Check("store", "error", str(error))
    try:
        note = _keep_claim(catalogue, store, folder)
        text = f"{store.place} is this party's from now on, and refused to any other.{note}"
        return claim_store(catalogue, store), Check("store", "repaired", text)
    except StoreOwnerError as error:
        return None, Check("store", "error", str(error))


def check_store(
    catalogue: Catalogue, folder: Path, store: ImageStore, *, does_repair: bool
) -> Iterator[Check]:
    """The checks of the files in a store that is this party's own."""
    if store.folder is not None and not os.access(store.folder, os.W_OK):
        does_repair = False
        text = (
            f"{store.place} cannot be written here: its disk is mounted read-only, or its folder "
            "is another account's. Photographs are shown, but none can be stored or erased."
        )
        yield Check("access", "error", text)
    with catalogue.reading() as session:
        images = load_image_digests(session)
        named = load_named_digests(session)
        sizes = load_image_sizes(session)
    take: Take = partial(_set_aside, folder, store) if does_repair else lambda _sha256: False
    outcomes = list[tuple[str, Outcome]]()

    def compare_size(sha256: str, data: bytes) -> None:
        size = _read_size(data)
        known = sizes.get(sha256)
        if size is not None and known is not None:
            name = f"{sha256} is {size[0]} x {size[1]}, by its row {known[0]} x {known[1]}"
            outcomes.append((name, size == known))

    yield _check_files("images", "image file", store, images, take, compare_size)
    compared = compare("image file", outcomes, is_right="of the size that the row says")
    if compared.different:
        yield make_check("sizes", compared, "Compare the rows with a backup.")
    if released := named - images:
        yield _check_files("releases", "release file", store, released, take)
    yield _check_orphans(store, named, take)
    if store.folder is not None:
        yield _check_leftovers(store, store.folder, folder, does_repair=does_repair)


def _keep_claim(catalogue: Catalogue, store: ImageStore, folder: Path) -> str:
    """Keep copies of the mark and of the token that a claim replaces; where, as sentences."""
    former = {"mark": (MARK_FILE, store.read_mark())}
    if token := read_token(catalogue):
        former["token"] = ("store-token.txt", f"{token}\n".encode())
    sentences = ""
    for what, (name, data) in former.items():
        if data is not None:
            (folder / SET_ASIDE).mkdir(exist_ok=True)
            copy = folder / SET_ASIDE / f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{name}"
            write_whole(copy, data, mode=0o600)
            sentences += f" A copy of its former {what} is {SET_ASIDE}/{copy.name}."
    return sentences


def _read_size(data: bytes) -> tuple[int, int] | None:
    """The size of a picture, None of what is none."""
    try:
        with Picture.open(BytesIO(data)) as picture:
            return picture.size
    except (UnidentifiedImageError, OSError, ValueError, Picture.DecompressionBombError):
        return None


def _check_files(
    name: str,
    what: str,
    store: ImageStore,
    wanted: set[str],
    take: Take,
    look: Callable[[str, bytes], None] = lambda _sha256, _data: None,
) -> Check:
    """Whether these files are there with the bytes that were stored; `look` gets each of them."""
    missing = list[str]()
    damaged = list[str]()
    unreadable = list[str]()
    for sha256 in sorted(wanted):
        try:
            look(sha256, store.get(sha256))
        except ImageMissingError:
            missing.append(sha256)
        except ImageUnreadableError:  # perhaps not for good, so it stays where it is
            unreadable.append(sha256)
        except ImageDamagedError:
            damaged.append(sha256)
    faults = [f"{sha256} is missing" for sha256 in missing]
    faults += [f"{sha256} cannot be read" for sha256 in unreadable]
    faults += [f"{sha256} is damaged" for sha256 in damaged]
    compared = Compared(
        what=what,
        equal=len(wanted) - len(faults),
        different=tuple(faults),
        is_right="there with the bytes that were stored",
        is_wrong="missing or damaged" if not unreadable else "missing, damaged or unreadable",
    )
    moved = sum(map(take, damaged))
    note = f"The {format_count(moved, 'damaged one')} are in {SET_ASIDE}/ now. " if moved else ""
    return make_check(name, compared, note + _ADVICE)


def _check_orphans(store: ImageStore, named: set[str], take: Take) -> Check:
    """Old files that no row names; only those are taken that this party stored."""
    others = (sha256 for sha256 in store.digests() if sha256 not in named)
    orphans = [sha256 for sha256 in others if _is_old(store.local_path(sha256))]
    if not orphans:
        return Check("orphans", "ok", "Every stored file belongs to an image or a release.")
    stored_here = [sha256 for sha256 in orphans if store.has_note(sha256)]
    moved = sum(map(take, stored_here))
    count = format_count(len(orphans), "file")
    if moved == len(orphans):
        return Check("orphans", "repaired", f"{moved:,} of {count} moved to {SET_ASIDE}/.")
    text = f"{count} in the image store belong to no image."
    if moved:
        text += f" {moved:,} moved to {SET_ASIDE}/."
    if strangers := len(orphans) - len(stored_here):
        text += f" {strangers:,} were not stored by this party, or long ago, and stay."
    return Check("orphans", "warning", text)


def _check_leftovers(store: ImageStore, place: Path, folder: Path, *, does_repair: bool) -> Check:
    """Parts of files of this party whose writing was stopped; no reader looks for their names."""
    parts = [part for part in place.rglob(".*.part") if store.is_own_part(part) and _is_old(part)]
    if not parts:
        return Check("leftovers", "ok", "No write was cut off.")
    count = format_count(len(parts), "part of a file", "parts of files")
    if not does_repair:
        return Check("leftovers", "warning", f"{count} left by stopped writes.")
    for part in parts:
        _move_aside(folder, part)
    text = f"Moved {count} left by stopped writes to {SET_ASIDE}/."
    return Check("leftovers", "repaired", text)


def _set_aside(folder: Path, store: ImageStore, sha256: str) -> bool:
    """Whether the file was moved out of the store; one in an object store is left."""
    path = store.local_path(sha256)
    if path is None or not path.exists():
        return False
    _move_aside(folder, path)
    store.drop_note(sha256)
    return True


def _move_aside(folder: Path, path: Path) -> None:
    """Move a file to `set-aside/`, under a name that is free there."""
    (folder / SET_ASIDE).mkdir(exist_ok=True)
    target = folder / SET_ASIDE / path.name
    number = 1
    while target.exists():  # an earlier one stays
        number += 1
        target = target.with_name(f"{path.name}.{number}")
    shutil.move(path, target)


def _is_old(path: Path | None) -> bool:
    try:
        return path is None or path.stat().st_mtime < time.time() - ORPHAN_SECS
    except FileNotFoundError:
        return False
