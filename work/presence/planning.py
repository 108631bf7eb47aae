"""Which question about an image comes next; pure.

As in the greedy search of ILSVRC (Russakovsky et al., 2015, appendix C) that is the question which
answers the most classes for its cost: a no answers all open classes below it, a yes a class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from catalog.hierarchy import ROOT, Node
from catalog.states import NodeKind
from catalog.translating import Heard

from .beliefs import Beliefs
from .rules import Outline, Rules
from .settling import Settled, count_answers

OPENS_AT = 0.5
"""What is below a group is asked once the group is more probable than not."""


def find_next(
    outline: Outline,
    rules: Rules,
    answers: Sequence[Heard],
    beliefs: Beliefs,
    settled: Settled,
    likely: Mapping[Node, float],
) -> Node | None:
    """The next question about an image; None where each class is settled."""
    if settled.done == outline.all_bits:
        return None
    said = count_answers(answers)

    def rate(node: Node) -> tuple[float, int]:
        """How many classes an answer is expected to settle, for each answer that this takes."""
        chance = beliefs.find_chance(node)
        by_no = (outline.bits[node] & ~settled.done).bit_count()
        by_yes = 1 if node.kind is NodeKind.CLASS else 0  # a group's "yes" settles no class
        expected = (1 - chance) * by_no + chance * by_yes
        return expected / _count_missing(rules, said, node), -outline.order[node]

    return max(_list_candidates(outline, beliefs, settled, likely), key=rate)


def _count_missing(rules: Rules, said: Mapping[Heard, int], node: Node) -> int:
    """How many answers settle the question at least; by confidence, one may."""
    if rules.confidence:
        return 1
    most_alike = max(said.get(Heard(node, word), 0) for word in (True, False))
    return max(rules.need(node) - most_alike, 1)


def _list_candidates(
    outline: Outline, beliefs: Beliefs, settled: Settled, likely: Mapping[Node, float]
) -> Iterator[Node]:
    """Questions whose answers say something: below groups that are open, and of likely classes.

    Nobody can say at a glance whether a picture shows any of 200 classes, so the root is not asked.
    """
    seen = set[Node]()
    waiting = [ROOT, *likely]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        open_bits = outline.bits[node] & ~settled.done
        if not open_bits:
            continue
        if node.kind is NodeKind.CLASS:
            yield node
        elif node == ROOT or node in settled.yes or beliefs.find_chance(node) >= OPENS_AT:
            waiting += outline.hierarchy.children[node]
        if node.kind is NodeKind.GROUP and node not in settled.yes:
            if open_bits & (open_bits - 1):
                yield node
            else:  # of the group one class is open, which is asked itself
                waiting.append(outline.class_of_bit[open_bits])
