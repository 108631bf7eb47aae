"""What the party knows already of the images of a tree: what may be stored, what is there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from catalog.annotated import AnnotatedObject
from catalog.errors import ImageMissingError
from catalog.image_store import ImageStore
from catalog.states import ImageState, PhotoState, Source, Verdict
from catalog.tables import Annotation, BlockedOwner, Image, Photo, Release, ReleaseImage, Review
from export.rows import load_objects
from voc.jpeg import JpegError, strip_jpeg

from .tree_image import TreeImage, blind_key, object_key

WAITING = (ImageState.FETCHED, ImageState.HASHED, ImageState.POOL)
"""The states of images whose annotation has not begun."""
IS_DOWN = or_(Photo.state == PhotoState.WITHDRAWN, Image.state == ImageState.TAKEN_DOWN)


@dataclass(frozen=True)
class Storable:
    """What the release may hold, what was taken down by name and digest, and blocked owners.

    A file that no row leads to could never be erased. `hidden` have no annotation in the release.
    """

    releasable: frozenset[str]
    withdrawn: frozenset[str]
    blocked: Mapping[str | None, str]
    taken_down: Mapping[str, int]
    hidden: frozenset[str]


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


def find_known(session: Session, images: Sequence[TreeImage], store: ImageStore) -> None:
    """Give known images their rows, or the reason that speaks against them; new ones have none."""
    ids, digests = [it.image_id for it in images], [it.file.sha256 for it in images]
    photos = select(Photo.source_id, Image.id, Image.sha256, IS_DOWN.label("is_down"))
    photos = photos.outerjoin(Image, Image.id == Photo.image_id).where(Photo.source == Source.VOC)
    found = {it.source_id: it for it in session.execute(photos.where(Photo.source_id.in_(ids)))}
    same = select(Image.sha256, Image.id, Image.state).where(Image.sha256.in_(digests))
    twins = {sha256: (image_id, state) for sha256, image_id, state in session.execute(same)}
    given = select(ReleaseImage.public_id, ReleaseImage.image_id).order_by(ReleaseImage.id)
    given = given.where(ReleaseImage.public_id.in_(ids))
    released = dict(session.execute(given).tuples().all())
    blocked = _load_blocked(session)
    again = list[tuple[TreeImage, str]]()
    for image in images:
        row = found.get(image.image_id)
        image.row_id, image.annotation_id, image.is_new = 0, 0, row is None
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
    """Settle images of known identifiers; those that wait for annotation are locked."""
    ids = [image.row_id for image, _ in images]
    revisions = _load_revisions(session, ids)
    keys = [blind_key(image.image_id) for image, _ in images]
    held = select(Annotation.image_id, Annotation.id).where(Annotation.save_key.in_(keys))
    blind = dict(session.execute(held).tuples().all())
    is_waiting = Image.annotation_id.is_(None), Image.state.in_(WAITING)
    locked = select(Image.id).where(Image.id.in_(ids), *is_waiting).order_by(Image.id)
    waiting = frozenset(session.scalars(locked.with_for_update()))
    for image, sha256 in images:
        row_id, is_same = image.row_id, sha256 == image.file.sha256
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
    """By owner why images are left out."""
    owners = session.scalars(select(BlockedOwner))
    return {it.owner_id: f"its owner {it.owner_id} is excluded ({it.reason})" for it in owners}


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
        named = tuple([replace(it, key=object_key(it.number)) for it in objects[key]])
        revisions[image_id].append((key, named))
    return revisions
