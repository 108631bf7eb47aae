"""Revisions as rows: made from what the page sent, never changed afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session, selectinload

from annotate_ui.api.schemas import ObjectBody, Xyxy
from annotate_ui.errors import InvalidError, NotFoundError
from annotate_ui.visit import Visit
from catalog.states import ImageState
from catalog.tables import Annotation, Image, Object, Part
from catalog.transitions import count_changed

from .rules import Frame

Copied = TypeVar("Copied", Object, Part)


def get_image(session: Session, image_id: int) -> Image:
    """The image; raises NotFoundError where there is none."""
    image = session.get(Image, image_id)
    if image is None:
        raise NotFoundError(f"There is no image {image_id}.")
    return image


def make_frame(visit: Visit, image: Image) -> Frame:
    """What objects on the image are judged against."""
    limits, size = visit.party.settings.annotate, (image.width, image.height)
    judged = limits.judge_each_object
    most = limits.max_objects
    return Frame(*size, visit.party.preset, limits.min_box_px, most, must_judge_all=judged)


def load_revision(session: Session, annotation_id: int | None) -> Annotation | None:
    """A revision with its objects and their parts, in few queries however many there are."""
    whole = selectinload(Annotation.objects).selectinload(Object.parts)
    statement = select(Annotation).where(Annotation.id == annotation_id).options(whole)
    return session.scalar(statement.execution_options(populate_existing=True))


def load_head(session: Session, image: Image) -> Annotation | None:
    """The image's newest revision, whole, or None where there is none yet."""
    return None if image.annotation_id is None else load_revision(session, image.annotation_id)


def find_parent(
    session: Session, image: Image, parent_id: int | None, field: str = "parent_id"
) -> Annotation | None:
    """The revision that a save started from; raises InvalidError where it is not the image's."""
    if parent_id is None:
        return None
    parent = session.get(Annotation, parent_id)
    if parent is None or parent.image_id != image.id:
        raise InvalidError(f"{field} is wrong: the image has no revision {parent_id}.", field=field)
    return parent


def make_annotation(visit: Visit, image: Image, parent: Annotation | None) -> Annotation:
    """A revision by the visitor, not yet stored and without objects."""
    return Annotation(
        image_id=image.id,
        person_id=visit.person.id,
        parent_id=parent.id if parent else None,
        saved_at=visit.at,
        is_stale=False,
    )


def insert_revision(
    session: Session, annotation: Annotation, objects: Sequence[ObjectBody]
) -> None:
    """Store a revision with its objects; `difficult` stays as the parent has it.

    Raises IntegrityError where another one of its save_key came first.
    """
    kept = select(Object.object_key).where(
        Object.annotation_id == annotation.parent_id, Object.difficult.is_(True)
    )
    difficult = frozenset(session.scalars(kept))
    session.add(annotation)
    session.flush()
    rows = [
        _pack_object(item)
        | {"annotation_id": annotation.id, "number": number, "difficult": item.key in difficult}
        for number, item in enumerate(objects, start=1)
    ]
    if rows:
        session.execute(insert(Object), rows)
    stored = select(Object.number, Object.id).where(Object.annotation_id == annotation.id)
    ids = dict(session.execute(stored).tuples().all())
    parts = [
        {"object_id": ids[number], "number": place, "name": part.name, **_box_columns(part.box)}
        for number, item in enumerate(objects, start=1)
        for place, part in enumerate(item.parts, start=1)
    ]
    if parts:
        session.execute(insert(Part), parts)
    session.expire(annotation, ["objects"])


def copy_revision(
    visit: Visit, image: Image, original: Annotation | None, *, save_key: str
) -> Annotation:
    """A finished revision by the visitor with the objects of another one, which it follows."""
    annotation = make_annotation(visit, image, original)
    annotation.save_key, annotation.is_finished = save_key, True
    objects = list(original.objects) if original else []
    annotation.objects = [_copy(one, parts=[_copy(part) for part in one.parts]) for one in objects]
    visit.session.add(annotation)
    visit.session.flush()
    return annotation


def move_head(session: Session, annotation: Annotation, state: ImageState) -> bool:
    """Whether the revision became the image's newest: only from the one that it started from."""
    statement = (
        update(Image)
        .where(
            Image.id == annotation.image_id,
            Image.annotation_id.is_not_distinct_from(annotation.parent_id),
            Image.state == state,
        )
        .values(annotation_id=annotation.id)
        .execution_options(synchronize_session=False)
    )
    return count_changed(session, statement) == 1


def _copy(row: Copied, **more: Any) -> Copied:
    """A new row with the same values, which belongs to nothing yet."""
    keys = {column.key for column in row.__mapper__.column_attrs}
    values = {key: getattr(row, key) for key in keys - {"id", "annotation_id", "object_id"}}
    return type(row)(**values, **more)


def _pack_object(item: ObjectBody) -> dict[str, Any]:
    kept = {"class_name", "view", "truncated", "occluded", "unsure", "drawn_secs"}
    point_x, point_y = item.point or (None, None)
    point = {"point_x": point_x, "point_y": point_y}
    values = item.model_dump(include=kept) | point | _box_columns(item.box)
    return values | {"object_key": item.key, "actions": list(item.actions)}


def _box_columns(xyxy: Xyxy) -> dict[str, int]:
    return dict(zip(("xmin", "ymin", "xmax", "ymax"), xyxy, strict=True))
