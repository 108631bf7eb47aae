"""One image of a tree as rows: photo, image, revision with objects and parts, verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from catalog.box import Box
from catalog.image_store import digest_of
from catalog.states import ImageState, PhotoState, Source, Verdict
from catalog.tables import (
    Annotation,
    BlockedOwner,
    Image,
    Object,
    Part,
    Photo,
    ReleaseImage,
    Review,
)
from export.load_revisions import load_chains
from export.rows import ObjectRow
from export.voc.records import VocImage

from .picture import TreePicture

_FLICKR_PHOTO = "https://www.flickr.com/photo.gne?id="
_MOST_TEXT_CHARS = 10_000


@dataclass(frozen=True)
class Import:
    """What all images of one import share: the release's name, its person, query and moment."""

    name: str
    person_id: int
    query_id: int
    at: datetime

    def key(self, what: str, image_id: str) -> str:
        """A name for a save that is this image's in this import and no other's."""
        return f"{what}-{digest_of(f'{self.name}/{image_id}'.encode())[:40]}"


@dataclass(frozen=True)
class TreeImage:
    """One image of a tree, ready to be stored."""

    image_id: str
    record: VocImage
    picture: TreePicture
    sha256: str
    objects: tuple[ObjectRow, ...]


@dataclass(frozen=True)
class Stored:
    """The rows that stand for an image of the tree; `is_new` where this call made them."""

    image_id: int
    annotation_id: int
    is_new: bool


def store_images(session: Session, run: Import, items: Sequence[TreeImage]) -> list[Stored | str]:
    """For each image its rows, new or as an earlier import made them; or why it cannot be taken.

    Raises IntegrityError where another process imports one of them at this moment.
    """
    outcomes: dict[str, Stored | str] = {}
    new: dict[str, TreeImage] = {}

    def insert_new() -> None:
        stored = _insert(session, run, list(new.values())) if new else []
        outcomes.update(zip((item.image_id for item in new.values()), stored, strict=True))
        new.clear()

    for item in items:
        if item.sha256 in new:  # its twin has to have its rows before this one looks for them
            insert_new()
        found = _find(session, item)
        if found is None:
            new[item.sha256] = item
        else:
            outcomes[item.image_id] = found
    insert_new()
    return [outcomes[item.image_id] for item in items]


def _find(session: Session, item: TreeImage) -> Stored | str | None:
    """What stands for the image, or stands against it; None where it is new."""
    known = session.scalar(
        select(Photo).where(Photo.source == Source.VOC, Photo.source_id == item.image_id)
    )
    if known is not None:
        return _find_again(session, known, item)
    owner_id = _owner_id(item)
    blocked = owner_id and session.get(BlockedOwner, owner_id)
    if blocked:
        return f"its owner {owner_id} is left out ({blocked.reason})"
    twin = session.scalar(select(Image).where(Image.sha256 == item.sha256))
    if twin is not None:
        return f"its file is that of image {twin.id} of the party, which is {twin.state}"
    owner_of_id = session.scalar(
        select(ReleaseImage.image_id).where(ReleaseImage.public_id == item.image_id).limit(1)
    )
    if owner_of_id is not None:
        return f"a release of the party gave its identifier to image {owner_of_id}"
    return None


def _find_again(session: Session, photo: Photo, item: TreeImage) -> Stored | str:
    image = None if photo.image_id is None else session.get(Image, photo.image_id)
    if photo.state is PhotoState.WITHDRAWN or image is None:
        return "it was taken down"
    if image.state is ImageState.TAKEN_DOWN:
        return "it was taken down"
    if image.sha256 != item.sha256:
        return f"its identifier belongs to image {image.id} of the party, which has another file"
    annotation_id = _find_revision(session, image, item.objects)
    if annotation_id is None:
        return f"image {image.id} of the party has other objects under its identifier"
    return Stored(image.id, annotation_id, is_new=False)


def _find_revision(session: Session, image: Image, objects: tuple[ObjectRow, ...]) -> int | None:
    """The image's accepted revision that says the same, the newest first, or None."""
    accepted = select(Review.annotation_id).where(Review.verdict == Verdict.ACCEPT)
    ids = session.scalars(
        select(Annotation.id)
        .where(Annotation.image_id == image.id, Annotation.id.in_(accepted))
        .order_by(Annotation.id.desc())
    )
    for annotation_id in ids:
        revision = load_chains(session, {image.id: annotation_id})[image.id][0]
        if revision.objects == objects:
            return annotation_id
    return None


def _insert(session: Session, run: Import, items: Sequence[TreeImage]) -> list[Stored]:
    """Rows of a table go together: fifty take little longer than one."""
    images = [_make_image(run, item) for item in items]
    session.add_all(images)
    session.flush()
    annotations = [
        Annotation(
            image_id=image.id,
            person_id=run.person_id,
            save_key=run.key("import", item.image_id),
            is_finished=True,
            saved_at=run.at,
        )
        for image, item in zip(images, items, strict=True)
    ]
    session.add_all(annotations)
    session.add_all(_make_photo(run, it, image.id) for image, it in zip(images, items, strict=True))
    session.flush()
    _insert_objects(session, [(it.id, item) for it, item in zip(annotations, items, strict=True)])
    for image, annotation, item in zip(images, annotations, items, strict=True):
        session.add(_make_review(run, item, annotation.id))
        image.annotation_id = annotation.id
    session.flush()
    pairs = zip(images, annotations, strict=True)
    return [Stored(image.id, annotation.id, is_new=True) for image, annotation in pairs]


def _make_image(run: Import, item: TreeImage) -> Image:
    return Image(
        sha256=item.sha256,
        original_sha256=item.picture.original_sha256,
        width=item.picture.width,
        height=item.picture.height,
        bytes=len(item.picture.data),
        stored_at=run.at,
        state=ImageState.CHECKED,
        state_at=run.at,
    )


def _make_photo(run: Import, item: TreeImage, image_id: int) -> Photo:
    source, owner = item.record.source, item.record.owner
    flickrid = (source and source.flickrid) or ""
    is_photo_id = flickrid.isascii() and flickrid.isdigit() and len(flickrid) <= 20
    return Photo(
        source=Source.VOC,
        source_id=item.image_id,
        state=PhotoState.FETCHED,
        owner_id=_owner_id(item),
        owner_name=_text((owner and owner.name) or None, _MOST_TEXT_CHARS),
        page_url=f"{_FLICKR_PHOTO}{flickrid}" if is_photo_id else None,
        query_id=run.query_id,
        found_at=run.at,
        fetched_at=run.at,
        image_id=image_id,
    )


def _owner_id(item: TreeImage) -> str | None:
    owner = item.record.owner
    return _text((owner and owner.flickrid) or None, 200)


def _text(text: str | None, max_chars: int) -> str | None:
    """The text, None where the file says that it is not known (`?`)."""
    return None if text in (None, "?") else str(text).replace("\0", "")[:max_chars]


def _make_review(run: Import, item: TreeImage, annotation_id: int) -> Review:
    return Review(
        annotation_id=annotation_id,
        person_id=run.person_id,
        save_key=run.key("accept", item.image_id),
        verdict=Verdict.ACCEPT,
        comment=f"checked before it came, by whoever made {run.name}",
        reviewed_at=run.at,
    )


def _insert_objects(session: Session, items: Sequence[tuple[int, TreeImage]]) -> None:
    """The objects of each annotation, whose id is given, and their parts."""
    rows = [
        _object_row(annotation_id, number, row)
        for annotation_id, item in items
        for number, row in enumerate(item.objects, start=1)
    ]
    session.execute(insert(Object), rows)
    for annotation_id, item in items:
        if any(row.parts for row in item.objects):
            _insert_parts(session, annotation_id, item.objects)


def _insert_parts(session: Session, annotation_id: int, objects: Sequence[ObjectRow]) -> None:
    stored = select(Object.number, Object.id).where(Object.annotation_id == annotation_id)
    ids = dict(session.execute(stored).tuples().all())
    session.execute(
        insert(Part),
        [
            {"object_id": ids[number], "number": place, "name": part.name, **_columns(part.box)}
            for number, row in enumerate(objects, start=1)
            for place, part in enumerate(row.parts, start=1)
        ],
    )


def _object_row(annotation_id: int, number: int, item: ObjectRow) -> dict[str, Any]:
    point_x, point_y = item.point_xy or (None, None)
    return {
        "annotation_id": annotation_id,
        "number": number,
        "object_key": item.object_key,
        "class_name": item.class_name,
        **_columns(item.box),
        "view": item.view,
        "truncated": item.truncated,
        "occluded": item.occluded,
        "difficult": item.difficult,
        "actions": list(item.actions),
        "point_x": point_x,
        "point_y": point_y,
    }


def _columns(box: Box) -> dict[str, int]:
    return dict(zip(("xmin", "ymin", "xmax", "ymax"), box.xyxy, strict=True))
