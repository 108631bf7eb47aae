"""What the catalogue knew of how the images came together, when the release was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pydantic import TypeAdapter


@dataclass(frozen=True)
class QueryFact:
    """A query's searches, the matches claimed, and how many photographs were drawn and kept."""

    source: str
    class_name: str
    keyword: str
    searches: int
    matches: int
    draws: int
    kept: int


@dataclass(frozen=True)
class PeopleFact:
    """How many people saved revisions or reviews, how many simulated ones, and their hours."""

    people: int = 0
    simulated: int = 0
    rows: int = 0
    active_hours: float = 0.0


@dataclass(frozen=True)
class CheckFact:
    """An automatic check's findings by what came of them."""

    name: str
    severity: str
    verdicts: dict[str, int]


@dataclass(frozen=True)
class Facts:
    """The record of a party; counts by word, moments as ISO 8601 in UTC.

    `agreement` is what `vocparty agreement` measured last, or None where it never did.
    """

    party: str
    preset_title: str
    queries: tuple[QueryFact, ...] = ()
    photos: dict[str, int] = field(default_factory=dict)
    images: dict[str, int] = field(default_factory=dict)
    discarded: dict[str, int] = field(default_factory=dict)
    duplicates: dict[str, int] = field(default_factory=dict)
    verdicts: dict[str, int] = field(default_factory=dict)
    annotators: PeopleFact = PeopleFact()
    checkers: PeopleFact = PeopleFact()
    checks: tuple[CheckFact, ...] = ()
    found_from: str | None = None
    found_to: str | None = None
    uploaded_from: str | None = None
    uploaded_to: str | None = None
    agreement: dict[str, Any] | None = None

    @property
    def active_hours(self) -> float:
        """What annotating and checking took together."""
        return self.annotators.active_hours + self.checkers.active_hours

    def to_json(self) -> dict[str, Any]:
        """The values as JSON has them."""
        return asdict(self)


def parse_facts(values: Mapping[str, Any]) -> Facts:
    """The facts that `to_json` gave."""
    return _ADAPTER.validate_python(dict(values))


_ADAPTER = TypeAdapter(Facts)
