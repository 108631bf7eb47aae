"""What the queue has to give: per class and per query, how much waits and how much is drawn."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.states import ImageState
from catalog.stats import load_standing
from catalog.tables import Image, Photo, Query


@dataclass(frozen=True)
class QuerySupply:
    """A query, and the images in the pool that it found."""

    query_id: int
    class_name: str
    keyword: str
    waiting: int


@dataclass(frozen=True)
class Supply:
    """Queries with images in the pool, most first; objects drawn so far by class."""

    queries: tuple[QuerySupply, ...]
    objects: dict[str, int]

    def count_waiting(self, class_name: str) -> int:
        """Images in the pool that queries of the class found."""
        return sum(item.waiting for item in self.queries if item.class_name == class_name)


def load_supply(session: Session) -> Supply:
    """The supply as it is now."""
    waiting = func.count(Image.id.distinct())
    rows = session.execute(
        select(Query.id, Query.class_name, Query.keyword, waiting)
        .join(Photo, Photo.query_id == Query.id)
        .join(Image, Photo.image_id == Image.id)
        .where(Image.state == ImageState.POOL)
        .group_by(Query.id, Query.class_name, Query.keyword)
        .order_by(waiting.desc(), Query.id)
    )
    queries = tuple(QuerySupply(*row) for row in rows)
    return Supply(queries, dict(load_standing(session).classes))
