"""Images of a tree as rows: photo, image, revision with objects and parts, verdict."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain, repeat
from typing import Any

from sqlalchemy import Connection, bindparam, func, select, update
from sqlalchemy.orm import Session

from catalog.states import ImageState, PhotoState, Source, Verdict, is_step
from catalog.tables import Annotation, Image, Object, Part, Photo, Review, as_table

from .bulk_insert import any_of, bulk_insert, insert_columns, is_any_of
from .ids import take_ids
from .known import WAITING, IsSame, Twin, describe_twin, find_known, load_known
from .tree_image import (
    Import,
    Opened,
    Origin,
    Stored,
    StoredFile,
    TreeImage,
    blind_key,
    object_key,
)


def store_images(
    session: Session,
    run: Import,
    items: Sequence[TreeImage],
    *,
    is_same: IsSame,
    new_ids: Collection[str] = (),
) -> list[Stored | str]:
    """For each image its rows, new or as an earlier import made them; or why it cannot be taken.

    Of `new_ids` there was no photo when the import began; where another process has made one since,
    this raises IntegrityError, as where another one imports them at this moment.
    """
    known = load_known(session, items, new=new_ids)
    outcomes = [find_known(known, item, is_same) for item in items]
    new: dict[str, TreeImage] = {}
    opened: list[tuple[Opened, TreeImage]] = []
    for item, outcome in zip(items, outcomes, strict=True):
        if outcome is None:
            new.setdefault(item.file.sha256, item)  # of two with one file the first
        elif isinstance(outcome, Opened):
            opened.append((outcome, item))
    ids = dict(zip(new, take_ids(session, as_table(Image), len(new)), strict=True)) if new else {}
    stored = _insert(session, run, [(ids[sha256], item) for sha256, item in new.items()], opened)
    return [
        outcome
        if isinstance(outcome, Stored | str)
        else stored.get(item.image_id) or _describe_other(ids[item.file.sha256])
        for item, outcome in zip(items, outcomes, strict=True)
    ]


def _describe_other(image_id: int) -> str:
    return describe_twin(Twin(image_id, ImageState.CHECKED))


def _insert(
    session: Session,
    run: Import,
    new: Sequence[tuple[int, TreeImage]],
    opened: Sequence[tuple[Opened, TreeImage]],
) -> dict[str, Stored]:
    """Rows of a table go together: five hundred take little longer than one."""
    items = [*new, *((it.image_id, item) for it, item in opened)]
    if not items:
        return {}
    connection = session.connection()
    annotation_ids = take_ids(session, as_table(Annotation), len(items))
    given = list(zip(annotation_ids, (item for _, item in items), strict=True))
    _insert_images(connection, run, new)
    _insert_photos(connection, run, new)
    _insert_annotations(connection, run, annotation_ids, items)
    _insert_objects(connection, given)
    _insert_parts(connection, given)
    _insert_reviews(connection, run, [it for it in given if not it[1].form.is_blind])
    _point_to_revisions(connection, [key for key, it in items if not it.form.is_blind])
    _check_opened(connection, run, items[len(new) :])
    own = {item.image_id: it.sha256 for it, item in opened}
    pairs = zip(items, annotation_ids, strict=True)
    return {
        item.image_id: Stored(image_id, key, is_new=True, sha256=own.get(item.image_id))
        for (image_id, item), key in pairs
    }


def _insert_images(
    connection: Connection, run: Import, new: Sequence[tuple[int, TreeImage]]
) -> None:
    """Images without an annotation begin as photographs do that were just fetched."""
    columns: Columns = {
        "id": [image_id for image_id, _ in new],
        **_as_columns(StoredFile._fields, [item.file for _, item in new]),
        "state": [
            ImageState.FETCHED if item.form.is_blind else ImageState.CHECKED for _, item in new
        ],
    }
    shared = {"stored_at": run.at, "state_at": run.at}
    insert_columns(connection, as_table(Image), shared, columns)


def _insert_photos(
    connection: Connection, run: Import, new: Sequence[tuple[int, TreeImage]]
) -> None:
    columns: Columns = {
        "image_id": [image_id for image_id, _ in new],
        "source_id": [item.image_id for _, item in new],
        **_as_columns(Origin._fields, [item.origin for _, item in new]),
    }
    shared = {
        "source": Source.VOC,
        "state": PhotoState.FETCHED,
        "query_id": run.query_id,
        "found_at": run.at,
        "fetched_at": run.at,
    }
    insert_columns(connection, as_table(Photo), shared, columns)


def _insert_annotations(
    connection: Connection,
    run: Import,
    annotation_ids: Sequence[int],
    items: Sequence[tuple[int, TreeImage]],
) -> None:
    """For what is held back a draft without objects stands beside; it is nobody's word on them."""
    are_blind = [item.form.is_blind for _, item in items]
    columns: Columns = {
        "id": annotation_ids,
        "image_id": [image_id for image_id, _ in items],
        "save_key": [
            blind_key(it.image_id) if it.form.is_blind else f"import-{run.key(it.image_id)}"
            for _, it in items
        ],
        "is_finished": [not is_blind for is_blind in are_blind],
        "is_stale": are_blind,
    }
    shared = {"person_id": run.person_id, "saved_at": run.at}
    insert_columns(connection, as_table(Annotation), shared, columns)


def _insert_reviews(
    connection: Connection, run: Import, shown: Sequence[tuple[int, TreeImage]]
) -> None:
    columns: Columns = {
        "annotation_id": [annotation_id for annotation_id, _ in shown],
        "save_key": [f"accept-{run.key(item.image_id)}" for _, item in shown],
    }
    shared = {
        "person_id": run.person_id,
        "verdict": Verdict.ACCEPT,
        "comment": f"checked before it came, by whoever made {run.name}",
        "reviewed_at": run.at,
    }
    insert_columns(connection, as_table(Review), shared, columns)


def _insert_objects(connection: Connection, given: Sequence[tuple[int, TreeImage]]) -> None:
    counts = [len(image.objects) for _, image in given]
    of_images = chain.from_iterable(map(repeat, [key for key, _ in given], counts))
    numbers = [number for count in counts for number in range(1, count + 1)]
    columns: Columns = {
        "annotation_id": list(of_images),
        "number": numbers,
        "object_key": list(map(object_key, numbers)),
        **_as_columns(_OBJECT_COLUMNS, [item for _, image in given for item in image.objects]),
    }
    columns.pop("parts", None)
    insert_columns(connection, as_table(Object), {}, columns)


Columns = dict[str, Sequence[Any]]

_BOX_COLUMNS = ("box_xmin", "box_ymin", "box_xmax", "box_ymax")
"""The names of columns, which are not those of the attributes: see catalog/tables.py."""
_OBJECT_COLUMNS = (
    *("class_name", *_BOX_COLUMNS, "view", "truncated", "occluded", "difficult"),
    *("actions", "point_x", "point_y", "parts"),
)
"""Of the fields of TreeObject."""


def _as_columns(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Columns:
    """The rows' values by name; no columns where there are no rows."""
    return dict(zip(names, zip(*rows, strict=True), strict=bool(rows)))


def _insert_parts(connection: Connection, given: Sequence[tuple[int, TreeImage]]) -> None:
    with_parts = [(key, image) for key, image in given if any(it.parts for it in image.objects)]
    if not with_parts:
        return
    ids = _load_object_ids(connection, [key for key, _ in with_parts])
    rows = (
        (ids[key, number], place, *part)
        for key, image in with_parts
        for number, item in enumerate(image.objects, start=1)
        for place, part in enumerate(item.parts, start=1)
    )
    columns = ("object_id", "number", "name", *_BOX_COLUMNS)
    bulk_insert(connection, as_table(Part), {}, columns, rows)


def _load_object_ids(
    connection: Connection, annotation_ids: Sequence[int]
) -> Mapping[tuple[int, int], int]:
    stored = select(Object.annotation_id, Object.number, Object.id)
    found = connection.execute(stored.where(Object.annotation_id.in_(any_of(annotation_ids))))
    return {(annotation_id, number): object_id for annotation_id, number, object_id in found}


def _point_to_revisions(connection: Connection, image_ids: Sequence[int]) -> None:
    """The newest finished revision of each image is this import's."""
    if not image_ids:
        return
    image, annotation = as_table(Image), as_table(Annotation)
    of_image = select(func.max(annotation.c.id)).where(
        annotation.c.image_id == image.c.id, annotation.c.is_finished
    )
    statement = update(image).where(is_any_of(image.c.id, image_ids))
    connection.execute(statement.values(annotation_id=of_image.scalar_subquery()))


def _check_opened(
    connection: Connection, run: Import, opened: Sequence[tuple[int, TreeImage]]
) -> None:
    """Images whose annotation came later are checked from now on; their rows are locked."""
    assert all(is_step(leaves, ImageState.CHECKED) for leaves in WAITING)
    if not opened:
        return
    image, photo = as_table(Image), as_table(Photo)
    image_ids = [image_id for image_id, _ in opened]
    statement = update(image).where(is_any_of(image.c.id, image_ids), image.c.state.in_(WAITING))
    values = {"state": ImageState.CHECKED, "state_at": run.at, "reason": None}
    connection.execute(statement.values(values))
    told = update(photo).where(photo.c.image_id == bindparam("key"), photo.c.source == Source.VOC)
    origins = [{"key": image_id, **item.origin._asdict()} for image_id, item in opened]
    connection.execute(told, origins)
