"""What an import has to tell of the tree's files, in the order in which it was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Mend:
    """Something that was read or stored otherwise than the file has it; the line is from 1."""

    file: str
    line: int
    rule: str
    message: str


@dataclass(frozen=True)
class Skip:
    """An image of the tree that was not imported, and why."""

    image_id: str
    reason: str


def count_rules(mends: Sequence[Mend]) -> list[tuple[str, int, Mend]]:
    """Each rule with how many files it was met in and the first place, the most frequent first."""
    files: dict[str, set[str]] = {}
    firsts: dict[str, Mend] = {}
    for mend in mends:
        files.setdefault(mend.rule, set()).add(mend.file)
        firsts.setdefault(mend.rule, mend)
    counts = Counter({rule: len(names) for rule, names in files.items()})
    return [(rule, count, firsts[rule]) for rule, count in counts.most_common()]


def group_skips(skips: Sequence[Skip]) -> list[tuple[str, list[str]]]:
    """Each reason with the images that it kept out, in the order of the first of them."""
    groups: dict[str, list[str]] = {}
    for skip in skips:
        groups.setdefault(skip.reason, []).append(skip.image_id)
    return list(groups.items())
