"""What an import counts: what became of each photograph, and why some left no row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from collect.claims import Outcome
from collect.doubts import Miss
from collect.errors import PhotoError, format_reason
from collect.picture import Picture
from collect.tally import Tally


@dataclass(frozen=True)
class Refusal:
    """Something of a folder or table that leaves no row or is broken, and why."""

    where: str
    reason: str


@dataclass
class ImportCount:
    """Counts of one import while it runs."""

    tally: Tally = field(default_factory=Tally)
    refusals: list[Refusal] = field(default_factory=list)
    broken: list[Refusal] = field(default_factory=list)
    doubted: dict[int, Refusal] = field(default_factory=dict)  # by the id of the photo
    converted: Counter[str] = field(default_factory=Counter)  # by the format that came
    known: int = 0
    licensed: int = 0  # of the known ones: those that had no licence and have one now
    unlicensed: int = 0
    given_up: list[str] = field(default_factory=list)  # a sentence for each host


@dataclass(frozen=True)
class Known:
    """A photograph that has a row already, and whether the row got its licence now."""

    is_licensed_now: bool = False


Done = tuple[Outcome, Picture | PhotoError, bool] | Miss | Refusal | Known
"""What became of a photograph, and whether it has a licence. A Miss waits for a later answer."""


def count_done(count: ImportCount, where: str, done: Done) -> None:
    """Count what became of one photograph; `where` is its place in the folder or table."""
    if isinstance(done, Known):
        count.known += 1
        count.licensed += done.is_licensed_now
        return
    if isinstance(done, Refusal):
        count.refusals.append(done)
        return
    if isinstance(done, Miss):
        count.tally.count(Outcome.DOUBTED, done.fault)
        count.doubted[done.claim.photo_id] = Refusal(where, format_reason(str(done.fault)))
        return
    outcome, came, is_licensed = done
    if isinstance(came, PhotoError):
        count.tally.count(outcome, came)
        count.broken.append(Refusal(where, format_reason(str(came))))
    else:
        count.tally.count(outcome)
        count.unlicensed += not is_licensed
        if came.came_as:
            count.converted[came.came_as] += 1


def count_believed(count: ImportCount, believed: Sequence[tuple[Miss, Outcome]]) -> None:
    """Count as lost those that were counted as in doubt."""
    for miss, outcome in believed:
        refusal = count.doubted.pop(miss.claim.photo_id, None)
        if refusal is not None:
            count.tally.count_believed(outcome, miss.fault)
            count.broken.append(refusal)
