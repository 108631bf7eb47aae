"""What one run fetched and lost, counted, and its summary in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from catalog.states import PhotoState

from .claims import Outcome
from .errors import PhotoError, format_reason, format_reasons


@dataclass
class Tally:
    """What one run fetched and lost; `left_out` says why results of searches were, by page.

    `waiting` counts photos that another run asks for again, by reason, `barred` those of the queue
    that the settings do not allow, by sentence. `examples` has one photograph for each reason.
    """

    fetched: int = 0
    same_bytes: int = 0  # as an image that was there
    gone: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    waiting: Counter[str] = field(default_factory=Counter)
    barred: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)

    def count(self, outcome: Outcome, fault: PhotoError | None = None) -> None:
        """Count one outcome, and with a loss its reason."""
        self.fetched += outcome is Outcome.FETCHED
        self.same_bytes += outcome is Outcome.SAME_BYTES
        if fault is None or outcome not in (Outcome.LOST, Outcome.DOUBTED):
            return
        self.examples[fault.reason] = str(fault)
        if outcome is Outcome.DOUBTED:
            self.waiting[fault.reason] += 1
        else:
            lost = self.gone if fault.photo_state is PhotoState.GONE else self.broken
            lost[fault.reason] += 1

    def count_believed(self, outcome: Outcome, fault: PhotoError) -> None:
        """Count a photo that waited, and is lost now or is another run's."""
        self.waiting[fault.reason] -= 1
        self.waiting += Counter()  # without zeros
        self.count(outcome, fault)

    def count_taken_back(self, fault: PhotoError) -> None:
        """Count a photo that had the bytes of another one, and that is in doubt now."""
        self.same_bytes -= 1
        self.count(Outcome.DOUBTED, fault)

    def describe_main_reason(self) -> str:
        """The sentence on what most photographs of the run ended for; empty where there is none."""
        reasons = self.gone + self.broken + self.waiting
        total = self.fetched + self.same_bytes + reasons.total() + self.barred.total()
        for reason, count in reasons.most_common(1):
            if 2 * count > total:
                example = format_reason(self.examples.get(reason, reason))
                return f"{count} of {total} photographs ended for one reason: {example}."
        for sentence, count in self.barred.most_common(1):
            if 2 * count > total:
                return f"{count} of {total} photographs were not fetched: {sentence}."
        return ""


def format_left_out(tally: Tally) -> str:
    """A line for each reason why results were left out, with one of them; most first.

    Lines on photographs that were found earlier, and that the settings do not allow now, are last.
    """
    counts = Counter(tally.left_out.values()).most_common()
    first = {reason: page for page, reason in reversed(list(tally.left_out.items()))}
    lines = [
        f"Skipped {count} ({first[reason]}, for example): {reason}." for reason, count in counts
    ]
    for sentence, count in tally.barred.most_common():
        lines.append(f"Not fetched, but kept in the queue: {count} ({sentence}).")
    return "\n".join(lines)


def format_summary(tally: Tally) -> str:
    """The summary in one line."""
    waiting = f"; to be asked for again {format_reasons(tally.waiting)}" if tally.waiting else ""
    return (
        f"Fetched {tally.fetched:,}; "
        f"gone {format_reasons(tally.gone)}; broken {format_reasons(tally.broken)}; "
        f"identical files {tally.same_bytes}{waiting}."
    )
