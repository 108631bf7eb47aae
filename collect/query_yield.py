"""The yield of each query, and which class and query to draw next."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import and_, case, distinct, func, or_, select
from sqlalchemy.orm import Session

from catalog.at_rest import STATE_AT_REST, rests_in
from catalog.party import PartyData
from catalog.states import ImageState, PhotoState
from catalog.tables import Image, Object, Photo, Query

from .strata import RELOAD_DRAWS, Keyword

NOT_KEPT = (ImageState.BROKEN, ImageState.DUPLICATE, ImageState.TAKEN_DOWN)
DRAWN = (
    ImageState.ANNOTATED,
    ImageState.RETURNED,
    ImageState.CHECKED,
    ImageState.RELEASED,
)
"""Of which a person finished an annotation; a draft says nothing of a class that it lacks yet."""


def recount_yields(party: PartyData) -> None:
    """Recount what each query has."""
    with party.catalogue.writing() as session:
        # In the order of ids, so that two that save at once wait for each other one way.
        queries = session.scalars(select(Query).order_by(Query.id).with_for_update()).all()
        yields = _count_yields(session)
        for query in queries:
            query.kept, query.judged, query.useful = yields.get(query.id, (0, 0, 0))


def _count_yields(session: Session) -> dict[int, tuple[int, int, int]]:
    """Each query's images: kept, judged, useful; every image is read once."""
    is_drawn = rests_in(DRAWN)
    is_judged = rests_in((*DRAWN, ImageState.DISCARDED))
    is_of_class = Object.annotation_id == Image.annotation_id, Object.class_name == Query.class_name
    has_class = select(Object.id).where(*is_of_class).correlate(Image, Query).exists()
    pairs = (
        select(
            Photo.query_id,
            Image.id,
            case((is_judged, 1), else_=0).label("judged"),
            case((and_(is_drawn, has_class), 1), else_=0).label("useful"),
        )
        .join(Image, Image.id == Photo.image_id)
        .join(Query, Query.id == Photo.query_id)
        .where(Photo.state == PhotoState.FETCHED, Image.state.not_in(NOT_KEPT))
        .distinct()
        .subquery()
    )
    columns = pairs.c
    sums = select(
        columns.query_id, func.count(), func.sum(columns.judged), func.sum(columns.useful)
    )
    rows = session.execute(sums.group_by(columns.query_id))
    return {query_id: (kept, judged, useful) for query_id, kept, judged, useful in rows}


def load_counts(session: Session) -> ClassCounts:
    """How many images show each class, and every query's judged, useful and waiting ones."""
    counted = select(Photo.query_id, func.count()).outerjoin(Image, Image.id == Photo.image_id)
    is_there = and_(Photo.state == PhotoState.FETCHED, Image.state.not_in(NOT_KEPT))
    are_there = or_(Photo.state == PhotoState.FOUND, is_there)
    rows = session.execute(counted.where(are_there).group_by(Photo.query_id))
    waiting = dict(rows.tuples().all())
    queries = session.execute(select(Query.id, Query.judged, Query.useful)).all()
    records = {
        query.id: Record(
            query.judged, query.useful, max(0, waiting.get(query.id, 0) - query.judged)
        )
        for query in queries
    }
    shown = session.execute(
        select(Object.class_name, func.count(distinct(Image.id)))
        .join(Image, Image.annotation_id == Object.annotation_id)
        .where(STATE_AT_REST.not_in((*NOT_KEPT, ImageState.DISCARDED)))
        .group_by(Object.class_name)
    )
    return ClassCounts(dict(shown.tuples().all()), records)


EXPLORED_SHARE = 0.1
PRIOR_IMAGES = 4.0
"""The weight of the class's average, in judged images."""
LEVEL_SHARE = 0.001
"""Classes whose shares of their targets differ by less are level."""


@dataclass(frozen=True)
class Record:
    """One query's images: those people judged, the useful ones of them, those that still wait."""

    judged: int = 0
    useful: int = 0
    waiting: int = 0


@dataclass(frozen=True)
class ClassCounts:
    """What there is: images that show each class, and each query's record by its id."""

    shown: Mapping[str, int] = field(default_factory=dict)
    records: Mapping[int, Record] = field(default_factory=dict)


def plan_targets(
    class_names: Sequence[str], wanted: Mapping[str, int], whole: int, target: int
) -> dict[str, float]:
    """How many images shall show each class; those that are not wanted share what is left alike."""
    others = [name for name in class_names if name not in wanted]
    rest = max(0, whole - sum(wanted.values()))
    shares = {name: wanted[name] if name in wanted else rest / len(others) for name in class_names}
    total = sum(shares.values())
    return {name: target * share / total if total else 0.0 for name, share in shares.items()}


def choose_uniform(rng: random.Random, keywords: Mapping[str, Sequence[Keyword]]) -> Keyword:
    """One of the keywords: each class equally likely, then each keyword of it (the paper)."""
    return rng.choice(keywords[rng.choice(sorted(keywords))])


class Balanced:
    """Classes by what they miss, queries by their yield; `load` is asked from time to time."""

    def __init__(self, targets: Mapping[str, float], load: Callable[[], ClassCounts]) -> None:
        self._targets = targets
        self._load = load
        self._counts = ClassCounts()
        self._found: Counter[int] = Counter()
        self._draws = 0

    def choose(self, rng: random.Random, keywords: Mapping[str, Sequence[Keyword]]) -> Keyword:
        """One of the keywords."""
        if self._draws % RELOAD_DRAWS == 0:
            self._counts = self._load()
            self._found = Counter()
        self._draws += 1
        names = sorted(keywords)
        missing = {
            name: max(0.0, 1 - self.expected(name, keywords[name]) / self._targets[name])
            for name in names
            if self._targets[name]
        }
        # By how far a class is behind the fullest, so that all fill up alike.
        least = min(filter(None, missing.values()), default=0.0)
        behind = [
            self._targets[candidate] * (missing[candidate] - least + LEVEL_SHARE)
            if missing.get(candidate)
            else 0.0
            for candidate in names
        ]
        name = rng.choices(names, behind if any(behind) else None)[0]
        if rng.random() < EXPLORED_SHARE:
            return rng.choice(keywords[name])
        records = [self._record(keyword) for keyword in keywords[name]]
        average = average_yield(records)
        yields = [sample_yield(rng, record, average) for record in records]
        return rng.choices(keywords[name], yields)[0]

    def count_found(self, keyword: Keyword, count: int) -> None:
        """Count photos that the keyword just found and that wait to be judged."""
        self._found[keyword.query_id] += count

    def expected(self, name: str, keywords: Sequence[Keyword]) -> float:
        """How many images will show the class; one that waits counts as its query's yield."""
        records = [self._record(keyword) for keyword in keywords]
        return count_expected(self._counts.shown.get(name, 0), records)

    def _record(self, keyword: Keyword) -> Record:
        known = self._counts.records.get(keyword.query_id, Record())
        waiting = known.waiting + self._found[keyword.query_id]
        return Record(known.judged, known.useful, waiting)


def count_expected(shown: int, records: Sequence[Record]) -> float:
    """How many images will show a class that so many show now, with the records of its queries."""
    average = average_yield(records)
    waiting = sum(
        record.waiting * (record.useful + PRIOR_IMAGES * average) / (record.judged + PRIOR_IMAGES)
        for record in records
    )
    return shown + waiting


def average_yield(records: Sequence[Record]) -> float:
    """The share of useful images over all queries of a class, between 0 and 1 (Laplace)."""
    judged = sum(record.judged for record in records)
    useful = sum(record.useful for record in records)
    return (useful + 1) / (judged + 2)


def sample_yield(rng: random.Random, record: Record, average: float) -> float:
    """A yield that the query may have, drawn from what is known of it."""
    useful = record.useful + PRIOR_IMAGES * average
    useless = record.judged - record.useful + PRIOR_IMAGES * (1 - average)
    return rng.betavariate(useful, useless)
