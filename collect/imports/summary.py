"""What an import came to."""

from __future__ import annotations

from dataclasses import dataclass, field

from collect.errors import PhotoError
from collect.outcomes import Outcome
from collect.tally import Summary, Tally, format_summary


@dataclass(frozen=True)
class Refusal:
    """Something of a folder or table that leaves no row, and why: `where` is a file or a line."""

    where: str
    reason: str


@dataclass
class ImportCount:
    """Counts of one import while it runs."""

    tally: Tally = field(default_factory=Tally)
    refusals: list[Refusal] = field(default_factory=list)
    known: int = 0
    unlicensed: int = 0

    def count(self, outcome: Outcome | None, came: object, *, has_licence: bool = True) -> None:
        """Count what one photograph came to; None where it was there already."""
        if outcome is None:
            self.known += 1
            return
        self.tally.count(outcome, came if isinstance(came, PhotoError) else None)
        self.unlicensed += not has_licence and outcome is not Outcome.LOST

    def refuse(self, where: str, reason: str) -> None:
        """Keep something that leaves no row."""
        self.refusals.append(Refusal(where, reason))

    @property
    def summary(self) -> Summary:
        """What was fetched and lost."""
        return self.tally.summary()


def format_import(count: ImportCount) -> str:
    """The counts in one line."""
    rest = f" Known from before {count.known}; left out {len(count.refusals)}."
    return format_summary(count.summary) + rest


def format_unlicensed(count: int) -> str:
    """One sentence on photographs that were kept without a licence."""
    which, them = (
        ("1 photograph has", "it") if count == 1 else (f"{count} photographs have", "them")
    )
    return (
        f"{which} no licence: see that you may use {them}, name it with --licence, "
        "or have such photographs left out with --require-licence."
    )
