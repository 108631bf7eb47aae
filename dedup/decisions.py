"""Decisions about near-duplicates as rows: who may be put aside, who was, who comes back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session, aliased

from catalog.states import ImageState
from catalog.tables import Annotation, Duplicate, Image, Lease, Photo
from catalog.transitions import move_image

from .clusters import Candidate, Removal
from .licences import UNKNOWN_RANK, licence_rank
from .rows import STANDING

DISPLACEABLE = (ImageState.HASHED, ImageState.POOL)
RELATION = "duplicate"
MOST_VALUES = 500  # in one IN list
_NO_PHOTO: tuple[datetime | None, int] = (None, UNKNOWN_RANK)


def load_candidates(session: Session, image_ids: Iterable[int]) -> list[Candidate]:
    """What decides about each of the images that still stand, locked until the session ends."""
    return [
        candidate
        for some_ids in _slices(sorted(image_ids))
        for candidate in _load_some_candidates(session, some_ids)
    ]


def save_removal(session: Session, removal: Removal, *, how: str, at: datetime) -> bool:
    """Whether the image was put aside by this; its row then says for which one and how near."""
    reason = f"near-duplicate of image {removal.kept_image_id}"
    is_moved = any(
        move_image(session, removal.image_id, state, ImageState.DUPLICATE, at=at, reason=reason)
        for state in DISPLACEABLE
    )
    if is_moved:
        row = _find_row(session, removal) or Duplicate(
            image_id=removal.image_id, kept_image_id=removal.kept_image_id
        )
        row.relation, row.decided_how, row.person_id = RELATION, how, None
        row.distance_64_bits = removal.distance_64_bits
        row.distance_256_bits = removal.distance_256_bits
        row.decided_at, row.undone_at = at, None
        session.add(row)
        session.flush()
    return is_moved


def admit_images(session: Session, image_ids: Iterable[int], *, at: datetime) -> int:
    """How many hashed images went into the pool by this."""
    return sum(
        move_image(session, image_id, ImageState.HASHED, ImageState.POOL, at=at)
        for image_id in sorted(image_ids)
    )


def free_orphans(session: Session, *, at: datetime) -> int:
    """How many images are to be matched anew because the one they were put aside for is gone."""
    kept = aliased(Image)
    orphans = session.execute(
        select(Duplicate.id, Image.id)
        .join(Image, Image.id == Duplicate.image_id)
        .join(kept, kept.id == Duplicate.kept_image_id)
        .where(Image.state == ImageState.DUPLICATE, kept.state.not_in(STANDING))
        .where(Duplicate.relation == RELATION, Duplicate.undone_at.is_(None))
        .order_by(Image.id)
        .limit(MOST_VALUES)
    ).all()
    for duplicate_id, _image_id in orphans:
        session.execute(update(Duplicate).where(Duplicate.id == duplicate_id).values(undone_at=at))
    return sum(
        move_image(session, image_id, ImageState.DUPLICATE, ImageState.HASHED, at=at)
        for _duplicate_id, image_id in orphans
    )


def _load_some_candidates(session: Session, image_ids: Sequence[int]) -> list[Candidate]:
    images = session.execute(
        select(Image.id, Image.state, Image.width, Image.height)
        .where(Image.id.in_(image_ids), Image.state.in_(STANDING))
        .order_by(Image.id)
        .with_for_update()
    ).all()
    touched = _load_touched(session, image_ids)
    photos = _load_photos(session, image_ids)
    return [
        Candidate(
            image_id=image_id,
            area_px=width * height,
            uploaded_at=photos.get(image_id, _NO_PHOTO)[0],
            licence_rank=photos.get(image_id, _NO_PHOTO)[1],
            is_fixed=state not in DISPLACEABLE or image_id in touched,
        )
        for image_id, state, width, height in images
    ]


def _load_touched(session: Session, image_ids: Sequence[int]) -> set[int]:
    """The images that somebody holds or has ever saved something about."""
    return {
        image_id
        for column in (Annotation.image_id, Lease.image_id)
        for image_id in session.scalars(select(column).where(column.in_(image_ids)).distinct())
    }


def _load_photos(
    session: Session, image_ids: Sequence[int]
) -> dict[int, tuple[datetime | None, int]]:
    """For each image the earliest upload and the freest licence of its photos."""
    found: dict[int, tuple[datetime | None, int]] = {}
    rows = session.execute(
        select(Photo.image_id, Photo.uploaded_at, Photo.licence_url, Photo.licence_name)
        .where(Photo.image_id.in_(image_ids))
        .order_by(Photo.id)
    )
    for image_id, uploaded_at, url, name in rows:
        assert image_id is not None
        earliest, freest = found.get(image_id, _NO_PHOTO)
        moments = [moment for moment in (earliest, uploaded_at) if moment is not None]
        found[image_id] = (min(moments, default=None), min(freest, licence_rank(url, name)))
    return found


def _find_row(session: Session, removal: Removal) -> Duplicate | None:
    return session.scalar(
        select(Duplicate).where(
            Duplicate.image_id == removal.image_id,
            Duplicate.kept_image_id == removal.kept_image_id,
        )
    )


def _slices(values: Sequence[int]) -> Iterator[Sequence[int]]:
    return (values[at : at + MOST_VALUES] for at in range(0, len(values), MOST_VALUES))
