"""What each query was worth: how much of what it found was kept and came to be useful."""

from __future__ import annotations

from sqlalchemy import ScalarSelect, distinct, func, select, update
from sqlalchemy.orm import Session

from catalog.states import ImageState, PhotoState
from catalog.tables import Image, Object, Photo, Query

_NOT_KEPT = (ImageState.BROKEN, ImageState.DUPLICATE, ImageState.TAKEN_DOWN)


def refresh_query_worth(session: Session) -> None:
    """Recount every query's `kept` and `useful` from the rows.

    Kept: its images that were not broken, near-duplicates or taken down. Useful: those of them
    whose newest revision holds an object of the query's class and that were not discarded.
    """
    # In the order of ids first, so that two that recount at once wait for each other one way.
    session.execute(select(Query.id).order_by(Query.id).with_for_update()).all()
    session.execute(update(Query).values(kept=_kept(), useful=_useful()))


def _kept() -> ScalarSelect[int]:
    statement = (
        select(func.count(distinct(Image.id)))
        .join(Photo, Photo.image_id == Image.id)
        .where(
            Photo.query_id == Query.id,
            Photo.state == PhotoState.FETCHED,
            Image.state.not_in(_NOT_KEPT),
        )
    )
    return statement.correlate(Query).scalar_subquery()


def _useful() -> ScalarSelect[int]:
    has_class = (
        select(Object.id)
        .where(
            Object.annotation_id == Image.annotation_id,
            Object.class_name == Query.class_name,
        )
        .correlate(Image, Query)
        .exists()
    )
    statement = (
        select(func.count(distinct(Image.id)))
        .join(Photo, Photo.image_id == Image.id)
        .where(
            Photo.query_id == Query.id,
            Photo.state == PhotoState.FETCHED,
            Image.state.not_in((*_NOT_KEPT, ImageState.DISCARDED)),
            has_class,
        )
    )
    return statement.correlate(Query).scalar_subquery()
