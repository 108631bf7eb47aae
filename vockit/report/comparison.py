"""The result of a check, `Compared`, from which its sentence, JSON and exit status are made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vockit.format.plural import format_count

MOST_NAMES = 3
"""A sentence names at most this many items that differ, and this many for each reason to skip."""

NOTHING_COMPARED = "nothing was compared, so the check has failed"

Outcome = bool | str
"""The result for one item: True as expected, False different, or the reason to pass it over."""


@dataclass(frozen=True)
class Compared:
    """How many items of one check are as expected, which differ, and which were passed over.

    Every check, comparison and summary returns this value. Sentence, JSON and exit status come
    from it alone, so none of them can claim more than was compared:

        compared = compare("image", ((name, judge(name)) for name in names))
        click.echo(compared.sentence)
        ctx.exit(compared.exit_status)

    `judge` returns an Outcome. An item that the check does not cover is passed over. An item that
    it covers but cannot judge, such as an unreadable file, is different. A check that compared
    nothing has failed, even if it passed items over.

    `what` is a noun in the singular, `many` its plural where that is not the noun with an s.
    `is_right` follows "are": with "image" and "of this party", the sentence is "9 of 12 images are
    of this party". `is_wrong` follows the number of items that differ.
    """

    what: str
    equal: int = 0
    different: tuple[str, ...] = ()
    passed_over: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    is_right: str = "as expected"
    is_wrong: str = "not"
    many: str = ""

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
        """Whether at least one item was compared and none differs."""
        return self.compared > 0 and not self.different

    @property
    def exit_status(self) -> int:
        """The exit status of a command that makes this check: 0 if it passed, 1 if it failed."""
        return 0 if self.is_passed else 1

    @property
    def sentence(self) -> str:
        """The result as a whole sentence, with a full stop; it says so if nothing was compared."""
        return f"{self.counts}." if self.compared else f"{self.counts}; {NOTHING_COMPARED}."

    @property
    def counts(self) -> str:
        """The result without a full stop, to be used within another sentence."""
        if not self.total:
            return f"there are no {self._plural}"
        of_total = f"{self.equal:,} of {format_count(self.total, self.what, self.many)}"
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
        return format_count(2, self.what, self.many).removeprefix("2 ")


def compare(
    what: str,
    outcomes: Iterable[tuple[str, Outcome]],
    *,
    is_right: str = "as expected",
    is_wrong: str = "not",
    many: str = "",
) -> Compared:
    """The result of a check from pairs of an item's name and its outcome; the order is kept."""
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
        many=many,
    )


def _name_some(names: tuple[str, ...]) -> str:
    """The first MOST_NAMES names, and "..." if there are more."""
    return ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")
