"""How many of the images that were found have which state, class, author, finding and set.

Counting looks at no more than the newest MOST images, so that it costs the same in every party.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, Subquery, case, func, select
from sqlalchemy.orm import Session

from catalog.at_rest import STATE_AT_REST
from catalog.party import Party
from catalog.states import WordKind
from catalog.tables import (
    Annotation,
    Campaign,
    Finding,
    Image,
    Object,
    Person,
    Query,
    Release,
    ReleaseImage,
)
from qa.finding_rows import is_waiting
from qa.load import LOADED_STATES

from .lookup import SETS, Condition

MOST = 10_000
"""Images that are counted, the newest first."""
MOST_VALUES = 500
"""Of one kind of names that a search may be completed with."""


@dataclass(frozen=True)
class FacetCount:
    """A value of a filter, and how many of the counted images it finds."""

    value: str
    images: int


@dataclass(frozen=True)
class Facets:
    """Counts by the name of their filter, largest first; `counted` images were looked at."""

    counted: int
    counts: Mapping[str, Sequence[FacetCount]]


def count_facets(session: Session, conditions: Sequence[Condition], party: Party) -> Facets:
    """How often the newest images that fulfil the conditions have each value of five filters."""
    columns = (Image.id, Image.state, STATE_AT_REST.label("state_at_rest"), Image.annotation_id)
    newest = select(*columns).where(*conditions).order_by(Image.id.desc()).limit(MOST).subquery()
    number_of_images = func.count(newest.c.id.distinct())

    def count(value: Any) -> Select[Any]:
        return select(value, number_of_images).select_from(newest).group_by(value)

    counted = session.scalar(select(func.count()).select_from(newest)) or 0
    by_class = count(_class_today(party)).join(
        Object, Object.annotation_id == newest.c.annotation_id
    )
    by_author = (
        count(Person.name)
        .join(Annotation, Annotation.image_id == newest.c.id)
        .join(Person, Person.id == Annotation.person_id)
        .where(Annotation.is_finished.is_(True), Annotation.set_aside_at.is_(None))
    )
    by_set = count(ReleaseImage.split).join(ReleaseImage, ReleaseImage.image_id == newest.c.id)
    chosen = {
        "state": count(newest.c.state),
        "class": by_class,
        "annotator": by_author,
        "finding": _select_findings(count(Finding.severity), newest),
        "set": by_set,
    }
    names = {"class": party.words[WordKind.CLASS].retired}
    return Facets(
        counted=counted,
        counts={
            name: sorted(
                (
                    FacetCount(names.get(name, {}).get(value, str(value)), number)
                    for value, number in session.execute(query)
                ),
                key=lambda facet: (-facet.images, facet.value),
            )
            for name, query in chosen.items()
        },
    )


def list_values(session: Session) -> dict[str, list[str]]:
    """The names by filter that are not the preset's: people, queries, sets and campaigns."""

    def list_names(column: Any) -> list[str]:
        chosen = select(column).distinct().order_by(column).limit(MOST_VALUES)
        return list(session.scalars(chosen))

    people = list_names(Person.name)
    return {
        "person": people,
        "annotator": people,
        "checker": people,
        "query": list_names(Query.keyword),
        "set": [*SETS, *list_names(Release.name)],
        "campaign": list_names(Campaign.name),
    }


def _class_today(party: Party) -> ColumnElement[str]:
    """The class that an object counts as today."""
    moved = party.words[WordKind.CLASS].moved
    return (
        case(dict(moved), value=Object.class_id, else_=Object.class_id)
        if moved
        else (Object.class_id.expression)
    )


def _select_findings(counted: Select[Any], newest: Subquery) -> Select[Any]:
    return counted.join(Finding, Finding.image_id == newest.c.id).where(
        is_waiting(), newest.c.state_at_rest.in_(LOADED_STATES)
    )
