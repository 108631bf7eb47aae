"""Images of a tree as rows: photo, image, revision with objects and parts, verdict."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlalchemy import Connection, select, update
from sqlalchemy.orm import Session

from catalog.states import ImageState, PhotoState, Source, Verdict
from catalog.tables import Annotation, Image, Object, Part, Photo, Review, as_table

from .bulk_insert import any_of, bulk_insert, is_any_of
from .ids import take_ids
from .known import Twin, describe_twin, find_known, load_known
from .tree_image import Import, Stored, TreeImage, object_key


def store_images(
    session: Session, run: Import, items: Sequence[TreeImage], *, new_ids: Collection[str] = ()
) -> list[Stored | str]:
    """For each image its rows, new or as an earlier import made them; or why it cannot be taken.

    Of `new_ids` there was no photo when the import began; where another process has made one since,
    this raises IntegrityError, as where another one imports them at this moment.
    """
    known = load_known(session, items, new=new_ids)
    outcomes = [find_known(known, item) for item in items]
    new: dict[str, TreeImage] = {}
    for item, outcome in zip(items, outcomes, strict=True):
        if outcome is None:
            new.setdefault(item.file.sha256, item)  # of two with one file the first
    ids = dict(zip(new, take_ids(session, as_table(Image), len(new)), strict=True)) if new else {}
    stored = _insert(session, run, [(ids[sha256], item) for sha256, item in new.items()])
    return [
        outcome or stored.get(item.image_id) or _describe_other(ids[item.file.sha256])
        for item, outcome in zip(items, outcomes, strict=True)
    ]


def _describe_other(image_id: int) -> str:
    return describe_twin(Twin(image_id, ImageState.CHECKED))


def _insert(
    session: Session, run: Import, items: Sequence[tuple[int, TreeImage]]
) -> dict[str, Stored]:
    """Rows of a table go together: five hundred take little longer than one."""
    if not items:
        return {}
    connection = session.connection()
    annotation_ids = take_ids(session, as_table(Annotation), len(items))
    given = list(zip(annotation_ids, (item for _, item in items), strict=True))
    _insert_images(connection, run, items)
    _insert_photos(connection, run, items)
    keys = [run.key(item.image_id) for _, item in items]
    image_ids = [image_id for image_id, _ in items]
    _insert_annotations(connection, run, zip(annotation_ids, image_ids, keys, strict=True))
    _insert_objects(connection, given)
    _insert_parts(connection, given)
    _insert_reviews(connection, run, zip(annotation_ids, keys, strict=True))
    _point_to_revisions(connection, image_ids)
    pairs = zip(items, annotation_ids, strict=True)
    return {item.image_id: Stored(image_id, key, is_new=True) for (image_id, item), key in pairs}


def _insert_images(
    connection: Connection, run: Import, items: Sequence[tuple[int, TreeImage]]
) -> None:
    shared = {"stored_at": run.at, "state": ImageState.CHECKED, "state_at": run.at}
    columns = ("id", "sha256", "original_sha256", "width", "height", "bytes")
    files = ((image_id, item.file) for image_id, item in items)
    rows = (
        (key, it.sha256, it.original_sha256, it.width, it.height, it.bytes) for key, it in files
    )
    bulk_insert(connection, as_table(Image), shared, columns, rows)


def _insert_photos(
    connection: Connection, run: Import, items: Sequence[tuple[int, TreeImage]]
) -> None:
    shared = {
        "source": Source.VOC,
        "state": PhotoState.FETCHED,
        "query_id": run.query_id,
        "found_at": run.at,
        "fetched_at": run.at,
    }
    columns = ("image_id", "source_id", "owner_id", "owner_name", "page_url")
    rows = ((image_id, it.image_id, *it.origin) for image_id, it in items)
    bulk_insert(connection, as_table(Photo), shared, columns, rows)


def _insert_annotations(
    connection: Connection, run: Import, ids_and_keys: Iterable[tuple[int, int, str]]
) -> None:
    shared = {"person_id": run.person_id, "is_finished": True, "saved_at": run.at}
    columns = ("id", "image_id", "save_key")
    rows = (
        (annotation_id, image_id, f"import-{key}") for annotation_id, image_id, key in ids_and_keys
    )
    bulk_insert(connection, as_table(Annotation), shared, columns, rows)


def _insert_reviews(
    connection: Connection, run: Import, ids_and_keys: Iterable[tuple[int, str]]
) -> None:
    shared = {
        "person_id": run.person_id,
        "verdict": Verdict.ACCEPT,
        "comment": f"checked before it came, by whoever made {run.name}",
        "reviewed_at": run.at,
    }
    columns = ("annotation_id", "save_key")
    rows = ((annotation_id, f"accept-{key}") for annotation_id, key in ids_and_keys)
    bulk_insert(connection, as_table(Review), shared, columns, rows)


def _insert_objects(connection: Connection, given: Sequence[tuple[int, TreeImage]]) -> None:
    rows = [
        (annotation_id, number, object_key(number), *item[:-1])
        for annotation_id, image in given
        for number, item in enumerate(image.objects, start=1)
    ]
    bulk_insert(connection, as_table(Object), {}, _OBJECT_COLUMNS, rows)


_BOX_COLUMNS = ("box_xmin", "box_ymin", "box_xmax", "box_ymax")
"""The names of columns, which are not those of the attributes: see catalog/tables.py."""
_OBJECT_COLUMNS = (
    *("annotation_id", "number", "object_key", "class_name", *_BOX_COLUMNS, "view"),
    *("truncated", "occluded", "difficult", "actions", "point_x", "point_y"),
)


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
    """New images have one revision each."""
    image, annotation = as_table(Image), as_table(Annotation)
    of_image = select(annotation.c.id).where(annotation.c.image_id == image.c.id)
    statement = update(image).where(is_any_of(image.c.id, image_ids))
    connection.execute(statement.values(annotation_id=of_image.scalar_subquery()))
