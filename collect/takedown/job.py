"""Withdrawing photographs, the job of `vocparty takedown`: what goes with them, and doing it.

What was taken down stays down: there is no step back from `withdrawn` or `taken_down`. A lease on
an image that goes is left to run out; its holder is told so by their next save, which is kept
as well. The table of leases is annotate_ui's, and it asks for the image's state itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, Select, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from catalog.party import Party
from catalog.states import ImageState, PhotoState, Source
from catalog.tables import Image, Photo, Release, ReleaseImage
from catalog.transitions import move_image
from collect.caps import block_owners, load_blocks, lock_caps
from collect.query_yield import recount_yields
from collect.rows import slices

from .erase import erase_files
from .targets import find_photo_ids

REASON = "takedown"
"""The word that a reason starts with, so that reports can count by it."""


@dataclass(frozen=True)
class TakedownOrder:
    """Which photos, whose, why, and whether the files go too."""

    photos: tuple[str, ...]
    owners: tuple[str, ...]
    reason: str
    erase: bool = False

    @property
    def owner_ids(self) -> tuple[str, ...]:
        """The owners, as their ids are written."""
        return tuple(owner.strip() for owner in self.owners)


@dataclass(frozen=True)
class WithdrawnPhoto:
    """One photo to be withdrawn, as it is shown to the organiser."""

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


def plan_order(party: Party, order: TakedownOrder) -> TakedownPlan:
    """What the order would do now; nothing is changed. Raises TakedownError."""
    with party.catalogue.reading() as session:
        plan = _plan(session, find_photo_ids(session, order.photos, order.owner_ids))
        blocked = load_blocks(session, order.owner_ids)
    return replace(plan, owners_blocked=tuple(sorted(set(order.owner_ids) - set(blocked))))


def run_order(
    party: Party, order: TakedownOrder, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> TakedownPlan:
    """What was withdrawn, all of it in one transaction. Raises TakedownError, and then nothing.

    Files are deleted after that; ImageStoreError says that some are left, for the same call again.
    """
    reason, at = f"{REASON}: {order.reason}", now()
    with party.catalogue.writing() as session:
        if order.owners:
            lock_caps(session)  # no draw goes on that has not seen the block
        photo_ids = find_photo_ids(session, order.photos, order.owner_ids)
        blocked = load_blocks(session, order.owner_ids)
        block_owners(session, order.owner_ids, reason=reason, at=at)
        plan = take_down(session, photo_ids, reason=reason, at=at)
    recount_yields(party)
    return replace(
        plan,
        owners_blocked=tuple(sorted(set(order.owner_ids) - set(blocked))),
        images_erased=erase_files(party, photo_ids, at=now()) if order.erase else (),
    )


def take_down(
    session: Session, photo_ids: Iterable[int], *, reason: str, at: datetime
) -> TakedownPlan:
    """What was withdrawn: in one transaction all of it, whatever state it was in."""
    photo_ids = sorted(photo_ids)
    # The images first and in order, so that a save or a second takedown waits, never both ways.
    for is_some in slices(Photo.id, photo_ids):
        of_photos = Image.id.in_(select(Photo.image_id).where(is_some))
        session.execute(select(Image.id).where(of_photos).order_by(Image.id).with_for_update())
    plan = _plan(session, photo_ids)
    values = {
        "state": PhotoState.WITHDRAWN,
        "reason": reason,
        "claimed_by": None,
        "claimed_until_at": None,
    }
    for is_some in slices(Photo.id, [photo.id for photo in plan.photos]):
        session.execute(update(Photo).where(is_some).values(values))
    for image_id, state in _load_states(session, plan.images_taken_down):
        enters = ImageState.TAKEN_DOWN
        is_moved = move_image(session, image_id, state, enters, at=at, reason=reason)
        assert is_moved, "the row is locked, and its state was read"
    return plan


def _plan(session: Session, photo_ids: Iterable[int]) -> TakedownPlan:
    """What a takedown of these photos would do now; those withdrawn before are left out."""
    columns = (getattr(Photo, name) for name in WithdrawnPhoto.__dataclass_fields__)
    stays = Photo.state != PhotoState.WITHDRAWN
    wanted = select(*columns).where(stays).order_by(Photo.id)
    photos = [WithdrawnPhoto(*row) for row in _load(session, wanted, Photo.id, photo_ids)]
    image_ids = {it.image_id for it in photos if it.image_id is not None}
    states = _load_states(session, image_ids)
    down = {image_id for image_id, state in states if state is ImageState.TAKEN_DOWN}
    having = _load(
        session, select(Photo.id, Photo.image_id).where(stays), Photo.image_id, image_ids
    )
    ids = {photo.id for photo in photos}
    shared = {image_id for photo_id, image_id in having if photo_id not in ids}
    going = sorted(image_ids - shared - down)
    releases = select(Release.name).join(ReleaseImage, ReleaseImage.release_id == Release.id)
    held = _load(session, releases.distinct(), ReleaseImage.image_id, going)
    return TakedownPlan(
        photos=tuple(photos),
        images_taken_down=tuple(going),
        images_shared=tuple(sorted(shared - down)),
        releases=tuple(sorted({name for (name,) in held})),
    )


def _load_states(session: Session, image_ids: Collection[int]) -> list[Row[Any]]:
    wanted = select(Image.id, Image.state).order_by(Image.id)
    return list(_load(session, wanted, Image.id, image_ids))


def _load(
    session: Session, wanted: Select[Any], column: InstrumentedAttribute[Any], ids: Iterable[int]
) -> Iterator[Row[Any]]:
    """The wanted rows whose column has one of the ids, however many there are."""
    for is_some in slices(column, ids):
        yield from session.execute(wanted.where(is_some))
