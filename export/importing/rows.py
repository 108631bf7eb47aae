"""Images of a tree as rows: photo, image, revision with objects and parts, verdict."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from catalog import tables
from catalog.image_store import ImageStore, digest_of
from catalog.rings import pack_rings
from catalog.states import ImageState, PhotoState, Role, Source, Verdict, is_step
from export.parquet import CORNERS
from export.recipe import IMPORTED

from .known import WAITING, describe_twin, find_known
from .tree_image import Import, ImportTreeError, Stored, TreeImage, blind_key


def begin_import(session: Session, name: str, token: str, at: datetime) -> Import:
    """The import, begun or continued; ImportTreeError where the party made such a release."""
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
        person.created_at = person.ended_at = at
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
    return Import(name, person.id, query.id, at)


Shown = Sequence[tuple[TreeImage, Stored]]
"""Images whose annotation is new, with their rows."""


def store_images(
    session: Session, run: Import, items: Sequence[TreeImage], *, store: ImageStore
) -> list[Stored | str]:
    """For each image its rows, or why it cannot be taken; IntegrityError where others import it."""
    outcomes = find_known(session, items, store)
    new: dict[str, TreeImage] = {}
    for item in items:
        outcome = outcomes[item.image_id]
        if outcome is None:
            new.setdefault(item.file.sha256, item)  # of two with one file the first
        elif isinstance(outcome, Stored) and not outcome.annotation_id:
            photos = update(tables.Photo).where(tables.Photo.image_id == outcome.image_id)
            session.execute(photos.where(tables.Photo.source == Source.VOC).values(item.origin))
    ids = dict(zip(new, _insert_images(session, run, list(new.values())), strict=True))
    for sha256, item in new.items():
        outcomes[item.image_id] = Stored(ids[sha256], 0, is_new=True)
    waiting = [
        (item, stored)
        for item in items
        if isinstance(stored := outcomes[item.image_id], Stored) and not stored.annotation_id
    ]
    rows = [
        {  # a hidden annotation is a stale draft without objects, which no stage takes for finished
            "image_id": stored.image_id,
            "save_key": (blind_key if it.form.is_blind else run.save_key)(it.image_id),
            "is_finished": not it.form.is_blind,
            "is_stale": it.form.is_blind,
            "person_id": run.person_id,
            "saved_at": run.at,
        }
        for it, stored in waiting
    ]
    keys = _insert(session, tables.Annotation, rows)
    pairs = [
        (it, row._replace(annotation_id=key)) for (it, row), key in zip(waiting, keys, strict=True)
    ]
    outcomes |= {item.image_id: stored for item, stored in pairs}
    shown = [pair for pair in pairs if not pair[0].form.is_blind]
    _insert_objects(session, shown)
    _insert_drawings(session, run, shown)
    _accept(session, run, shown)
    return [
        outcomes[it.image_id] or describe_twin(ids[it.file.sha256], ImageState.CHECKED)
        for it in items
    ]


def _insert(session: Session, table: Any, rows: Sequence[dict[str, Any]]) -> list[int]:
    """The ids of the new rows, in their order."""
    if not rows:
        return []
    statement = insert(table).returning(table.id, sort_by_parameter_order=True)
    return list(session.scalars(statement, rows))


def _insert_images(session: Session, run: Import, items: Sequence[TreeImage]) -> list[int]:
    """The ids of new images, which begin as photographs do that were just fetched."""
    times = {"state": ImageState.FETCHED, "stored_at": run.at, "state_at": run.at}
    ids = _insert(session, tables.Image, [{**it.file._asdict(), **times} for it in items])
    shared = {"source": Source.VOC, "state": PhotoState.FETCHED, "query_id": run.query_id}
    shared |= {"found_at": run.at, "fetched_at": run.at}
    rows = [
        {"image_id": image_id, "source_id": item.image_id, **item.origin, **shared}
        for image_id, item in zip(ids, items, strict=True)
    ]
    _insert(session, tables.Photo, rows)
    return ids


def _insert_objects(session: Session, shown: Shown) -> None:
    items = [(stored.annotation_id, it) for image, stored in shown for it in image.objects]
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


def _insert_drawings(session: Session, run: Import, shown: Shown) -> None:
    """What masks show, for people to go on from."""
    masked = [pair for pair in shown if pair[0].outlines]
    shared = {"person_id": run.person_id, "is_finished": True, "created_at": run.at}
    rows = [
        {
            "image_id": stored.image_id,
            "annotation_id": stored.annotation_id,
            "save_key": run.save_key(item.image_id),
        }
        | shared
        for item, stored in masked
    ]
    keys = _insert(session, tables.Segmentation, rows)
    segments = [
        {"segmentation_id": key, **it._asdict(), "rings": pack_rings(it.rings)}
        for key, (item, _) in zip(keys, masked, strict=True)
        for it in item.outlines
    ]
    if segments:
        session.execute(insert(tables.Segment), segments)


def _accept(session: Session, run: Import, shown: Shown) -> None:
    """The images are checked from now on; those that waited for their annotation are locked."""
    assert all(is_step(leaves, ImageState.CHECKED) for leaves in WAITING)
    comment = f"checked before it came, by the makers of {run.name}"
    shared = {"person_id": run.person_id, "verdict": Verdict.ACCEPT, "comment": comment}
    reviews = [
        {"annotation_id": it.annotation_id, "save_key": f"accept-{run.key(image.image_id)}"}
        | {**shared, "reviewed_at": run.at}
        for image, it in shown
    ]
    _insert(session, tables.Review, reviews)
    step = {"state": ImageState.CHECKED, "state_at": run.at, "reason": None}
    checked = [{"id": it.image_id, "annotation_id": it.annotation_id, **step} for _, it in shown]
    if checked:
        session.execute(update(tables.Image), checked)
