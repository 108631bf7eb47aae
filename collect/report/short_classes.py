"""Classes that the party has too few images of, by its own targets."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select

from catalog.party import Party
from catalog.tables import Query
from collect.query_yield import (
    ClassCounts,
    Record,
    count_expected,
    load_counts,
    plan_targets,
    recount_yields,
)
from vockit.report.intervals import ENOUGH_IMAGES

from .figures import SMALL_CLASS_SHARE


@dataclass(frozen=True)
class ClassStock:
    """How many images show a class or are expected to, and how many shall by its target."""

    class_name: str
    display: str
    expected: float
    target: float

    @property
    def filled(self) -> float:
        """How much of its target is there."""
        return self.expected / self.target


@dataclass(frozen=True)
class Stock:
    """The classes of a party, the shortest first."""

    classes: Sequence[ClassStock]

    @property
    def images(self) -> float:
        """How many images are expected; one of two classes counts for each."""
        return sum(stock.expected for stock in self.classes)

    @property
    def is_clear(self) -> bool:
        """Whether there are enough images to tell which classes are short."""
        return self.images >= ENOUGH_IMAGES

    @property
    def middle(self) -> float:
        """How much of its target the class in the middle has."""
        return statistics.median(stock.filled for stock in self.classes)

    @property
    def short(self) -> tuple[ClassStock, ...]:
        """The classes that have nothing, or less than half of what the one in the middle has.

        Each by its own target. A class that reached it is not short.
        """
        if not self.is_clear:
            return ()
        least = min(1.0, SMALL_CLASS_SHARE * self.middle)
        return tuple(stock for stock in self.classes if not stock.filled or stock.filled < least)


def load_stock(party: Party) -> Stock:
    """What the party has of each class whose target is not 0."""
    recount_yields(party)
    with party.catalogue.reading() as session:
        counts = load_counts(session)
        asked = session.execute(select(Query.class_name, Query.id)).tuples().all()
    queries = dict[str, list[int]]()
    for class_name, query_id in asked:
        queries.setdefault(class_name, []).append(query_id)
    settings = party.settings.collect
    whole = settings.target_images
    targets = plan_targets(party.preset.class_names, settings.class_targets, whole, whole)
    return compare_stock(targets, party.preset.class_displays, queries, counts)


def compare_stock(
    targets: Mapping[str, float],
    displays: Mapping[str, str],
    queries: Mapping[str, Sequence[int]],
    counts: ClassCounts,
) -> Stock:
    """The stock of classes that have a target; `queries` are the ids of those of each class."""
    classes = []
    for name, target in targets.items():
        if not target:
            continue
        records = [counts.records.get(query_id, Record()) for query_id in queries.get(name, ())]
        expected = count_expected(counts.shown.get(name, 0), records)
        classes.append(ClassStock(name, displays[name], expected, target))
    return Stock(sorted(classes, key=lambda stock: (stock.filled, stock.class_name)))
