"""The figures of a collection, as values; every count is of one moment of the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from catalog.plural import format_count
from present.recency import Recent


@dataclass(frozen=True)
class QueryFigures:
    """One query, or the sum of a class's queries (then `keyword` is empty).

    `display` is what people call the class, the name itself where the preset lacks it.
    `drawn` are the photos that it found, `kept` its images that were neither broken nor
    near-duplicates nor taken down, `useful` those of them that show the class.
    """

    source: str
    class_name: str
    keyword: str
    display: str
    searches: int = 0
    matches: int = 0
    draws: int = 0
    drawn: int = 0
    fetched: int = 0
    gone: int = 0
    broken: int = 0
    withdrawn: int = 0
    duplicates: int = 0
    kept: int = 0
    judged: int = 0
    useful: int = 0

    @property
    def useful_share(self) -> float | None:
        """The share of judged images that show the class, None where none was judged."""
        return self.useful / self.judged if self.judged else None


@dataclass(frozen=True)
class OwnerFigures:
    """One owner and how many of the kept photographs are theirs."""

    owner_id: str
    owner_name: str
    photographs: int


@dataclass(frozen=True)
class Spread:
    """Photographs by the bins of a calendar, and what an even spread would give each."""

    labels: tuple[str, ...]
    counts: tuple[int, ...]
    even: tuple[float, ...]


@dataclass(frozen=True)
class Shortage:
    """Years of which a query has fewer photographs than uniform dates would give."""

    query: str
    years: str
    photographs: int
    uniform: int


@dataclass(frozen=True)
class Verdict:
    """Whether the photographs, annotated or released images are even, by dates or owners, say."""

    of: str
    by: str
    is_even: bool | None
    finding: str
    advice: str


@dataclass(frozen=True)
class Report:
    """Everything that is told of one party's collection.

    `recent` is by the date that the settings draw by. `spreads` are by year and month taken, and by
    year of upload. `undated` have no date taken that can be trusted. `left_out` are results of
    searches that were not taken, by the reason; one may count twice.
    """

    party: str
    made_at: str
    dates: str
    photos: Mapping[str, int]
    images: Mapping[str, int]
    lost: Mapping[str, int]
    classes: tuple[QueryFigures, ...]
    queries: tuple[QueryFigures, ...]
    kept: int
    undated: int
    recent: tuple[Recent, ...]
    shortages: tuple[Shortage, ...]
    spreads: Mapping[str, Spread]
    owners: int
    top_owners: tuple[OwnerFigures, ...]
    top_owners_share: float
    licences: Mapping[str, int]
    longest_sides: Mapping[str, int]
    shapes: Mapping[str, int]
    sources: Mapping[str, int]
    left_out: Mapping[str, int] = field(default_factory=dict)
    verdicts: tuple[Verdict, ...] = ()

    @property
    def top_owners_have(self) -> str:
        """Who has most kept photographs, with a verb: "the first ten of 13 owners have"."""
        if self.owners > len(self.top_owners):
            return f"the first ten of {format_count(self.owners, 'owner')} have"
        return f"{format_count(self.owners, 'owner')} {'has' if self.owners == 1 else 'have'}"
