"""What a check compared: the one value of which its sentence, JSON and exit status are made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vockit.format.plural import format_count

MOST_NAMES = 3
"""Of what differs, and of what is passed over for one reason, so many are named in a sentence."""

NOTHING_COMPARED = "nothing was compared, so the check has failed"

Outcome = bool | str
"""Of one item: True where it is as expected, False where it is not, or why it is passed over."""


@dataclass(frozen=True)
class Compared:
    """The items of one check: how many are as expected, which differ, which are passed over.

    Every check, comparison and summary returns this value. Its sentence, JSON and exit status are
    made from it and from nothing else, so that none of them can claim what was not compared:

        compared = compare("image", ((name, judge(name)) for name in names))
        click.echo(compared.sentence)
        ctx.exit(compared.exit_status)

    `judge` returns an Outcome. Passed over is what the check cannot judge and need not; what it
    should have judged and could not, such as a file that cannot be read, is different. A check that
    compared nothing has failed, whatever it passed over.

    `what` is a noun in the singular. `is_right` and `is_wrong` complete "12 images are ..." and the
    like, as in Compared("image", is_right="of this party"): "0 of 12 images are of this party".
    """

    what: str
    equal: int = 0
    different: tuple[str, ...] = ()
    passed_over: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    is_right: str = "as expected"
    is_wrong: str = "not"

    @property
    def compared(self) -> int:
        """How many items were compared."""
        return self.equal + len(self.different)

    @property
    def total(self) -> int:
        """How many items there are, compared or passed over."""
        return self.compared + sum(map(len, self.passed_over.values()))

    @property
    def is_passed(self) -> bool:
        """Whether something was compared and nothing differs."""
        return self.compared > 0 and not self.different

    @property
    def exit_status(self) -> int:
        """The exit status of a command that makes this check: 0 where it is passed, else 1."""
        return 0 if self.is_passed else 1

    @property
    def sentence(self) -> str:
        """What was compared and found, then each reason for passing over; ends with a full stop."""
        return f"{self.counts}." if self.compared else f"{self.counts}; {NOTHING_COMPARED}."

    @property
    def counts(self) -> str:
        """The same without the end, for a sentence that says by itself what has failed."""
        if not self.total:
            return f"there are no {self._plural}"
        of_total = f"{self.equal:,} of {format_count(self.total, self.what)}"
        text = f"{of_total} {'is' if 1 in (self.equal, self.total) else 'are'} {self.is_right}"
        if self.different:
            text += f", {len(self.different):,} {self.is_wrong} ({_name_some(self.different)})"
        for reason, names in self.passed_over.items():
            text += f"; passed over {len(names):,} ({_name_some(names)}): {reason}"
        return text

    def as_json(self) -> dict[str, Any]:
        """The same as JSON values, with all names."""
        return {
            "what": self.what,
            "compared": self.compared,
            "equal": self.equal,
            "different": list(self.different),
            "passed_over": {reason: list(names) for reason, names in self.passed_over.items()},
        }

    @property
    def _plural(self) -> str:
        return format_count(2, self.what).removeprefix("2 ")


def compare(
    what: str,
    outcomes: Iterable[tuple[str, Outcome]],
    *,
    is_right: str = "as expected",
    is_wrong: str = "not",
) -> Compared:
    """The value of a check from the outcome of each item, by its name, in their order."""
    equal = 0
    different: list[str] = []
    passed_over: dict[str, list[str]] = {}
    for name, outcome in outcomes:
        if isinstance(outcome, str):
            passed_over.setdefault(outcome, []).append(name)
        elif outcome:
            equal += 1
        else:
            different.append(name)
    return Compared(
        what=what,
        equal=equal,
        different=tuple(different),
        passed_over={reason: tuple(names) for reason, names in passed_over.items()},
        is_right=is_right,
        is_wrong=is_wrong,
    )


def _name_some(names: tuple[str, ...]) -> str:
    """The first names, and that there are more."""
    return ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")
