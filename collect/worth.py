"""What each query was worth: how much of what it found was kept, judged, and found useful."""

from __future__ import annotations

from sqlalchemy import ColumnElement, ScalarSelect, distinct, func, or_, select, update
from sqlalchemy.orm import Session

from catalog.states import ImageState, PhotoState
from catalog.tables import Image, Object, Photo, Query

from .balance import Record, Standing

_NOT_KEPT = (ImageState.BROKEN, ImageState.DUPLICATE, ImageState.TAKEN_DOWN)


def refresh_query_worth(session: Session) -> None:
    """Recount every query's `kept`, `judged` and `useful` from the rows.

    Kept: its images that were not broken, near-duplicates or taken down. Judged: those of them that
    have a revision or were discarded. Useful: those of these whose newest revision holds an object
    of the query's class and that were not discarded.
    """
    # In the order of ids first, so that two that recount at once wait for each other one way.
    session.execute(select(Query.id).order_by(Query.id).with_for_update()).all()
    is_judged = or_(Image.annotation_id.is_not(None), Image.state == ImageState.DISCARDED)
    session.execute(
        update(Query).values(
            kept=_count(),
            judged=_count(is_judged),
            useful=_count(Image.state != ImageState.DISCARDED, _has_class()),
        )
    )


def load_standing(session: Session) -> Standing:
    """How many images show each class, and every query's judged, useful and waiting ones.

    What was judged is as of the last recount.
    """
    waiting = dict(
        session.execute(
            select(Photo.query_id, func.count())
            .where(Photo.state.in_((PhotoState.FOUND, PhotoState.FETCHED)))
            .group_by(Photo.query_id)
        )
        .tuples()
        .all()
    )
    queries = session.execute(select(Query.id, Query.judged, Query.useful)).all()
    records = {
        one.id: Record(one.judged, one.useful, max(0, waiting.get(one.id, 0) - one.judged))
        for one in queries
    }
    return Standing(load_shown(session), records)


def load_shown(session: Session) -> dict[str, int]:
    """How many images show an object of each class, whichever query found them."""
    rows = session.execute(
        select(Object.class_name, func.count(distinct(Image.id)))
        .join(Image, Image.annotation_id == Object.annotation_id)
        .where(Image.state.not_in((*_NOT_KEPT, ImageState.DISCARDED)))
        .group_by(Object.class_name)
    )
    return dict(rows.tuples().all())


def _count(*conditions: ColumnElement[bool]) -> ScalarSelect[int]:
    statement = (
        select(func.count(distinct(Image.id)))
        .join(Photo, Photo.image_id == Image.id)
        .where(
            Photo.query_id == Query.id,
            Photo.state == PhotoState.FETCHED,
            Image.state.not_in(_NOT_KEPT),
            *conditions,
        )
    )
    return statement.correlate(Query).scalar_subquery()


def _has_class() -> ColumnElement[bool]:
    return (
        select(Object.id)
        .where(
            Object.annotation_id == Image.annotation_id,
            Object.class_name == Query.class_name,
        )
        .correlate(Image, Query)
        .exists()
    )
