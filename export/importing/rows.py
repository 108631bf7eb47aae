"""Images of a tree as rows: photo, image, revision with objects and parts, verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from catalog import tables
from catalog.image_store import ImageStore, digest_of
from catalog.rings import pack_rings
from catalog.states import ImageState, PhotoState, Role, Source, Verdict, is_step
from export.parquet import CORNERS
from export.recipe import IMPORTED

from .drafts import Import
from .known import WAITING, describe_twin, find_known
from .tree_image import ImportTreeError, TreeImage, blind_key


def begin_import(session: Session, run: Import, token: str) -> Import:
    """The import, begun or continued; ImportTreeError where the party made such a release."""
    name = run.name
    release = session.scalar(select(tables.Release).where(tables.Release.name == name))
    if release is not None and IMPORTED not in release.settings:
        raise ImportTreeError(
            f"The party has made a release {name} itself; give the import another name with --name."
        )
    # an annotator whose link was never given away and is revoked
    called = f"import {name}"[:100]
    person = session.scalar(select(tables.Person).where(tables.Person.name == called))
    if person is None:
        digest = digest_of(token.encode())
        person = tables.Person(name=called, role=Role.ANNOTATOR, credential_sha256=digest)
        person.created_at = person.ended_at = run.at
        session.add(person)
    if person.ended_at is None:
        raise ImportTreeError(
            f"A person is called {called!r}; give the import another name with --name."
        )
    # the tree, recorded like a query; it stands for no class in particular
    row = {"source": Source.VOC, "class_name": "", "keyword": name}
    if (query := session.scalar(select(tables.Query).filter_by(**row))) is None:
        session.add(query := tables.Query(**row))
    session.flush()
    return replace(run, person_id=person.id, query_id=query.id)


def store_images(
    session: Session, run: Import, images: Sequence[TreeImage], *, store: ImageStore
) -> None:
    """Give images their rows, or why they have none; IntegrityError where others import them."""
    find_known(session, images, store)
    left = [it for it in images if not it.reason]
    new: dict[str, TreeImage] = {}
    for image in left:
        if not image.row_id:
            new.setdefault(image.file.sha256, image)  # of two with one file the first
        elif not image.annotation_id:
            photos = update(tables.Photo).where(tables.Photo.image_id == image.row_id)
            session.execute(photos.where(tables.Photo.source == Source.VOC).values(image.origin))
    _insert_images(session, run, list(new.values()))
    for image in left:
        if not image.row_id:
            twin = new[image.file.sha256].row_id
            image.reason = describe_twin(twin, ImageState.CHECKED)
    waiting = [it for it in left if it.row_id and not it.annotation_id]
    rows = [
        {  # a hidden annotation is a stale draft without objects, which no stage takes for finished
            "image_id": it.row_id,
            "save_key": (blind_key if it.is_blind else run.save_key)(it.image_id),
            "is_finished": not it.is_blind,
            "is_stale": it.is_blind,
            "person_id": run.person_id,
            "saved_at": run.at,
        }
        for it in waiting
    ]
    for image, key in zip(waiting, _insert(session, tables.Annotation, rows), strict=True):
        image.annotation_id = key
    shown = [it for it in waiting if not it.is_blind]
    _insert_objects(session, shown)
    _insert_drawings(session, run, [it for it in shown if it.outlines])
    _accept(session, run, shown)


def _insert(session: Session, table: Any, rows: Sequence[dict[str, Any]]) -> list[int]:
    """The ids of the new rows, in their order."""
    if not rows:
        return []
    statement = insert(table).returning(table.id, sort_by_parameter_order=True)
    return list(session.scalars(statement, rows))


def _insert_images(session: Session, run: Import, images: Sequence[TreeImage]) -> None:
    """Rows of new images, which begin as photographs do that were just fetched."""
    times = {"state": ImageState.FETCHED, "stored_at": run.at, "state_at": run.at}
    ids = _insert(session, tables.Image, [{**it.file._asdict(), **times} for it in images])
    for image, row_id in zip(images, ids, strict=True):
        image.row_id = row_id
    shared = {"source": Source.VOC, "state": PhotoState.FETCHED, "query_id": run.query_id}
    shared |= {"found_at": run.at, "fetched_at": run.at}
    own = ({"image_id": it.row_id, "source_id": it.image_id, **it.origin} for it in images)
    _insert(session, tables.Photo, [row | shared for row in own])


def _insert_objects(session: Session, images: Sequence[TreeImage]) -> None:
    items = [(image.annotation_id, it) for image in images for it in image.objects]
    same = ("number", "class_name", "view", "truncated", "occluded", "difficult")
    rows = [
        {name: getattr(it, name) for name in same}
        | {"annotation_id": annotation_id, "object_key": it.key, "actions": list(it.actions)}
        | dict(zip(("point_x", "point_y"), it.point_xy or (None, None), strict=True))
        | dict(zip(CORNERS, it.box.xyxy, strict=True))
        for annotation_id, it in items
    ]
    ids = _insert(session, tables.Object, rows)
    parts = [
        {"object_id": object_id, "number": number, "name": part.name}
        | dict(zip(CORNERS, part.box.xyxy, strict=True))
        for object_id, (_, item) in zip(ids, items, strict=True)
        for number, part in enumerate(item.parts, start=1)
    ]
    _insert(session, tables.Part, parts)


def _insert_drawings(session: Session, run: Import, images: Sequence[TreeImage]) -> None:
    """What masks show, for people to go on from."""
    shared = {"person_id": run.person_id, "is_finished": True, "created_at": run.at}
    own = ((it.row_id, it.annotation_id, run.save_key(it.image_id)) for it in images)
    names = ("image_id", "annotation_id", "save_key")
    rows = [dict(zip(names, it, strict=True)) | shared for it in own]
    keys = _insert(session, tables.Segmentation, rows)
    segments = [
        {"segmentation_id": key, **it._asdict(), "rings": pack_rings(it.rings)}
        for key, image in zip(keys, images, strict=True)
        for it in image.outlines
    ]
    _insert(session, tables.Segment, segments)


def _accept(session: Session, run: Import, images: Sequence[TreeImage]) -> None:
    """The images are checked from now on; those that waited for their annotation are locked."""
    assert all(is_step(leaves, ImageState.CHECKED) for leaves in WAITING)
    comment = f"checked before it came, by the makers of {run.name}"
    shared = {"person_id": run.person_id, "verdict": Verdict.ACCEPT, "comment": comment}
    shared |= {"reviewed_at": run.at}
    keys = ((it.annotation_id, f"accept-{run.key(it.image_id)}") for it in images)
    reviews = [{"annotation_id": of, "save_key": save_key, **shared} for of, save_key in keys]
    _insert(session, tables.Review, reviews)
    step = {"state": ImageState.CHECKED, "state_at": run.at, "reason": None}
    checked = [{"id": it.row_id, "annotation_id": it.annotation_id, **step} for it in images]
    if checked:
        session.execute(update(tables.Image), checked)
