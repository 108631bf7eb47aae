"""What each query was worth: how much of what it found was kept, judged, and found useful."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, case, distinct, func, not_, or_, select
from sqlalchemy.orm import Session

from catalog.states import ImageState, PhotoState
from catalog.tables import Image, Object, Photo, Query

from .balance import Record, Standing

_NOT_KEPT = (ImageState.BROKEN, ImageState.DUPLICATE, ImageState.TAKEN_DOWN)


@dataclass(frozen=True)
class Worth:
    """One query's images.

    Kept: those that were not broken, near-duplicates or taken down. Judged: those of them that have
    a revision or were discarded. Useful: those of these whose newest revision holds an object of
    the query's class and that were not discarded.
    """

    kept: int = 0
    judged: int = 0
    useful: int = 0


def refresh_query_worth(session: Session) -> None:
    """Recount every query's `kept`, `judged` and `useful` from the rows."""
    save_query_worth(session, count_query_worth(session))


def count_query_worth(session: Session) -> dict[int, Worth]:
    """The worth of each query that has images; reads every image once."""
    is_discarded = Image.state == ImageState.DISCARDED
    pairs = (
        select(
            Photo.query_id,
            Image.id,
            case((or_(Image.annotation_id.is_not(None), is_discarded), 1), else_=0).label("judged"),
            case((and_(not_(is_discarded), _has_class()), 1), else_=0).label("useful"),
        )
        .join(Image, Image.id == Photo.image_id)
        .join(Query, Query.id == Photo.query_id)
        .where(Photo.state == PhotoState.FETCHED, Image.state.not_in(_NOT_KEPT))
        .distinct()
        .subquery()
    )
    rows = session.execute(
        select(
            pairs.c.query_id, func.count(), func.sum(pairs.c.judged), func.sum(pairs.c.useful)
        ).group_by(pairs.c.query_id)
    )
    return {query_id: Worth(*counts) for query_id, *counts in rows}


def save_query_worth(session: Session, worth: Mapping[int, Worth]) -> None:
    """Write what was counted, where it differs from what the rows say."""
    # In the order of ids, so that two that save at once wait for each other one way.
    for query in session.scalars(select(Query).order_by(Query.id).with_for_update()).all():
        counted = worth.get(query.id, Worth())
        query.kept, query.judged, query.useful = counted.kept, counted.judged, counted.useful
    session.flush()


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
