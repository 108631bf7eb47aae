"""Decisions about near-duplicates as rows: who may be put aside, who was, who comes back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Any, TypeVar

from numpy.typing import NDArray
from sqlalchemy import Row, exists, or_, select, update
from sqlalchemy.orm import Session, aliased

from catalog.locks import lock_images
from catalog.sentences import say
from catalog.session import in_parts
from catalog.states import ImageState
from catalog.tables import Annotation, Duplicate, Image, Lease, PairLabel, Photo, Signature
from catalog.transitions import move_image

from .clusters import Candidate, Removal, Size, count_flaws, licence_rank
from .pairs import BY_PERSON, Pair, Relation, tie_by_third

COUNTED = (
    ImageState.HASHED,
    ImageState.POOL,
    ImageState.ANNOTATING,
    ImageState.ANNOTATED,
    ImageState.DISCARDED,  # its annotator may think again
    ImageState.CHECKING,
    ImageState.RETURNED,
    ImageState.CHECKED,
    ImageState.RELEASED,
)
"""The states of images that count in the search: in a release, or they may still get into one."""

DISPLACEABLE = (ImageState.HASHED, ImageState.POOL)
"""The states in which an image may be put aside, as long as it has not been worked on."""

SOME = 200
"""So many rows go into one statement or transaction; a page that saves waits less than a second."""
S = TypeVar("S", bound=Sequence[Any] | NDArray[Any])


def load_candidates(
    session: Session,
    image_ids: Iterable[int],
    pairs: Iterable[Pair] = (),
    min_quality: float = 0.0,
    *,
    is_locked: bool = True,
) -> list[Candidate]:
    """What decides about each of the images that still stand, locked until the session ends or not.

    The pairs tell which of them are copies of which; those of less quality are plain.
    """
    candidates: dict[int, Candidate] = {}
    sizes: dict[int, Size] = {}
    for some_ids in slices(sorted(image_ids)):
        for candidate, size in _load_some_candidates(session, some_ids, min_quality, is_locked):
            candidates[candidate.image_id] = candidate
            sizes[candidate.image_id] = size
    flaws = count_flaws(pairs, sizes)
    return [
        replace(candidate, flaws=flaws.get(candidate.image_id, 0))
        for candidate in candidates.values()
    ]


def load_representatives(session: Session) -> dict[int, int]:
    """For each image that was put aside the one that was kept for it."""
    rows = session.execute(
        select(Duplicate.image_id, Duplicate.kept_image_id)
        .join(Image, Image.id == Duplicate.image_id)
        .where(Image.state == ImageState.DUPLICATE)
        .where(Duplicate.relation == Relation.DUPLICATE, Duplicate.undone_at.is_(None))
        .order_by(Duplicate.id)
    )
    return {image_id: kept_id for image_id, kept_id in rows}  # noqa: C416  rows are no pairs


def load_former_kept(session: Session, image_ids: Iterable[int]) -> defaultdict[int, set[int]]:
    """For each of these images those that it was ever put aside for, and that no person parted."""
    former: defaultdict[int, set[int]] = defaultdict(set)
    are_two = (Duplicate.image_id, Duplicate.kept_image_id)
    is_parted = exists().where(
        PairLabel.undone_at.is_(None),
        PairLabel.verdict == "different",
        PairLabel.first_image_id.in_(are_two),
        PairLabel.second_image_id.in_(are_two),
    )
    for some_ids in slices(sorted(image_ids)):
        statement = select(*are_two).where(
            Duplicate.image_id.in_(some_ids), Duplicate.relation == Relation.DUPLICATE, ~is_parted
        )
        for image_id, kept_id in session.execute(statement):
            former[image_id].add(kept_id)
    return former


def save_removal(
    session: Session, removal: Removal, *, at: datetime, person_id: int | None = None
) -> bool:
    """Whether the image was put aside by this; its row then says for which one, and why."""
    ids = removal.image_id, removal.kept_image_id
    is_moved = _put_aside(session, *ids, at)
    if is_moved:
        _save(session, *ids, removal.pair, at, person_id)
    return is_moved


def save_ties(session: Session, removal: Removal, *, at: datetime) -> int:
    """How many images were linked to the kept one because they were linked to the removed one."""
    rows = session.execute(
        select(Duplicate.image_id, Duplicate.kept_image_id).where(
            or_(
                Duplicate.image_id == removal.image_id, Duplicate.kept_image_id == removal.image_id
            ),
            Duplicate.undone_at.is_(None),
            Duplicate.relation != Relation.DUPLICATE,
        )
    ).all()
    others = {image_id for row in rows for image_id in row} - {
        removal.image_id,
        removal.kept_image_id,
    }
    return sum(
        save_link(session, tie_by_third(other, removal.kept_image_id), at=at)
        for other in sorted(others)
    )


def move_copies(session: Session, kept_id: int, image_id: int, *, at: datetime) -> None:
    """Let the image stand for what was put aside for another one."""
    rows = session.scalars(
        select(Duplicate)
        .where(Duplicate.kept_image_id == kept_id, Duplicate.image_id != image_id)
        .where(Duplicate.relation == Relation.DUPLICATE, Duplicate.undone_at.is_(None))
        .order_by(Duplicate.id)
    ).all()
    for row in rows:
        row.undone_at = at
        first_id, second_id = sorted((row.image_id, image_id))
        pair = Pair(first_id, second_id, Relation.DUPLICATE, 0.0, how=BY_PERSON)
        _save(session, row.image_id, image_id, pair, at, row.person_id)


def save_link(session: Session, pair: Pair, *, at: datetime, person_id: int | None = None) -> bool:
    """Whether this linked two images that both stay; they may be linked already.

    Of a collage and an image in it, the collage is the row's image; of others the later one.
    """
    if find_decision(session, *pair.ids) is not None:
        return False
    ids = pair.ids[::-1]
    evidence = pair.evidence
    if pair.relation is Relation.COLLAGE and evidence is not None:
        is_first_larger = evidence.covered_first < evidence.covered_second
        ids = pair.ids if is_first_larger else ids
    _save(session, *ids, pair, at, person_id)
    return True


def find_decision(session: Session, image_id: int, other_id: int) -> Duplicate | None:
    """The row that holds for the two, whichever of them was put aside, or None."""
    both = (image_id, other_id)
    return session.scalar(
        select(Duplicate)
        .where(Duplicate.image_id.in_(both), Duplicate.kept_image_id.in_(both))
        .where(Duplicate.undone_at.is_(None))
        .order_by(Duplicate.id)
    )


def undo_decision(session: Session, row: Duplicate, *, at: datetime) -> None:
    """Make the row hold no longer; what was put aside by it is to be matched anew."""
    row.undone_at = at
    session.flush()
    if row.relation == Relation.DUPLICATE:
        move_image(session, row.image_id, ImageState.DUPLICATE, ImageState.HASHED, at=at)


def restore_decision(
    session: Session,
    ids: tuple[int, int],
    relation: Relation,
    *,
    at: datetime,
    kept_id: int | None = None,
) -> bool:
    """Whether what had been decided last about the two in this way, and was undone, holds again.

    It is the decision by which `kept_id` is kept, where one is given. A near-duplicate that people
    have worked on meanwhile stays where it is.
    """
    kept_ids = ids if kept_id is None else (kept_id,)
    row = session.scalar(
        select(Duplicate)
        .where(Duplicate.image_id.in_(ids), Duplicate.kept_image_id.in_(kept_ids))
        .where(Duplicate.relation == relation, Duplicate.undone_at.is_not(None))
        .order_by(Duplicate.undone_at.desc(), Duplicate.id.desc())
    )
    if row is None:
        return False
    if relation is Relation.DUPLICATE:
        fixed = {
            candidate.image_id: candidate.is_fixed for candidate in load_candidates(session, ids)
        }
        if len(fixed) < 2 or fixed[row.image_id]:
            return False
        if not _put_aside(session, row.image_id, row.kept_image_id, at):
            return False
    row.undone_at = None
    row.decided_at = at
    session.flush()
    return True


def free_orphans(session: Session, *, at: datetime) -> int:
    """How many images are to be matched anew because the one they were put aside for is gone."""
    kept = aliased(Image)
    orphans = session.execute(
        select(Duplicate.id, Image.id)
        .join(Image, Image.id == Duplicate.image_id)
        .join(kept, kept.id == Duplicate.kept_image_id)
        .where(Image.state == ImageState.DUPLICATE, kept.state.not_in(COUNTED))
        .where(Duplicate.relation == Relation.DUPLICATE, Duplicate.undone_at.is_(None))
        .order_by(Image.id)
        .limit(SOME)
    ).all()
    undone = Duplicate.id.in_([duplicate_id for duplicate_id, _ in orphans])
    session.execute(update(Duplicate).where(undone).values(undone_at=at))
    return sum(
        move_image(session, image_id, ImageState.DUPLICATE, ImageState.HASHED, at=at)
        for _, image_id in orphans
    )


def _put_aside(session: Session, image_id: int, kept_image_id: int, at: datetime) -> bool:
    reason = say("near-duplicate of image {image_id}", image_id=kept_image_id)
    return any(
        move_image(session, image_id, state, ImageState.DUPLICATE, at=at, reason=reason)
        for state in DISPLACEABLE
    )


def _load_some_candidates(
    session: Session, image_ids: Sequence[int], min_quality: float, is_locked: bool
) -> Iterator[tuple[Candidate, Size]]:
    image_columns = Image.id, Image.state, Image.width, Image.height, Image.quality
    columns = *image_columns, Signature.real_px, Signature.jpeg_quality
    standing = (
        select(*columns, Photo.uploaded_at, Photo.licence_url, Photo.licence_name)
        .outerjoin(Signature, Signature.image_id == Image.id)
        .outerjoin(Photo, Photo.image_id == Image.id)
        .where(Image.id.in_(image_ids), Image.state.in_(COUNTED))
        .order_by(Image.id, Photo.id)
    )
    if is_locked:
        lock_images(session, image_ids)
    rows = session.execute(standing).all()
    touched = _load_touched(session, image_ids)  # read once the images are locked
    for image_id, photos in groupby(rows, key=lambda row: row.id):
        yield _make_candidate(list(photos), min_quality, is_touched=image_id in touched)


def _load_touched(session: Session, image_ids: Sequence[int]) -> set[int]:
    """Those of the images that someone drew in or has in hand."""
    return {
        image_id
        for column in (Annotation.image_id, Lease.image_id)
        for image_id in session.scalars(select(column).where(column.in_(image_ids)).distinct())
    }


def _make_candidate(
    photos: Sequence[Row[Any]], min_quality: float, *, is_touched: bool
) -> tuple[Candidate, Size]:
    """What decides about an image, and its size, from a row for each of its photos."""
    image = photos[0]
    uploads = [photo.uploaded_at for photo in photos if photo.uploaded_at is not None]
    area_px = image.width * image.height
    candidate = Candidate(
        image_id=image.id,
        uploaded_at=min(uploads, default=None),
        licence_rank=min(licence_rank(photo.licence_url, photo.licence_name) for photo in photos),
        is_fixed=image.state not in DISPLACEABLE or is_touched,
        jpeg_quality=100.0 if image.jpeg_quality is None else image.jpeg_quality,
        real_px=image.real_px or area_px,
        is_plain=image.quality is not None and image.quality < min_quality,
    )
    return candidate, Size(area_px, image.real_px or 0)


def _save(
    session: Session,
    image_id: int,
    kept_image_id: int,
    pair: Pair,
    at: datetime,
    person_id: int | None,
) -> None:
    """Keep a decision in the row of the two, an old one that was undone or a new one."""
    ids = Duplicate.image_id == image_id, Duplicate.kept_image_id == kept_image_id
    row = session.scalar(select(Duplicate).where(*ids))
    row = row or Duplicate(image_id=image_id, kept_image_id=kept_image_id)
    row.relation = pair.relation
    row.doubt = pair.doubt
    row.person_id = person_id
    row.decided_how = pair.how
    row.decided_at = at
    row.undone_at = None
    measures = pair.list_measures()
    if measures is not None:  # else what was measured before stays
        row.similarity = pair.similarity
        row.evidence = measures
    statement = select(Image.phash_64, Image.phash_256).where(Image.id.in_(pair.ids))
    columns = zip(*session.execute(statement).all(), strict=True)
    hashes = ([int(text, 16) for text in column if text] for column in columns)
    row.distance_64_bits, row.distance_256_bits = (
        (both[0] ^ both[1]).bit_count() if len(both) == 2 else None for both in hashes
    )
    session.add(row)
    session.flush()


def slices(values: S) -> Iterator[S]:
    """The values in parts that one statement or transaction takes."""
    return in_parts(values, SOME)
