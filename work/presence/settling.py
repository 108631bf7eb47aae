"""What the answers about an image settle; pure.

A no closes everything below it, since each group shows whatever its classes show: with several
parents one no is enough. A yes is one to everything above, which outweighs a no that was said
there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from catalog.hierarchy import Node
from catalog.states import NodeKind
from catalog.translating import Heard

from .beliefs import Beliefs
from .rules import Outline, Rules

YES_DOUBT = 5.0
"""A yes may be so many times as doubtful as a no: there are few of them, a no stands for many."""


@dataclass(frozen=True)
class Settled:
    """The nodes that are settled: `yes` with all above them, `no` each for all below it.

    `present` and `done` are sets of classes, as an Outline numbers them: those that are shown, and
    those that are settled either way.
    """

    yes: frozenset[Node]
    no: frozenset[Node]
    present: int
    done: int


def settle(outline: Outline, rules: Rules, answers: Sequence[Heard], beliefs: Beliefs) -> Settled:
    """What the answers, in the order in which they came, settle by the rules."""
    known = [heard for heard in answers if heard.node in outline.order]
    if rules.confidence:
        direct = _settle_by_confidence(known, rules, beliefs)
    else:
        direct = _settle_by_count(known, rules)
    hierarchy = outline.hierarchy
    yes = frozenset(hierarchy.list_above(node for node, is_yes in direct.items() if is_yes))
    no = {node for node, is_yes in direct.items() if not is_yes and node not in yes}
    closed = 0
    for node in no:
        closed |= outline.bits[node]
    present = 0
    for node in yes:
        if node.kind is NodeKind.CLASS:
            present |= outline.bits[node]
    highest = {node for node in no if not hierarchy.ancestors[node] & no}
    return Settled(yes=yes, no=frozenset(highest), present=present, done=present | closed)


def _settle_by_count(answers: Iterable[Heard], rules: Rules) -> dict[Node, bool]:
    """What enough people agree about first."""
    counts = Counter[Heard]()
    settled = dict[Node, bool]()
    for heard in answers:
        counts[heard] += 1
        if heard.node not in settled and counts[heard] >= rules.need(heard.node):
            settled[heard.node] = heard.is_yes
    return settled


def _settle_by_confidence(
    answers: Iterable[Heard], rules: Rules, beliefs: Beliefs
) -> dict[Node, bool]:
    """What is sure enough, and was said by somebody."""
    settled = dict[Node, bool]()
    for node, is_yes in dict.fromkeys(answers):
        chance = beliefs.find_chance(node)
        if is_yes and chance >= 1 - YES_DOUBT * (1 - rules.confidence):
            settled[node] = True
        elif not is_yes and chance <= 1 - rules.confidence:
            settled[node] = False
    return settled


def list_classes(outline: Outline, bits: int) -> list[Node]:
    """The classes of a set, in the order of the preset."""
    classes = list[Node]()
    while bits:
        lowest = bits & -bits
        classes.append(outline.class_of_bit[lowest])
        bits ^= lowest
    return classes


def count_answers(answers: Iterable[Heard]) -> Mapping[Heard, int]:
    """How many people said each thing."""
    return Counter(answers)
