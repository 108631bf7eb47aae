"""Images of a tree that the party has already, and those that it may not take."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from catalog.annotated import AnnotatedObject
from catalog.errors import ImageMissingError
from catalog.image_store import ImageStore
from catalog.locks import lock_images
from catalog.states import ImageState, PhotoState, Source, Verdict
from catalog.tables import Annotation, BlockedOwner, Image, Photo, Release, ReleaseImage, Review
from export.loading import load_objects
from vockit.format.jpeg import JpegError, strip_jpeg

from .tree_image import TreeImage, blind_key, object_key

WAITING = (ImageState.FETCHED, ImageState.HASHED, ImageState.POOL)
"""The states of images whose annotation has not begun."""
IS_DOWN = or_(Photo.state == PhotoState.WITHDRAWN, Image.state == ImageState.TAKEN_DOWN)


def bar_images(
    session: Session, name: str, images: Sequence[TreeImage], listed: Collection[str]
) -> tuple[dict[str | None, str], dict[str, int]]:
    """Give a reason to images that the release of that name bars; blocked owners, lost digests."""
    release_id = session.scalar(select(Release.id).where(Release.name == name))
    public_ids = select(ReleaseImage.public_id).where(ReleaseImage.release_id == release_id)
    of_image = public_ids.join(Annotation, Annotation.id == ReleaseImage.annotation_id)
    hidden = frozenset(session.scalars(of_image.where(Annotation.is_finished.is_(False))))
    photos = select(Photo.source_id).outerjoin(Image, Image.id == Photo.image_id)
    withdrawn = frozenset(session.scalars(photos.where(Photo.source == Source.VOC, IS_DOWN)))
    # A release is never changed, so that images which come later stay outside.
    releasable = frozenset(listed if release_id is None else session.scalars(public_ids))
    for image in images:
        if image.image_id in withdrawn:
            image.reason = image.reason or "it was taken down"
        elif image.image_id in hidden and not image.is_blind:
            reason = "the release is recorded without its annotation; import the tree with another "
            image.reason = image.reason or f"{reason}--name"
        elif image.image_id not in releasable:
            image.masks = {}  # no release may hold the masks of an image that is not in it
    down = select(Image.sha256, Image.id).where(Image.state == ImageState.TAKEN_DOWN)
    return _load_blocked(session), dict(session.execute(down).tuples().all())


def find_known(session: Session, images: Sequence[TreeImage], store: ImageStore) -> None:
    """Give known images their rows, or the reason that speaks against them; new ones have none."""
    ids = [image.image_id for image in images]
    digests = [image.file.sha256 for image in images]
    photos = select(Photo.source_id, Image.id, Image.sha256, IS_DOWN.label("is_down"))
    photos = photos.outerjoin(Image, Image.id == Photo.image_id).where(Photo.source == Source.VOC)
    rows = {row.source_id: row for row in session.execute(photos.where(Photo.source_id.in_(ids)))}
    same = select(Image.sha256, Image.id, Image.state).where(Image.sha256.in_(digests))
    twins = {sha256: (image_id, state) for sha256, image_id, state in session.execute(same)}
    given = select(ReleaseImage.public_id, ReleaseImage.image_id).order_by(ReleaseImage.id)
    given = given.where(ReleaseImage.public_id.in_(ids))
    released = dict(session.execute(given).tuples().all())
    blocked = _load_blocked(session)
    again = list[tuple[TreeImage, str]]()
    for image in images:
        row = rows.get(image.image_id)
        image.row_id = 0
        image.annotation_id = 0
        image.is_new = row is None
        image.reason = None if row else blocked.get(image.origin["owner_id"])
        if row is not None and (row.is_down or row.id is None):
            image.reason = "it was taken down"
        elif row is not None:
            image.row_id = row.id
            again.append((image, row.sha256))
        elif image.file.sha256 in twins:
            image.reason = image.reason or describe_twin(*twins[image.file.sha256])
        elif image.image_id in released:
            other = released[image.image_id]
            message = f"a release of the party gave its identifier to image {other}"
            image.reason = image.reason or message
    _find_again(session, again, store)


def _find_again(
    session: Session, images: Sequence[tuple[TreeImage, str]], store: ImageStore
) -> None:
    """Find the rows of images with known identifiers; lock those that wait for annotation."""
    ids = [image.row_id for image, _ in images]
    revisions = _load_revisions(session, ids)
    keys = [blind_key(image.image_id) for image, _ in images]
    held = select(Annotation.image_id, Annotation.id).where(Annotation.save_key.in_(keys))
    blind = dict(session.execute(held).tuples().all())
    is_waiting = Image.annotation_id.is_(None), Image.state.in_(WAITING)
    lock_images(session, ids)
    still = select(Image.id).where(Image.id.in_(ids), *is_waiting)
    waiting = frozenset(session.scalars(still))
    for image, sha256 in images:
        row_id = image.row_id
        is_same = sha256 == image.file.sha256
        of_image = f"image {row_id} of the party"
        is_opened = row_id in blind and not image.is_blind
        same = (key for key, objects in revisions[row_id] if objects == image.objects)
        # pictures that an organiser padded come with their annotation as they were before
        if not is_same and not (is_opened and _has_same_pixels(store, sha256, image.file.sha256)):
            image.reason = f"its identifier belongs to {of_image}, which has another file"
            continue
        if not is_same:
            image.encoded_sha256 = image.encoded_sha256 or image.file.sha256
            image.file = image.file._replace(sha256=sha256)
        if image.is_blind and row_id in blind:
            image.annotation_id = blind[row_id]
        elif image.is_blind:
            image.reason = f"{of_image} came with the annotation that is held back here"
        elif key := next(same, None):
            image.annotation_id = key
        elif is_opened and row_id in waiting:
            image.is_new = True
        else:
            image.reason = f"{of_image} has other objects under its identifier"


def refuse_copies(images: Sequence[TreeImage], first_of: dict[str, str]) -> None:
    """Of several new images of an import with one file only the first comes in.

    `first_of` has the first image of each file, and gets those of these images.
    """
    for image in images:
        if image.row_id or not image.is_new:
            continue
        first = first_of.get(image.file.sha256, image.image_id)
        if first != image.image_id:
            image.reason = f"its picture is the same file as that of {first}"
        elif not image.reason:
            first_of[image.file.sha256] = first


def describe_twin(image_id: int, state: ImageState) -> str:
    """Why an image with the file of another one is left out."""
    return f"its file is that of image {image_id} of the party, which is {state}"


def _has_same_pixels(store: ImageStore, first: str, second: str) -> bool:
    """Whether two stored files are one JPEG, but for what does not touch the pixels."""
    try:
        return strip_jpeg(store.get(first)) == strip_jpeg(store.get(second))
    except (ImageMissingError, JpegError):
        return False


def _load_blocked(session: Session) -> dict[str | None, str]:
    """Why the images of an excluded owner are left out, by owner."""
    owners = session.scalars(select(BlockedOwner))
    return {
        owner.owner_id: f"its owner {owner.owner_id} is excluded ({owner.reason})"
        for owner in owners
    }


def _load_revisions(
    session: Session, image_ids: Sequence[int]
) -> dict[int, list[tuple[int, tuple[AnnotatedObject, ...]]]]:
    """The accepted revisions of each image and their objects, the newest first."""
    accepted = select(Annotation.id, Annotation.image_id).join(
        Review, Review.annotation_id == Annotation.id
    )
    accepted = accepted.where(Annotation.image_id.in_(image_ids), Review.verdict == Verdict.ACCEPT)
    newest_first = accepted.order_by(Annotation.id.desc()).distinct()
    image_of = dict(session.execute(newest_first).tuples().all())
    objects = load_objects(session, image_of)
    revisions: dict[int, list[tuple[int, tuple[AnnotatedObject, ...]]]] = defaultdict(list)
    for key, image_id in image_of.items():
        # the keys that an import gives, so that both can be compared
        named = tuple([replace(item, key=object_key(item.number)) for item in objects[key]])
        revisions[image_id].append((key, named))
    return revisions
