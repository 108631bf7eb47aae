"""Deleting stored files: of images that were taken down, and orphans, which no row names.

A file goes first and is noted after, so that the same command completes what was stopped. Nothing
is noted while the store as a whole is away: its files are elsewhere, then.
"""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path

from sqlalchemy import delete, exists, select, update
from sqlalchemy.orm import Session

from catalog.image_store import ImageStore
from catalog.party import LOOKS_FOLDER, PartyData
from catalog.session import Lock, hold
from catalog.states import ImageState
from catalog.stored_files import load_kept, load_named_digests
from catalog.tables import (
    Image,
    Photo,
    Release,
    ReleaseImage,
    Segment,
    Segmentation,
    Signature,
    Suggestion,
)
from collect.rows import slices

log = logging.getLogger(__name__)

ORPHAN_AGE = timedelta(hours=1)
"""Files this old and without a row are orphans: other machines record theirs within minutes."""
MANY_ORPHANS = 1_000
_SLICE = 100
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass
class Erasure:
    """The images of which files were deleted now, and those of which a file was not there.

    It grows while files are deleted. Files of images that were erased before are not expected.
    """

    images_erased: tuple[int, ...] = ()
    images_absent: tuple[int, ...] = ()


def erase_files(
    party: PartyData,
    photo_ids: Iterable[int] | None,
    *,
    at: datetime,
    erasure: Erasure | None = None,
) -> Erasure:
    """What was erased: the images taken down of the photos, or of all photos for None.

    A given `erasure` has what was erased also where an error ends it.

    An image whose file the store does not hold counts as erased too, since nothing is left of it
    there. Raises ImageStoreError where the store as a whole is away.
    """
    with party.catalogue.reading() as session:
        images = _find_taken_down(session, photo_ids)
        files = find_files(session, dict(images))
        erased = set(session.scalars(select(Image.id).where(Image.erased_at.is_not(None))))
    there = {sha256 for sha256 in set().union(*files.values()) if party.store.has(sha256)}
    absent = {
        image_id
        for image_id, _sha256 in images
        if image_id not in erased and files[image_id] - there
    }
    erasure = erasure or Erasure()
    for begin in range(0, len(images), _SLICE):
        some = [image_id for image_id, _sha256 in images[begin : begin + _SLICE]]
        for sha256 in sorted(set().union(*(files[image_id] for image_id in some))):
            party.store.delete(sha256)
        with party.catalogue.writing() as session:
            _erase_rows(session, some, at)
        _erase_looks(party, some)
        erasure.images_erased += tuple(image_id for image_id in some if files[image_id] & there)
        erasure.images_absent += tuple(image_id for image_id in some if image_id in absent)
    _erase_kept(party)
    tidy_store(party, at)
    return erasure


def _erase_rows(session: Session, image_ids: Sequence[int], at: datetime) -> None:
    """Erase what shows the images: small pictures in signatures, and masks."""
    session.execute(delete(Signature).where(Signature.image_id.in_(image_ids)))
    drawings = select(Segmentation.id).where(Segmentation.image_id.in_(image_ids))
    outlines = update(Segment).where(Segment.segmentation_id.in_(drawings))
    session.execute(outlines.values(rings=[]))
    is_mask = Suggestion.image_id.in_(image_ids), Suggestion.mask.is_not(None)
    session.execute(update(Suggestion).where(*is_mask).values(mask=None))
    going = update(Image).where(Image.id.in_(image_ids), Image.erased_at.is_(None))
    session.execute(going.values(erased_at=at))


def _erase_looks(party: PartyData, image_ids: Iterable[int]) -> None:
    """Delete pages of detectors that show any of the images; they can be made anew."""
    for image_id in image_ids:
        for picture in (party.folder / LOOKS_FOLDER).glob(f"*/{image_id}.jpg"):
            shutil.rmtree(picture.parent)


def _erase_kept(party: PartyData) -> None:
    """Delete what accompanied a release and names a photograph that was erased.

    Such a release is written with files made anew, which name the others.
    """
    with party.catalogue.reading() as session:
        named = load_named_digests(session)
        settings = list(session.scalars(select(Release.settings)))
    kept = set().union(*(load_kept(values).values() for values in settings))
    for sha256 in sorted(kept - named):
        party.store.delete(sha256)


def tidy_store(party: PartyData, now: datetime) -> int:
    """How many files were deleted: those of erased images that came again, and orphans."""
    came_again = exists().where(Photo.image_id == Image.id, Photo.fetched_at >= Image.erased_at)
    with party.catalogue.reading() as session:
        wanted = select(Image.sha256).where(Image.erased_at.is_not(None), came_again)
        again = [sha256 for sha256 in session.scalars(wanted) if party.store.has(sha256)]
    for sha256 in again:
        party.store.delete(sha256)
    return len(again) + _sweep_orphans(party, now)


def delete_unwanted(party: PartyData, digests: Collection[str]) -> int:
    """How many of the files were deleted; those that a row names, or others stored, stay."""
    deleted = 0
    for sha256 in sorted(digests):
        with party.catalogue.writing() as session:
            hold(session, Lock.FILES, alone=True)
            named = select(Image.id).where(Image.sha256 == sha256, Image.erased_at.is_(None))
            is_named = session.scalar(named) is not None
            if not is_named and party.store.has_note(sha256) and party.store.has(sha256):
                party.store.delete(sha256)
                deleted += 1
    return deleted


def find_files(session: Session, going: Mapping[int, str]) -> dict[int, set[str]]:
    """The digests of all files of each image, without those that another image still uses."""
    kept = select(Image.sha256, Image.id).where(Image.erased_at.is_(None))
    image_ids = {sha256: image_id for image_id, sha256 in going.items()}
    image_ids |= dict(session.execute(kept).tuples().all())
    used_by = {sha256: {image_id} for sha256, image_id in image_ids.items()}
    for settings in session.scalars(select(Release.settings)):
        for sha256, copy in settings.get("encoded", {}).items():
            if sha256 in image_ids:
                used_by.setdefault(copy, set()).add(image_ids[sha256])
    known = set(image_ids.values())
    for image_id, digest in _load_masks(session):
        if image_id in known:
            used_by.setdefault(digest, set()).add(image_id)
    files: dict[int, set[str]] = {image_id: set() for image_id in going}
    for digest, users in used_by.items():
        if users <= going.keys():
            for image_id in users:
                files[image_id].add(digest)
    return files


def _sweep_orphans(party: PartyData, now: datetime) -> int:
    """How many orphans were deleted from a store that is a folder: files with this party's note."""
    if party.store.folder is None:  # listing an object store takes minutes, and they cost little
        return 0
    before = (now - ORPHAN_AGE).timestamp()
    orphans = list[str]()
    strangers = 0
    with party.catalogue.reading() as session:
        named = load_named_digests(session)
    for folder in sorted(party.store.folder.glob("[0-9a-f][0-9a-f]")):
        swept, others = _tidy_folder(party.store, folder, named, before)
        orphans += swept
        strangers += others
    if strangers > max(MANY_ORPHANS, len(named)):
        log.warning(
            "%s holds %d files that this catalogue does not name; is it another party's? "
            "None of them was deleted.",
            party.store.folder,
            strangers,
        )
    return delete_unwanted(party, orphans)


def _tidy_folder(
    store: ImageStore, folder: Path, named: set[str], before: float
) -> tuple[list[str], int]:
    """The old files without a row that this party stored, and how many others there are.

    What its own stopped writes left is deleted; notes of files with a row have done their work.
    """
    names = sorted(path.name for path in folder.iterdir())
    notes = store.find_notes(names)
    for path in (folder / name for name in names):
        if store.is_own_part(path) and _is_older(path, before):
            path.unlink(missing_ok=True)
    present = set(filter(_DIGEST.fullmatch, names))
    for sha256, note in notes.items():
        if sha256 in named or (sha256 not in present and _is_older(folder / note, before)):
            store.drop_note(sha256)
    old = [name for name in sorted(present - named) if _is_older(folder / name, before)]
    orphans = [name for name in old if name in notes]
    return orphans, len(old) - len(orphans)


def _is_older(path: Path, than_secs: float) -> bool:
    try:
        return path.stat().st_mtime < than_secs
    except FileNotFoundError:  # another process was faster
        return False


def _load_masks(session: Session) -> Iterator[tuple[int, str]]:
    """The images and digests of all masks."""
    wanted = select(ReleaseImage.image_id, ReleaseImage.form).where(ReleaseImage.form.is_not(None))
    for image_id, form in session.execute(wanted.execution_options(yield_per=500)).tuples():
        for digest in (form or {}).get("masks", {}).values():
            yield image_id, digest


def _find_taken_down(session: Session, photo_ids: Iterable[int] | None) -> list[tuple[int, str]]:
    wanted = select(Image.id, Image.sha256).where(Image.state == ImageState.TAKEN_DOWN)
    if photo_ids is None:
        return sorted(session.execute(wanted).tuples())
    some = (select(Photo.image_id).where(condition) for condition in slices(Photo.id, photo_ids))
    rows = (session.execute(wanted.where(Image.id.in_(ids))).tuples() for ids in some)
    return sorted(set(chain.from_iterable(rows)))
