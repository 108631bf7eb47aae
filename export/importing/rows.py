"""Images of a tree as rows: photo, image, revision with objects and parts, verdict."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import compress

from sqlalchemy import Connection, bindparam, func, select, update
from sqlalchemy.orm import Session

from catalog.states import ImageState, PhotoState, Source, Verdict, is_step
from catalog.tables import Annotation, Image, Object, Part, Photo, Review, as_table

from .bulk_insert import any_of, bulk_insert, is_any_of
from .ids import take_ids
from .known import WAITING, IsSame, Twin, describe_twin, find_known, load_known
from .tree_image import Import, Opened, Stored, TreeImage, blind_key, object_key


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
    keys = [run.key(item.image_id) for _, item in items]
    _insert_annotations(connection, run, zip(annotation_ids, items, keys, strict=True))
    _insert_objects(connection, given)
    _insert_parts(connection, given)
    shown = [not item.form.is_blind for _, item in items]
    _insert_reviews(connection, run, compress(zip(annotation_ids, keys, strict=True), shown))
    _point_to_revisions(connection, [it for it, _ in compress(items, shown)])
    _check_opened(connection, run, items[len(new) :])
    own = {item.image_id: it.sha256 for it, item in opened}
    pairs = zip(items, annotation_ids, strict=True)
    return {
        item.image_id: Stored(image_id, key, is_new=True, sha256=own.get(item.image_id))
        for (image_id, item), key in pairs
    }


def _insert_images(
    connection: Connection, run: Import, items: Sequence[tuple[int, TreeImage]]
) -> None:
    """Images without an annotation begin as photographs do that were just fetched."""
    shared = {"stored_at": run.at, "state_at": run.at}
    columns = ("id", "sha256", "original_sha256", "width", "height", "bytes", "state")
    begins = {False: ImageState.CHECKED, True: ImageState.FETCHED}
    files = ((image_id, item.file, begins[item.form.is_blind]) for image_id, item in items)
    rows = (
        (key, it.sha256, it.original_sha256, it.width, it.height, it.bytes, state)
        for key, it, state in files
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
    connection: Connection, run: Import, given: Iterable[tuple[int, tuple[int, TreeImage], str]]
) -> None:
    """For what is held back a draft without objects stands beside; it is nobody's word on them."""
    shared = {"person_id": run.person_id, "saved_at": run.at}
    columns = ("id", "image_id", "save_key", "is_finished", "is_stale")
    rows = (
        (annotation_id, image_id, blind_key(item.image_id), False, True)
        if item.form.is_blind
        else (annotation_id, image_id, f"import-{key}", True, False)
        for annotation_id, (image_id, item), key in given
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
