"""Which class and which query to draw next: by what is missing, and by what queries were worth.

A query's worth is the share of its judged images that hold its class. It is sampled from its Beta
distribution (Thompson), whose prior is the class's own average with the weight of a few images; so
an untried query counts as an average one, and one that had bad luck is tried again. Queries are
drawn in proportion to the sample, not the best alone, and one draw in ten is among all alike:
a wide range of keywords is what keeps a dataset from showing pictures "of" objects only
(the paper, section 3.1).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from .sampling import Keyword, draw_keyword

EXPLORED_SHARE = 0.1
PRIOR_IMAGES = 4.0
"""The weight of the class's average, in judged images."""
RELOAD_DRAWS = 500


@dataclass(frozen=True)
class Record:
    """One query's images: those people judged, the useful ones of them, those that still wait."""

    judged: int = 0
    useful: int = 0
    waiting: int = 0


@dataclass(frozen=True)
class Standing:
    """What there is: images that show each class, and each query's record by its id."""

    shown: Mapping[str, int] = field(default_factory=dict)
    records: Mapping[int, Record] = field(default_factory=dict)


def plan_targets(
    class_names: Sequence[str], wanted: Mapping[str, int], target: int
) -> dict[str, float]:
    """How many images shall show each class: as wanted, the others share the rest of the target."""
    others = [name for name in class_names if name not in wanted]
    rest = max(0, target - sum(wanted.values()))
    return {
        name: float(wanted[name]) if name in wanted else rest / len(others) for name in class_names
    }


class Uniform:
    """Each class equally likely, then each query of it, as in the paper."""

    def choose(self, rng: random.Random, keywords: Mapping[str, Sequence[Keyword]]) -> Keyword:
        """One of the keywords."""
        return draw_keyword(rng, keywords)

    def count_found(self, keyword: Keyword, count: int) -> None:
        """Nothing depends on what was found."""


class Balanced:
    """Classes by what they miss, queries by their worth; `load` is asked from time to time."""

    def __init__(self, targets: Mapping[str, float], load: Callable[[], Standing]) -> None:
        self._targets, self._load = targets, load
        self._standing = Standing()
        self._found: Counter[int] = Counter()
        self._draws = 0

    def choose(self, rng: random.Random, keywords: Mapping[str, Sequence[Keyword]]) -> Keyword:
        """One of the keywords."""
        if self._draws % RELOAD_DRAWS == 0:
            self._standing, self._found = self._load(), Counter()
        self._draws += 1
        names = sorted(keywords)
        missing = [
            max(0.0, self._targets[name] - self.expected(name, keywords[name])) for name in names
        ]
        name = rng.choices(names, missing if any(missing) else None)[0]
        return self._choose_query(rng, keywords[name])

    def count_found(self, keyword: Keyword, count: int) -> None:
        """Count photos that the keyword just found and that wait to be judged."""
        self._found[keyword.query_id] += count

    def expected(self, name: str, keywords: Sequence[Keyword]) -> float:
        """How many images will show the class, counting those that wait by their query's worth."""
        records = [self._record(one) for one in keywords]
        average = average_worth(records)
        waiting = sum(one.waiting * mean_worth(one, average) for one in records)
        return self._standing.shown.get(name, 0) + waiting

    def _choose_query(self, rng: random.Random, keywords: Sequence[Keyword]) -> Keyword:
        if rng.random() < EXPLORED_SHARE:
            return rng.choice(keywords)
        records = [self._record(one) for one in keywords]
        average = average_worth(records)
        return rng.choices(keywords, [sample_worth(rng, one, average) for one in records])[0]

    def _record(self, keyword: Keyword) -> Record:
        known = self._standing.records.get(keyword.query_id, Record())
        waiting = known.waiting + self._found[keyword.query_id]
        return Record(known.judged, known.useful, waiting)


def average_worth(records: Sequence[Record]) -> float:
    """The share of useful images over all queries of a class, between 0 and 1 (Laplace)."""
    judged, useful = sum(one.judged for one in records), sum(one.useful for one in records)
    return (useful + 1) / (judged + 2)


def mean_worth(record: Record, average: float) -> float:
    """What a query is expected to be worth, with the class's average as prior."""
    return (record.useful + PRIOR_IMAGES * average) / (record.judged + PRIOR_IMAGES)


def sample_worth(rng: random.Random, record: Record, average: float) -> float:
    """A worth that the query may have, drawn from what is known of it."""
    useful = record.useful + PRIOR_IMAGES * average
    useless = record.judged - record.useful + PRIOR_IMAGES * (1 - average)
    return rng.betavariate(useful, useless)
