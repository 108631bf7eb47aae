"""Images of a tree as rows: photo, image, revision and verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from catalog import tables
from catalog.annotated import replace_words
from catalog.decisions import decide_many
from catalog.image_store import ImageStore, digest_of
from catalog.imports import import_name
from catalog.states import (
    Beside,
    DecisionKind,
    ImageState,
    PhotoState,
    Role,
    SegmentState,
    Source,
    Verdict,
    WordKind,
)
from catalog.tables import Annotation, Image, Photo, Review, SegmentChoice
from catalog.tables.people import describe_look
from catalog.transitions import move_images
from export.recipe import IMPORTED
from vockit.foreign.boxes import CORNERS
from vockit.format.rings import pack_rings

from .import_run import Import
from .known_images import WAITING, find_known, refuse_copies
from .tree_image import ImportTreeError, TreeImage, blind_key


def find_importer(session: Session, run: Import) -> tables.Person | None:
    """Who stands for the import, an annotator whose link was never given away and is revoked.

    None where it was never begun. Raises ImportTreeError where its name stands for something else.
    """
    name = run.name
    release = session.scalar(select(tables.Release).where(tables.Release.name == name))
    if release is not None and IMPORTED not in release.settings:
        raise ImportTreeError(
            f"The party has made a release {name} itself; give the import another name with --name."
        )
    others = {Source.VOC, Source.DATASET} - {run.source}
    of_name = select(tables.Query.id).where(tables.Query.keyword == name)
    if session.scalar(of_name.where(tables.Query.source.in_(others)).limit(1)) is not None:
        raise ImportTreeError(
            f"An import of another kind is called {name}, and would be withdrawn together with "
            "this one; give the import another name with --name."
        )
    called = import_name(name)
    looks_so = tables.Person.name_key == describe_look(called)
    person = session.scalar(select(tables.Person).where(looks_so))
    if person is not None and (person.ended_at is None or person.name != called):
        raise ImportTreeError(
            f"A person is called {person.name!r}; give the import another name with --name."
        )
    return person


def begin_import(session: Session, run: Import, token: str) -> Import:
    """The import, begun or continued; ImportTreeError where the party made such a release."""
    name = run.name
    person = find_importer(session, run)
    if person is None:
        digest = digest_of(token.encode())
        person = tables.Person(
            name=import_name(name), role=Role.ANNOTATOR, credential_sha256=digest
        )
        person.created_at = person.ended_at = run.at
        session.add(person)
    # what is imported, recorded like a query; it stands for no class in particular
    row = {"source": run.source, "class_id": "", "keyword": name}
    if (query := session.scalar(select(tables.Query).filter_by(**row))) is None:
        session.add(query := tables.Query(**row))
    if run.source is Source.DATASET:
        ids = run.party.list_ids()[WordKind.CLASS]
        searched = {ids[name] for name in run.searched}
        # the images that came before were searched for what was listed then
        before = searched if query.searched_ids is None else query.searched_ids
        query.searched_ids = sorted(searched.intersection(before))
    session.flush()
    return replace(run, person_id=person.id, query_id=query.id)


def store_images(
    session: Session,
    run: Import,
    images: Sequence[TreeImage],
    *,
    store: ImageStore,
    first_of: dict[str, str],
) -> None:
    """Give images their rows, or why they have none; IntegrityError where others import them."""
    find_known(session, images, store)
    refuse_copies(images, first_of)
    left = [image for image in images if not image.reason]
    new = [image for image in left if not image.row_id]
    for image in left:
        if image.row_id and not image.annotation_id:
            photos = update(tables.Photo).where(tables.Photo.image_id == image.row_id)
            session.execute(photos.where(tables.Photo.source == Source.VOC).values(image.origin))
    insert_images(session, run, new)
    waiting = [image for image in left if image.row_id and not image.annotation_id]
    rows = [
        {  # a hidden annotation is a stale draft without objects, which no stage takes for finished
            "image_id": image.row_id,
            "save_key": (blind_key if image.is_blind else run.save_key)(image.image_id),
            "is_finished": not image.is_blind,
            "beside": Beside.IMPORTED if image.is_blind else None,
            "person_id": run.person_id,
            "saved_at": run.at,
        }
        for image in waiting
    ]
    ids = insert_rows(session, Annotation, rows, "save_key")
    for image, annotation_id in zip(waiting, ids, strict=True):
        image.annotation_id = annotation_id
    shown = [image for image in waiting if not image.is_blind]
    insert_objects(session, run, shown)
    insert_drawings(session, run, [image for image in shown if image.outlines])
    accept(session, run, shown, f"checked before it came, by the makers of {run.name}")


def insert_rows(
    session: Session, table: Any, rows: Sequence[dict[str, Any]], unique: str = ""
) -> list[int]:
    """Insert the rows; where a unique column is named, their ids in order."""
    if not rows:
        return []
    session.execute(insert(table), rows)
    if not unique:
        return []
    # RETURNING would make SQLite take the rows one by one
    names = [row[unique] for row in rows]
    column = getattr(table, unique)
    inserted = session.execute(select(column, table.id).where(column.in_(names)))
    ids = dict(inserted.tuples().all())
    return [ids[name] for name in names]


def insert_images(session: Session, run: Import, images: Sequence[TreeImage]) -> None:
    """Rows of new images, which begin as photographs do that were just fetched."""
    times = {"state": ImageState.FETCHED, "stored_at": run.at, "state_at": run.at}
    ids = insert_rows(
        session, Image, [{**image.file._asdict(), **times} for image in images], "sha256"
    )
    for image, row_id in zip(images, ids, strict=True):
        image.row_id = row_id
    shared = {"source": run.source, "state": PhotoState.FETCHED, "query_id": run.query_id}
    shared |= {"found_at": run.at, "fetched_at": run.at}
    origins = (
        {"image_id": image.row_id, "source_id": image.image_id, **image.origin} for image in images
    )
    insert_rows(session, Photo, [row | shared for row in origins])


def insert_objects(session: Session, run: Import, images: Sequence[TreeImage]) -> None:
    """Rows of the objects of images with revisions, and of their parts."""
    ids_of_words = run.party.list_ids()
    items = [
        (image.annotation_id, replace_words(item, ids_of_words))
        for image in images
        for item in image.objects
    ]
    ids_of_classes = ids_of_words[WordKind.CLASS]
    same = ("number", "view", "truncated", "occluded", "difficult", "group_of")
    rows = [
        {name: getattr(item, name) for name in same}
        | {"class_id": ids_of_classes[item.class_name], "actions": list(item.actions)}
        | {"annotation_id": annotation_id, "object_key": item.key}
        | dict(zip(("point_x", "point_y"), item.point_xy or (None, None), strict=True))
        | dict(zip(CORNERS, item.box.xyxy, strict=True))
        for annotation_id, item in items
    ]
    insert_rows(session, tables.Object, rows)
    of_parts = {annotation_id for annotation_id, item in items if item.parts}
    columns = select(tables.Object.annotation_id, tables.Object.number, tables.Object.id)
    inserted = session.execute(columns.where(tables.Object.annotation_id.in_(of_parts)))
    ids = {(annotation_id, number): key for annotation_id, number, key in inserted}
    parts = [
        {"object_id": ids[annotation_id, item.number], "number": number, "word": part.word}
        | dict(zip(CORNERS, part.box.xyxy, strict=True))
        for annotation_id, item in items
        for number, part in enumerate(item.parts, start=1)
    ]
    insert_rows(session, tables.Part, parts)


def insert_drawings(session: Session, run: Import, images: Sequence[TreeImage]) -> list[int]:
    """The ids of drawings that people can edit, which the outlines become."""
    shared = {"person_id": run.person_id, "is_finished": True, "created_at": run.at}
    rows = [
        {
            "image_id": image.row_id,
            "annotation_id": image.annotation_id,
            "save_key": run.save_key(image.image_id),
            **shared,
        }
        for image in images
    ]
    keys = insert_rows(session, tables.Segmentation, rows, "save_key")
    segments = [
        {"segmentation_id": key, **outline._asdict(), "rings": pack_rings(outline.rings)}
        for key, image in zip(keys, images, strict=True)
        for outline in image.outlines
    ]
    insert_rows(session, tables.Segment, segments)
    return keys


def accept_drawings(
    session: Session, run: Import, images: Sequence[TreeImage], drawing_ids: Sequence[int]
) -> None:
    """Releases take the outlines of these images as they came, where each object has one."""
    rows = [
        {
            "image_id": image.row_id,
            "state": SegmentState.CHECKED,
            "chosen_at": run.at,
            "segmentation_id": drawing_id,
            "annotation_id": image.annotation_id,
        }
        for image, drawing_id in zip(images, drawing_ids, strict=True)
        if len(image.outlines) == len(image.objects)
    ]
    insert_rows(session, SegmentChoice, rows)


def accept(session: Session, run: Import, images: Sequence[TreeImage], comment: str) -> None:
    """The images are checked from now on; those that waited for their annotation are locked."""
    shared = {"person_id": run.person_id, "verdict": Verdict.ACCEPT, "comment": comment}
    shared |= {"reviewed_at": run.at}
    keys = ((image.annotation_id, f"accept-{run.key(image.image_id)}") for image in images)
    reviews = [
        {"annotation_id": annotation_id, "save_key": save_key, **shared}
        for annotation_id, save_key in keys
    ]
    insert_rows(session, Review, reviews)
    heads = [{"id": image.row_id, "annotation_id": image.annotation_id} for image in images]
    if heads:
        session.execute(update(tables.Image), heads)
    ids = [image.row_id for image in images]
    accepted = [
        {"image_id": image.row_id, "annotation_id": image.annotation_id, "reason": comment}
        for image in images
    ]
    person = session.get_one(tables.Person, run.person_id)
    decide_many(session, accepted, DecisionKind.IMPORTED, at=run.at, person=person)
    for leaves in WAITING:
        move_images(session, ids, leaves, ImageState.CHECKED, run.at)
