"""Deleting the stored files of images that were taken down; their rows stay as tombstones.

With an image's own file go the copies of it that releases hold, and its masks. A file goes first
and is noted after, so that a stop in between is mended by the same command.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from sqlalchemy import delete, exists, select, update
from sqlalchemy.orm import Session

from catalog.file_lock import keep_rows_away
from catalog.party import Party
from catalog.states import ImageState, PhotoState
from catalog.tables import Image, Photo, Signature
from collect.unrecorded import Note, Unrecorded, open_notes

from .files import find_files

_SLICE = 100
_LOST = (PhotoState.GONE, PhotoState.BROKEN, PhotoState.WITHDRAWN)
_WAITING = (PhotoState.FOUND,)


def erase_files(party: Party, photo_ids: Iterable[int] | None, *, at: datetime) -> tuple[int, ...]:
    """The images whose files were deleted: those taken down of the photos, or None for all.

    An image that is not taken down keeps its files: another photo stands on it. Raises
    ImageStoreError, and what was deleted before is noted.
    """
    with party.catalogue.reading() as session:
        images = _find_taken_down(session, photo_ids)
        files = find_files(session, dict(images))
    present = [one for one, _sha256 in images if any(map(party.store.has, files[one]))]
    for begin in range(0, len(images), _SLICE):
        some = [image_id for image_id, _sha256 in images[begin : begin + _SLICE]]
        for sha256 in sorted(set().union(*(files[image_id] for image_id in some))):
            party.store.delete(sha256)
        with party.catalogue.writing() as session:
            _note(session, some, at)
    erase_again(party)
    return tuple(present)


def erase_again(party: Party) -> int:
    """How many files were deleted that came back, or came late.

    Back: of erased images whose very bytes came again. A photograph that is found anew under
    another id is stored before anybody knows its digest. Late: of photos that were withdrawn while
    they were being fetched, or given up because the collector ended each time, so that only a note
    leads to the file.
    """
    notes = open_notes(party.folder)
    came_again = exists().where(Photo.image_id == Image.id, Photo.fetched_at >= Image.erased_at)
    with party.catalogue.reading() as session:
        wanted = select(Image.sha256).where(Image.erased_at.is_not(None), came_again)
        again = set(session.scalars(wanted))
        noted = notes.load()
        lost, waiting = _find_noted(session, noted, _LOST), _find_noted(session, noted, _WAITING)
        late = {note.picture.sha256 for note in noted if note.photo_id in lost} - again
        late -= _find_wanted(session, noted, lost, late)
    present = [sha256 for sha256 in sorted(again | late) if party.store.has(sha256)]
    deleted = 0
    for sha256 in present:
        if sha256 in late:
            deleted += _delete_late(party, notes, lost, sha256)
        else:
            party.store.delete(sha256)
            deleted += 1
    notes.remove_settled({note.photo_id for note in noted} - waiting)
    return deleted


def _delete_late(party: Party, notes: Unrecorded, lost: Collection[int], sha256: str) -> bool:
    """Whether a file was deleted: not where it is wanted by now.

    Whoever stores the same bytes finds the file there already. On this machine a note tells of it,
    which is left before; of others the row does, or they find the file gone when they record it.
    """
    with party.catalogue.writing() as session:
        keep_rows_away(session)
        is_wanted = bool(_find_wanted(session, notes.load(), lost, {sha256}))
        if not is_wanted:
            party.store.delete(sha256)
    return not is_wanted


def _find_wanted(
    session: Session, notes: Sequence[Note], lost: Collection[int], digests: set[str]
) -> set[str]:
    """Which of the files an image has, or the note of a photo that is not lost names."""
    noted = {note.picture.sha256 for note in notes if note.photo_id not in lost}
    has_it = Image.sha256.in_(sorted(digests)), Image.erased_at.is_(None)
    return digests & noted | set(session.scalars(select(Image.sha256).where(*has_it)))


def _find_noted(session: Session, notes: Sequence[Note], states: Sequence[PhotoState]) -> set[int]:
    """The ids of the photos in these states that the notes name."""
    ids, found = sorted({note.photo_id for note in notes}), set[int]()
    for begin in range(0, len(ids), _SLICE):
        some = Photo.id.in_(ids[begin : begin + _SLICE])
        found |= set(session.scalars(select(Photo.id).where(some, Photo.state.in_(states))))
    return found


def _find_taken_down(session: Session, photo_ids: Iterable[int] | None) -> list[tuple[int, str]]:
    wanted = (
        select(Image.id, Image.sha256)
        .where(Image.state == ImageState.TAKEN_DOWN)
        .order_by(Image.id)
    )
    if photo_ids is None:
        return list(session.execute(wanted).tuples())
    ids, found = sorted(photo_ids), set()
    for begin in range(0, len(ids), _SLICE):
        of_photos = select(Photo.image_id).where(Photo.id.in_(ids[begin : begin + _SLICE]))
        found |= set(session.execute(wanted.where(Image.id.in_(of_photos))).tuples())
    return sorted(found)


def _note(session: Session, image_ids: Sequence[int], at: datetime) -> None:
    """The signature holds a small picture, so it goes too."""
    session.execute(delete(Signature).where(Signature.image_id.in_(image_ids)))
    session.execute(
        update(Image).where(Image.id.in_(image_ids), Image.erased_at.is_(None)).values(erased_at=at)
    )
