"""What the party knows already of the images of a tree: what may be stored, what is there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Row, or_, select
from sqlalchemy.orm import Session

from catalog.annotated import AnnotatedObject
from catalog.errors import ImageMissingError
from catalog.image_store import ImageStore
from catalog.states import ImageState, PhotoState, Source, Verdict
from catalog.tables import Annotation, BlockedOwner, Image, Photo, Release, ReleaseImage, Review
from export.rows import load_objects
from voc.jpeg import JpegError, strip_jpeg

from .tree_image import SourceImage, Stored, TreeImage, blind_key, object_key

WAITING = (ImageState.FETCHED, ImageState.HASHED, ImageState.POOL)
"""The states of images whose annotation has not begun."""
IS_DOWN = or_(Photo.state == PhotoState.WITHDRAWN, Image.state == ImageState.TAKEN_DOWN)
Revision = tuple[int, tuple[AnnotatedObject, ...]]


@dataclass(frozen=True)
class Storable:
    """The images that the release may hold, those taken down, owners left out and why.

    A file that no row leads to could never be found again, and so never be erased with its image.
    `taken_down` are images by the digests of their files, of any source; `hidden` are those that
    the release is recorded without the annotation of.
    """

    releasable: frozenset[str]
    withdrawn: frozenset[str]
    blocked: Mapping[str | None, str]
    taken_down: Mapping[str, int]
    hidden: frozenset[str]

    def find_bar(self, source: SourceImage) -> str | None:
        """Why the image may not be stored, as far as its name tells."""
        if source.image_id in self.withdrawn:
            return "it was taken down"
        if source.image_id in self.hidden and not source.is_blind:
            return (
                "the release is recorded without its annotation; import the tree with another "
                "--name"
            )
        return None


def load_storable(session: Session, name: str, listed: Collection[str]) -> Storable:
    """What holds for an import of the release of that name; `listed` are in a set of the tree."""
    release_id = session.scalar(select(Release.id).where(Release.name == name))
    down = select(Image.sha256, Image.id).where(Image.state == ImageState.TAKEN_DOWN)
    public_ids = select(ReleaseImage.public_id).where(ReleaseImage.release_id == release_id)
    hidden = public_ids.join(Annotation, Annotation.id == ReleaseImage.annotation_id).where(
        Annotation.is_finished.is_(False)
    )
    withdrawn = select(Photo.source_id).outerjoin(Image, Image.id == Photo.image_id)
    # A release is never changed, so that images which come later stay outside.
    releasable = listed if release_id is None else session.scalars(public_ids)
    return Storable(
        releasable=frozenset(releasable),
        withdrawn=frozenset(session.scalars(withdrawn.where(Photo.source == Source.VOC, IS_DOWN))),
        blocked=_load_blocked(session),
        taken_down=dict(session.execute(down).tuples().all()),
        hidden=frozenset(session.scalars(hidden)),
    )


@dataclass(frozen=True)
class Known:
    """By identifier of the tree, owner or digest: photos, reasons, twins, images of releases.

    A photo has the id and digest of its image, and whether it is down. A twin has the same file.
    `revisions` are the accepted ones of each known image, the newest first. `blind` are those that
    stand for an annotation held back; the images `waiting` for a first one are locked.
    """

    photos: Mapping[str, Row[tuple[str, int, str, bool]]]
    blocked: Mapping[str | None, str]
    twins: Mapping[str, tuple[int, ImageState]]
    released: Mapping[str, int]
    revisions: Mapping[int, Sequence[Revision]]
    blind: Mapping[int, int]
    waiting: frozenset[int]

    def find(self, item: TreeImage, store: ImageStore) -> Stored | str | None:
        """What stands for the image, or stands against it; None where it is new."""
        photo = self.photos.get(item.image_id)
        if photo is not None:
            if photo.is_down or photo.id is None:
                return "it was taken down"
            return self._find_again(photo.id, photo.sha256, item, store)
        if (owner_id := item.origin["owner_id"]) in self.blocked:
            return describe_blocked(owner_id, self.blocked)
        if item.file.sha256 in self.twins:
            return describe_twin(*self.twins[item.file.sha256])
        if item.image_id in self.released:
            image_id = self.released[item.image_id]
            return f"a release of the party gave its identifier to image {image_id}"
        return None

    def _find_again(
        self, image_id: int, sha256: str, item: TreeImage, store: ImageStore
    ) -> Stored | str:
        """Pictures that an organiser padded come with their annotation as they were before."""
        own = None if sha256 == item.file.sha256 else sha256
        is_opened = image_id in self.blind and not item.form.is_blind
        if own and not (is_opened and _has_same_pixels(store, own, item.file.sha256)):
            return (
                f"its identifier belongs to image {image_id} of the party, which has another file"
            )
        if item.form.is_blind:
            if image_id in self.blind:
                return Stored(image_id, self.blind[image_id])
            return f"image {image_id} of the party came with the annotation that is held back here"
        for annotation_id, objects in self.revisions.get(image_id, ()):
            if objects == item.objects:
                return Stored(image_id, annotation_id, sha256=own)
        if is_opened and image_id in self.waiting:
            return Stored(image_id, 0, is_new=True, sha256=own)
        return f"image {image_id} of the party has other objects under its identifier"


def load_known(session: Session, items: Sequence[TreeImage]) -> Known:
    """What stands for the images, or against them."""
    ids = [item.image_id for item in items]
    photos = select(Photo.source_id, Image.id, Image.sha256, IS_DOWN.label("is_down"))
    photos = photos.outerjoin(Image, Image.id == Photo.image_id)
    photos = photos.where(Photo.source == Source.VOC, Photo.source_id.in_(ids))
    found = {it.source_id: it for it in session.execute(photos)}
    again = sorted({it.id for it in found.values() if it.id is not None})
    digests = [item.file.sha256 for item in items]
    twins = select(Image.sha256, Image.id, Image.state).where(Image.sha256.in_(digests))
    released = select(ReleaseImage.public_id, ReleaseImage.image_id).order_by(ReleaseImage.id)
    released = released.where(ReleaseImage.public_id.in_(ids))
    blind = select(Annotation.image_id, Annotation.id)
    blind = blind.where(Annotation.save_key.in_([blind_key(it) for it in ids]))
    is_waiting = Image.annotation_id.is_(None), Image.state.in_(WAITING)
    waiting = select(Image.id).where(Image.id.in_(again), *is_waiting).order_by(Image.id)
    return Known(
        photos=found,
        blocked=_load_blocked(session),
        twins={sha256: (key, state) for sha256, key, state in session.execute(twins)},
        released=dict(session.execute(released).tuples().all()),
        revisions=_load_revisions(session, again),
        blind=dict(session.execute(blind).tuples().all()),
        waiting=frozenset(session.scalars(waiting.with_for_update())),
    )


def describe_twin(image_id: int, state: ImageState) -> str:
    """Why an image with the file of another one is left out."""
    return f"its file is that of image {image_id} of the party, which is {state}"


def describe_blocked(owner_id: str | None, blocked: Mapping[str | None, str]) -> str:
    """Why an image of that owner is left out."""
    return f"its owner {owner_id} is left out ({blocked[owner_id]})"


def _has_same_pixels(store: ImageStore, first: str, second: str) -> bool:
    """Whether two stored files are one JPEG, but for what does not touch the pixels."""
    try:
        return strip_jpeg(store.get(first)) == strip_jpeg(store.get(second))
    except (ImageMissingError, JpegError):
        return False


def _load_blocked(session: Session) -> dict[str | None, str]:
    return {it.owner_id: it.reason for it in session.scalars(select(BlockedOwner))}


def _load_revisions(session: Session, image_ids: Sequence[int]) -> dict[int, list[Revision]]:
    found = session.execute(
        select(Annotation.id, Annotation.image_id)
        .join(Review, Review.annotation_id == Annotation.id)
        .where(Annotation.image_id.in_(image_ids), Review.verdict == Verdict.ACCEPT)
        .order_by(Annotation.id.desc())
        .distinct()
    ).tuples()
    image_of = dict(found.all())
    objects = load_objects(session, image_of)
    revisions: dict[int, list[Revision]] = defaultdict(list)
    for key, image_id in image_of.items():
        # the keys that an import gives, so that both can be compared
        named = tuple([replace(it, key=object_key(it.number)) for it in objects[key]])
        revisions[image_id].append((key, named))
    return revisions
