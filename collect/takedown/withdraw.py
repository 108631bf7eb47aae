"""Withdrawing photographs: which ones are meant, what goes with them, and doing it.

What was taken down stays down: there is no step back from `withdrawn` or `taken_down`. A lease on
an image that goes is left to run out; whoever holds it is told so by their next save, which is kept
beside. The table of leases is annotate_ui's, and it asks for the image's state itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from catalog.states import ImageState, PhotoState, Source
from catalog.tables import Image, Photo, Release, ReleaseImage
from catalog.transitions import count_changed, move_image
from collect.errors import CollectError

_SLICE = 500


class TakedownError(CollectError):
    """What was to be taken down is not what was expected; nothing was changed."""


@dataclass(frozen=True)
class WithdrawnPhoto:
    """One photo to be withdrawn, as it is shown to whoever asked."""

    id: int
    source: Source
    source_id: str
    owner_id: str | None
    title: str | None
    page_url: str | None
    image_id: int | None


@dataclass(frozen=True)
class TakedownPlan:
    """What goes and what stays: photos, images without any other photo, images with one.

    `releases` are the releases that hold an image that goes; they list it as withdrawn from now on.
    `owners_blocked` are left out from now on; `images_erased` lost their files.
    """

    photos: tuple[WithdrawnPhoto, ...]
    images_taken_down: tuple[int, ...]
    images_shared: tuple[int, ...]
    releases: tuple[str, ...]
    owners_blocked: tuple[str, ...] = ()
    images_erased: tuple[int, ...] = ()


def plan_takedown(session: Session, photo_ids: Iterable[int]) -> TakedownPlan:
    """What a takedown of these photos would do now; those withdrawn before are left out."""
    photos = _load_photos(session, photo_ids)
    image_ids = sorted({it.image_id for it in photos if it.image_id is not None})
    down = {
        image_id
        for image_id, state in _load_states(session, image_ids)
        if state is ImageState.TAKEN_DOWN
    }
    shared = _find_shared(session, image_ids, {photo.id for photo in photos})
    going = [image_id for image_id in image_ids if image_id not in shared | down]
    return TakedownPlan(
        photos=tuple(photos),
        images_taken_down=tuple(going),
        images_shared=tuple(sorted(shared - down)),
        releases=tuple(_find_releases(session, going)),
    )


def take_down(
    session: Session, photo_ids: Iterable[int], *, reason: str, at: datetime
) -> TakedownPlan:
    """What was withdrawn: in one transaction all of it, whatever state it was in."""
    photo_ids = sorted(photo_ids)
    # The images first and in order, so that a save or a second takedown waits, never both ways.
    _lock_images(session, photo_ids)
    plan = plan_takedown(session, photo_ids)
    for some_ids in _slices([photo.id for photo in plan.photos]):
        session.execute(
            update(Photo)
            .where(Photo.id.in_(some_ids))
            .values(
                state=PhotoState.WITHDRAWN, reason=reason, claimed_by=None, claimed_until_at=None
            )
        )
    for image_id, state in _load_states(session, plan.images_taken_down):
        enters = ImageState.TAKEN_DOWN
        is_moved = move_image(session, image_id, state, enters, at=at, reason=reason)
        assert is_moved, "the row is locked, and its state was read"
    return plan


def relicense(session: Session, photo_id: int, licence_id: str, name: str, url: str) -> bool:
    """Whether a photo that is still kept has that licence now."""
    statement = (
        update(Photo)
        .where(Photo.id == photo_id, Photo.state == PhotoState.FETCHED)
        .values(licence_id=licence_id, licence_name=name, licence_url=url)
    )
    return count_changed(session, statement) == 1


def _load_photos(session: Session, photo_ids: Iterable[int]) -> list[WithdrawnPhoto]:
    columns = (
        Photo.id,
        Photo.source,
        Photo.source_id,
        Photo.owner_id,
        Photo.title,
        Photo.page_url,
        Photo.image_id,
    )
    return [
        WithdrawnPhoto(*row)
        for some_ids in _slices(sorted(photo_ids))
        for row in session.execute(
            select(*columns)
            .where(Photo.id.in_(some_ids), Photo.state != PhotoState.WITHDRAWN)
            .order_by(Photo.id)
        )
    ]


def _lock_images(session: Session, photo_ids: Sequence[int]) -> None:
    for some_ids in _slices(photo_ids):
        image_ids = select(Photo.image_id).where(Photo.id.in_(some_ids))
        session.execute(
            select(Image.id).where(Image.id.in_(image_ids)).order_by(Image.id).with_for_update()
        ).all()


def _load_states(session: Session, image_ids: Sequence[int]) -> list[tuple[int, ImageState]]:
    return [
        (image_id, state)
        for some_ids in _slices(image_ids)
        for image_id, state in session.execute(
            select(Image.id, Image.state).where(Image.id.in_(some_ids)).order_by(Image.id)
        )
    ]


def _find_shared(session: Session, image_ids: Sequence[int], going: set[int]) -> set[int]:
    """The images that a photo which stays has too."""
    return {
        image_id
        for some_ids in _slices(image_ids)
        for photo_id, image_id in session.execute(
            select(Photo.id, Photo.image_id).where(
                Photo.image_id.in_(some_ids), Photo.state != PhotoState.WITHDRAWN
            )
        )
        if photo_id not in going
    }


def _find_releases(session: Session, image_ids: Sequence[int]) -> list[str]:
    found = {
        name
        for some_ids in _slices(image_ids)
        for name in session.scalars(
            select(Release.name)
            .join(ReleaseImage, ReleaseImage.release_id == Release.id)
            .where(ReleaseImage.image_id.in_(some_ids))
            .distinct()
        )
    }
    return sorted(found)


def _slices(ids: Sequence[int]) -> list[Sequence[int]]:
    return [ids[at : at + _SLICE] for at in range(0, len(ids), _SLICE)]
