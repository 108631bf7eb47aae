"""Images of a labelled dataset as rows: photo, image, revision and outlines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session

from catalog import tables
from catalog.decisions import decide_many
from catalog.states import DecisionKind, ImageState
from catalog.tables import Annotation, Image, Origin, Photo
from catalog.transitions import move_images
from vockit.format.text import escape_unstorable

from .dataset_image import DatasetImage, describe
from .import_run import Import
from .known_images import IS_DOWN, describe_twin
from .rows import (
    accept,
    accept_drawings,
    insert_drawings,
    insert_images,
    insert_objects,
    insert_rows,
)


def find_there(session: Session, run: Import, images: Sequence[DatasetImage]) -> None:
    """Mark the images that an earlier run imported; those taken down since get a reason."""
    photos = select(Photo.source_id, IS_DOWN, Image.sha256, Image.original_sha256)
    photos = photos.outerjoin(Image, Image.id == Photo.image_id)
    photos = photos.where(
        Photo.source == run.source, Photo.source_id.in_([image.image_id for image in images])
    )
    known = {source_id: row for source_id, *row in session.execute(photos)}
    for image in images:
        if image.image_id in known:
            is_down, *digests = known[image.image_id]
            image.was_there = not is_down
            image.reason = "it was taken down" if is_down else None
            image.known_digests = frozenset(filter(None, digests))


def refuse_twins(session: Session, images: Sequence[DatasetImage]) -> None:
    """Give a reason to images whose picture the party has already."""
    digests = {image.file.sha256 for image in images}
    digests |= {image.file.original_sha256 for image in images if image.file.original_sha256}
    columns = select(Image.sha256, Image.original_sha256, Image.id, Image.state)
    rows = session.execute(
        columns.where(or_(Image.sha256.in_(digests), Image.original_sha256.in_(digests)))
    )
    twins: dict[str, tuple[int, ImageState]] = {}
    for sha256, original, image_id, state in rows:
        twins |= {digest: (image_id, state) for digest in (sha256, original) if digest}
    for image in images:
        for digest in (image.file.sha256, image.file.original_sha256):
            if digest in twins:
                image.reason = describe_twin(*twins[digest])


def store_dataset_images(
    session: Session, run: Import, images: Sequence[DatasetImage], form: str
) -> None:
    """Give images their rows, or why they have none; IntegrityError where others import them."""
    refuse_twins(session, images)
    new = [image for image in images if not image.reason]
    insert_images(session, run, new)
    rows = [
        {
            "image_id": image.row_id,
            "save_key": run.save_key(image.image_id),
            "is_finished": True,
            "person_id": run.person_id,
            "saved_at": run.at,
            "comment": describe(image, form),
        }
        for image in new
    ]
    ids = insert_rows(session, Annotation, rows, "save_key")
    for image, annotation_id in zip(new, ids, strict=True):
        image.annotation_id = annotation_id
    insert_objects(session, run, new)
    outlined = [image for image in new if image.outlines]
    drawing_ids = insert_drawings(session, run, outlined)
    origins = [
        {
            "annotation_id": image.annotation_id,
            "image_id": image.row_id,
            "form": form,
            "place": escape_unstorable(image.foreign.place),
            "objects": image.origins,
        }
        for image in new
    ]
    insert_rows(session, Origin, origins)
    if run.party.settings.qa.imported == "accept":
        accept_drawings(session, run, outlined, drawing_ids)
        accept(session, run, new, f"accepted as it came with {run.name}; no one here looked at it")
    else:
        _hand_over(session, run, new)


def _hand_over(session: Session, run: Import, images: Sequence[DatasetImage]) -> None:
    """The images wait for a check from now on, as if their importer had drawn them."""
    if not images:
        return
    heads = [{"id": image.row_id, "annotation_id": image.annotation_id} for image in images]
    session.execute(update(tables.Image), heads)
    drawn: list[dict[str, Any]] = [
        {"image_id": image.row_id, "annotation_id": image.annotation_id} for image in images
    ]
    person = session.get_one(tables.Person, run.person_id)
    decide_many(session, drawn, DecisionKind.DRAWN, at=run.at, person=person)
    ids = [image.row_id for image in images]
    move_images(session, ids, ImageState.FETCHED, ImageState.ANNOTATED, run.at)
