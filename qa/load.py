"""Revisions read from the catalogue as subjects of checks, in few queries for however many."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from catalog.box import Box
from catalog.states import ImageState
from catalog.tables import Annotation, Image, Object, Part, Photo

from .subjects import CheckedImage, CheckedObject, CheckedPart

LOADED_STATES = (
    ImageState.ANNOTATED,
    ImageState.CHECKING,
    ImageState.CHECKED,
    ImageState.RELEASED,
)
"""Finished work; what was returned or is being drawn is not finished."""

_HOUR_LENGTH = len("2026-01-31 12")
_CHUNK = 5000

_OBJECT_COLUMNS = (
    Object.annotation_id,
    Object.number,
    Object.object_key,
    Object.class_name,
    Object.xmin,
    Object.ymin,
    Object.xmax,
    Object.ymax,
    Object.view,
    Object.truncated,
    Object.occluded,
    Object.difficult,
    Object.actions,
    Object.point_x,
    Object.point_y,
)


@dataclass(frozen=True)
class _Origin:
    owner: str | None
    taken_hour: str | None


def load_checked_images(
    session: Session, image_ids: Sequence[int] | None = None
) -> list[CheckedImage]:
    """Every annotated or checked image with its newest revision, in order of ids.

    `image_ids` limits them, and is meant for few.
    """
    conditions = [Image.state.in_(LOADED_STATES), Annotation.discard_reason.is_(None)]
    if image_ids is not None:
        conditions.append(Image.id.in_(image_ids))
    chosen = _choose(Annotation.id, conditions)
    objects = load_objects(session, Object.annotation_id.in_(chosen))
    origins = _load_origins(session, _choose(Image.id, conditions))
    active_secs = _load_active_secs(session, _choose(Image.id, conditions))
    rows = session.execute(
        _choose(Image.id, conditions)
        .add_columns(Image.width, Image.height, Annotation.id, Annotation.person_id)
        .order_by(Image.id)
    )
    return [
        CheckedImage(
            image_id,
            width,
            height,
            tuple(objects.get(annotation_id, ())),
            active_secs.get(image_id),
            annotation_id,
            person_id,
            **_origin_values(origins.get(image_id)),
        )
        for image_id, width, height, annotation_id, person_id in rows.tuples()
    ]


def make_checked_image(
    image: Image, annotation: Annotation, *, active_secs: float | None = None
) -> CheckedImage:
    """One revision of an image, both as they are loaded."""
    return CheckedImage(
        image_id=image.id,
        width_px=image.width,
        height_px=image.height,
        objects=tuple(_make_object(item) for item in annotation.objects),
        active_secs=active_secs,
        annotation_id=annotation.id,
        person_id=annotation.person_id,
    )


def load_objects(
    session: Session, condition: ColumnElement[bool]
) -> dict[int, list[CheckedObject]]:
    """The objects of the revisions that fulfil a condition on Object, in order, by revision."""
    rows = session.execute(
        select(*_OBJECT_COLUMNS).where(condition).order_by(Object.annotation_id, Object.number)
    )
    parts = _load_parts(session, condition)
    objects: dict[int, list[CheckedObject]] = defaultdict(list)
    for row in rows:
        item = _read_object(row._tuple())
        own = parts.get((row[0], row[1]))
        objects[row[0]].append(replace(item, parts=tuple(own)) if own else item)
    return objects


def load_objects_of(
    session: Session, annotation_ids: Sequence[int]
) -> dict[int, list[CheckedObject]]:
    """The objects of these revisions, however many."""
    ids = sorted(set(annotation_ids))
    objects: dict[int, list[CheckedObject]] = {}
    for start in range(0, len(ids), _CHUNK):
        chunk = ids[start : start + _CHUNK]
        objects |= load_objects(session, Object.annotation_id.in_(chunk))
    return objects


def load_boxes_of(
    session: Session, annotation_ids: Sequence[int]
) -> dict[int, list[CheckedObject]]:
    """The objects of these revisions with class and box alone, for what compares no more."""
    ids = sorted(set(annotation_ids))
    objects: dict[int, list[CheckedObject]] = defaultdict(list)
    for start in range(0, len(ids), _CHUNK):
        rows = session.execute(
            select(*_OBJECT_COLUMNS[:8])
            .where(Object.annotation_id.in_(ids[start : start + _CHUNK]))
            .order_by(Object.annotation_id, Object.number)
        )
        for annotation_id, number, key, class_name, *corners in rows.tuples():
            item = CheckedObject(number, key, class_name, Box(*corners))
            objects[annotation_id].append(item)
    return objects


def _choose(column: Any, conditions: Sequence[ColumnElement[bool]]) -> Select[Any]:
    joined = select(column).select_from(Image)
    return joined.join(Annotation, Annotation.id == Image.annotation_id).where(*conditions)


def _read_object(row: tuple[Any, ...]) -> CheckedObject:
    _, number, key, class_name, xmin, ymin, xmax, ymax, view, truncated, occluded, *rest = row
    difficult, actions, point_x, point_y = rest
    return CheckedObject(
        number,
        key,
        class_name,
        Box(xmin, ymin, xmax, ymax),
        view,
        truncated,
        occluded,
        difficult,
        tuple(actions),
        (point_x, point_y) if point_x is not None and point_y is not None else None,
    )


def _load_parts(
    session: Session, condition: ColumnElement[bool]
) -> dict[tuple[int, int], list[CheckedPart]]:
    rows = session.execute(
        select(
            Object.annotation_id,
            Object.number,
            Part.name,
            Part.xmin,
            Part.ymin,
            Part.xmax,
            Part.ymax,
        )
        .join(Object, Part.object_id == Object.id)
        .where(condition)
        .order_by(Part.object_id, Part.number)
    )
    parts: dict[tuple[int, int], list[CheckedPart]] = defaultdict(list)
    for annotation_id, number, name, *xyxy in rows.tuples():
        parts[annotation_id, number].append(CheckedPart(name, Box(*xyxy)))
    return parts


def _make_object(item: Object) -> CheckedObject:
    has_point = item.point_x is not None and item.point_y is not None
    return CheckedObject(
        number=item.number,
        key=item.object_key,
        class_name=item.class_name,
        box=item.box,
        view=item.view,
        truncated=item.truncated,
        occluded=item.occluded,
        difficult=item.difficult,
        actions=tuple(item.actions),
        point_xy=(item.point_x, item.point_y) if has_point else None,  # type: ignore[arg-type]
        parts=tuple(CheckedPart(part.name, part.box) for part in item.parts),
    )


def _load_origins(session: Session, chosen: Select[Any]) -> dict[int, _Origin]:
    """Whose photograph each image is and when it was taken; of several photos the first counts."""
    rows = session.execute(
        select(
            Photo.image_id,
            Photo.source,
            Photo.owner_id,
            Photo.taken_at_text,
            Photo.taken_at_unknown,
        )
        .where(Photo.image_id.in_(chosen))
        .order_by(Photo.id.desc())
    )
    return {
        image_id: _Origin(
            f"{source.value}:{owner}" if owner else None,
            (taken or "")[:_HOUR_LENGTH] or None if not is_unknown else None,
        )
        for image_id, source, owner, taken, is_unknown in rows.tuples()
        if image_id is not None
    }


def _origin_values(origin: _Origin | None) -> dict[str, str | None]:
    if origin is None:
        return {}
    return {"owner": origin.owner, "taken_hour": origin.taken_hour}


def _load_active_secs(session: Session, chosen: Select[Any]) -> dict[int, float]:
    """Seconds over all revisions of each image but those that are kept beside.

    An image without any is left out: its annotation was imported, and nobody measured it.
    """
    rows = session.execute(
        select(Annotation.image_id, func.sum(Annotation.active_secs))
        .where(Annotation.is_stale.is_(False), Annotation.image_id.in_(chosen))
        .group_by(Annotation.image_id)
        .having(func.sum(Annotation.active_secs) > 0)
    )
    return dict(rows.tuples().all())
