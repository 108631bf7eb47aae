"""The newest revisions of annotated images, read from the catalogue as subjects of checks."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload

from catalog.states import ImageState
from catalog.tables import Annotation, Image, Object

from .subjects import CheckedImage, CheckedObject, CheckedPart

LOADED_STATES = (
    ImageState.ANNOTATED,
    ImageState.CHECKING,
    ImageState.CHECKED,
    ImageState.RELEASED,
)
"""Finished work; what was returned or is being drawn is not finished."""


def load_checked_images(session: Session) -> list[CheckedImage]:
    """Every annotated or checked image with its newest revision, in order of ids."""
    statement = (
        select(Image, Annotation)
        .join(Annotation, Annotation.id == Image.annotation_id)
        .where(Image.state.in_(LOADED_STATES), Annotation.discard_reason.is_(None))
        .order_by(Image.id)
        .options(selectinload(Annotation.objects).selectinload(Object.parts))
    )
    active_secs = _load_active_secs(session)
    return [
        make_checked_image(image, annotation, active_secs=active_secs.get(image.id))
        for image, annotation in session.execute(statement).tuples()
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
    )


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


def _load_active_secs(session: Session) -> dict[int, float]:
    """Seconds over all revisions of each image but those that lost against another.

    An image without any is left out: its annotation was imported, and nobody measured it.
    """
    rows = session.execute(
        select(Annotation.image_id, func.sum(Annotation.active_secs))
        .where(Annotation.is_stale.is_(False))
        .group_by(Annotation.image_id)
        .having(func.sum(Annotation.active_secs) > 0)
    )
    return dict(rows.tuples().all())
