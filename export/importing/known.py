"""What the party knows already of the images of a tree, asked for many at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.states import ImageState, PhotoState, Source, Verdict
from catalog.tables import (
    Annotation,
    BlockedOwner,
    Image,
    Photo,
    Release,
    ReleaseImage,
    Review,
)
from export.load_revisions import load_chains

from .bulk_insert import any_of
from .tree_image import Opened, Stored, TreeImage, TreeObject, as_tree_objects, blind_key


@dataclass(frozen=True)
class Twin:
    """An image of the party that has the same file."""

    image_id: int
    state: ImageState


@dataclass(frozen=True)
class KnownPhoto:
    """The photo that an identifier of the tree stands for; without an image it was taken down."""

    is_withdrawn: bool
    image_id: int | None = None
    sha256: str | None = None


@dataclass(frozen=True)
class Known:
    """By identifier of the tree, owner or digest: photos, reasons, twins, images of releases.

    `revisions` are the accepted ones of each known image, the newest first. `blind` are those that
    stand for an annotation held back; the images `waiting` for a first one are locked.
    """

    photos: Mapping[str, KnownPhoto]
    blocked: Mapping[str, str]
    twins: Mapping[str, Twin]
    released: Mapping[str, int]
    revisions: Mapping[int, Sequence[tuple[int, tuple[TreeObject, ...]]]]
    blind: Mapping[int, int]
    waiting: frozenset[int]


WAITING = (ImageState.FETCHED, ImageState.HASHED, ImageState.POOL)
"""The states of images that nobody has begun to annotate."""


def load_known(session: Session, items: Sequence[TreeImage], *, new: Collection[str] = ()) -> Known:
    """What stands for the images, or against them; of `new` ones no photo is looked for."""
    photos = _load_photos(session, [it.image_id for it in items if it.image_id not in new])
    again = {found.image_id for found in photos.values() if found.image_id is not None}
    return Known(
        photos=photos,
        blocked=_load_blocked(session, {it.origin.owner_id for it in items if it.origin.owner_id}),
        twins=_load_twins(session, [item.file.sha256 for item in items]),
        released=_load_released(session, [item.image_id for item in items]),
        revisions=_load_revisions(session, again) if again else {},
        blind=_load_blind(session, items) if again else {},
        waiting=_load_waiting(session, again) if again else frozenset(),
    )


IsSame = Callable[[str, str], bool]


def find_known(known: Known, item: TreeImage, is_same: IsSame) -> Stored | Opened | str | None:
    """What stands for the image, or stands against it; None where it is new.

    `is_same` says of the digests of two files whether they have the same pixels.
    """
    photo = known.photos.get(item.image_id)
    if photo is not None:
        return _find_again(known, photo, item, is_same)
    owner_id = item.origin.owner_id
    if owner_id is not None and owner_id in known.blocked:
        return f"its owner {owner_id} is left out ({known.blocked[owner_id]})"
    twin = known.twins.get(item.file.sha256)
    if twin is not None:
        return describe_twin(twin)
    if item.image_id in known.released:
        image_id = known.released[item.image_id]
        return f"a release of the party gave its identifier to image {image_id}"
    return None


def describe_twin(twin: Twin) -> str:
    """Why an image with the file of another one is left out."""
    return f"its file is that of image {twin.image_id} of the party, which is {twin.state}"


def _find_again(
    known: Known, photo: KnownPhoto, item: TreeImage, is_same: IsSame
) -> Stored | Opened | str:
    """Pictures that an organiser filled up come with their annotation as they were before."""
    if photo.is_withdrawn or photo.image_id is None:
        return "it was taken down"
    image_id, sha256 = photo.image_id, photo.sha256
    own = None if sha256 == item.file.sha256 else sha256
    is_opened = image_id in known.blind and not item.form.is_blind
    if own is not None and not (is_opened and is_same(own, item.file.sha256)):
        return f"its identifier belongs to image {image_id} of the party, which has another file"
    if item.form.is_blind:
        if image_id in known.blind:
            return Stored(image_id, known.blind[image_id], is_new=False)
        return f"image {image_id} of the party came with the annotation that is held back here"
    for annotation_id, objects in known.revisions.get(image_id, ()):
        if objects == item.objects:
            return Stored(image_id, annotation_id, is_new=False, sha256=own)
    if is_opened and image_id in known.waiting:
        return Opened(image_id, own)
    return f"image {image_id} of the party has other objects under its identifier"


def _load_photos(session: Session, image_ids: Collection[str]) -> dict[str, KnownPhoto]:
    if not image_ids:
        return {}
    found = session.execute(
        select(Photo.source_id, Photo.state, Image.id, Image.state, Image.sha256)
        .outerjoin(Image, Image.id == Photo.image_id)
        .where(Photo.source == Source.VOC, Photo.source_id.in_(any_of(image_ids)))
    )
    return {
        source_id: KnownPhoto(
            photo_state is PhotoState.WITHDRAWN or state is ImageState.TAKEN_DOWN, image_id, sha256
        )
        for source_id, photo_state, image_id, state, sha256 in found
    }


def _load_blocked(session: Session, owner_ids: Collection[str]) -> dict[str, str]:
    if not owner_ids:
        return {}
    found = select(BlockedOwner.owner_id, BlockedOwner.reason)
    rows = session.execute(found.where(BlockedOwner.owner_id.in_(sorted(owner_ids))))
    return dict(rows.tuples().all())


def _load_twins(session: Session, digests: Collection[str]) -> dict[str, Twin]:
    found = select(Image.sha256, Image.id, Image.state).where(Image.sha256.in_(any_of(digests)))
    return {sha256: Twin(image_id, state) for sha256, image_id, state in session.execute(found)}


def _load_released(session: Session, image_ids: Collection[str]) -> dict[str, int]:
    """The latest image that a release gave each identifier to."""
    if session.scalar(select(Release.id).limit(1)) is None:
        return {}
    found = session.execute(
        select(ReleaseImage.public_id, ReleaseImage.image_id)
        .where(
            ReleaseImage.release_id.in_(select(Release.id)),  # as the index asks
            ReleaseImage.public_id.in_(any_of(image_ids)),
        )
        .order_by(ReleaseImage.id)
    )
    return dict(found.tuples().all())


def _load_revisions(
    session: Session, image_ids: Collection[int]
) -> dict[int, list[tuple[int, tuple[TreeObject, ...]]]]:
    found = session.execute(
        select(Annotation.id, Annotation.image_id)
        .join(Review, Review.annotation_id == Annotation.id)
        .where(Annotation.image_id.in_(sorted(image_ids)), Review.verdict == Verdict.ACCEPT)
        .order_by(Annotation.id.desc())
    )
    image_of = dict(found.tuples().all())
    chains = load_chains(session, {annotation_id: annotation_id for annotation_id in image_of})
    revisions: dict[int, list[tuple[int, tuple[TreeObject, ...]]]] = defaultdict(list)
    for annotation_id, image_id in image_of.items():
        objects = as_tree_objects(chains[annotation_id][0].objects)
        revisions[image_id].append((annotation_id, objects))
    return revisions


def _load_blind(session: Session, items: Sequence[TreeImage]) -> dict[int, int]:
    """For each image that came without its annotation the revision that stands for it."""
    keys = [blind_key(item.image_id) for item in items]
    found = select(Annotation.image_id, Annotation.id).where(Annotation.save_key.in_(any_of(keys)))
    return dict(session.execute(found).tuples().all())


def _load_waiting(session: Session, image_ids: Collection[int]) -> frozenset[int]:
    """Those of the images that nobody works on; nobody begins to before the session ends."""
    is_waiting = Image.annotation_id.is_(None), Image.state.in_(WAITING)
    found = select(Image.id).where(Image.id.in_(any_of(image_ids)), *is_waiting)
    return frozenset(session.scalars(found.order_by(Image.id).with_for_update()))
