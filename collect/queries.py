"""Rows of the table `query`: made from the preset, counted up by draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, func, select, update
from sqlalchemy.orm import Session

from catalog.states import Source
from catalog.tables import Query, as_table

from .inserts import insert_new
from .sampling import Keyword

_query = as_table(Query)
_COUNT = (
    update(_query)
    .where(_query.c.id == bindparam("query"))
    .values(
        searches=_query.c.searches + bindparam("searches_more"),
        matches=_query.c.matches + bindparam("matches_more"),
        draws=_query.c.draws + 1,
    )
)


@dataclass(frozen=True)
class DrawCounts:
    """What one draw cost and met: calls made, and the matches that Flickr claimed at the end."""

    searches: int
    matches: int


def seed_queries(session: Session, classes: Mapping[str, Sequence[str]]) -> None:
    """Make a row for each keyword of each class that has none yet."""
    rows = [
        {
            "source": Source.FLICKR,
            "class_name": class_name,
            "keyword": keyword,
            "searches": 0,
            "matches": 0,
            "draws": 0,
            "kept": 0,
            "useful": 0,
        }
        for class_name, keywords in sorted(classes.items())
        for keyword in sorted(set(keywords))
    ]
    insert_new(session, Query, rows, ("source", "class_name", "keyword"))


def load_keywords(
    session: Session, classes: Mapping[str, Sequence[str]]
) -> dict[str, tuple[Keyword, ...]]:
    """The keywords of each class that have a row, in the order of their keywords."""
    rows = session.execute(
        select(Query.id, Query.class_name, Query.keyword)
        .where(Query.source == Source.FLICKR, Query.class_name.in_(sorted(classes)))
        .order_by(Query.class_name, Query.keyword)
    )
    found = [Keyword(*row) for row in rows]
    return {
        name: tuple(one for one in found if one.class_name == name and one.text in keywords)
        for name, keywords in sorted(classes.items())
    }


def count_draw(session: Session, query_id: int, counts: DrawCounts) -> None:
    """Add one draw to a query's counters, whoever else adds at the same time."""
    given = {"query": query_id, "searches_more": counts.searches, "matches_more": counts.matches}
    session.connection().execute(_COUNT, given)


def load_draw_count(session: Session) -> int:
    """How many draws were ever made; the next one has this number."""
    return session.scalar(select(func.sum(Query.draws))) or 0
