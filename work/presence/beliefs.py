"""How probable each node is by the answers about an image; pure.

Classes occur independently of one another, a group where one of its classes does, and each answer
is wrong with the same chance. On a tree this is exact; a node with several parents counts below
each of them, and is at most as probable as the least probable one allows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from math import prod

from catalog.hierarchy import ROOT, Node
from catalog.states import NodeKind
from catalog.translating import Heard

from .rules import Outline

_LEAST = 1e-12


class Beliefs:
    """The chance of each node after the answers; `likely` has the chances of some classes before.

    Those are the classes of an image's queries and of suggested boxes.
    """

    def __init__(
        self,
        outline: Outline,
        answers: Iterable[Heard],
        wrong_share: float,
        likely: Mapping[Node, float],
    ) -> None:
        self._outline = outline
        self._likely = likely
        self._odds = defaultdict[Node, float](lambda: 1.0)
        right_odds = (1 - wrong_share) / wrong_share
        for node, is_yes in answers:
            self._odds[node] *= right_odds if is_yes else 1 / right_odds
        self._chances = dict[Node, float]()

    @cached_property
    def _absent(self) -> Mapping[Node, tuple[float, float]]:
        """Of each touched node the chance that it is absent: by what is below, and by all of it."""
        hierarchy = self._outline.hierarchy
        order = self._outline.order
        touched = hierarchy.list_above({*self._odds, *self._likely})
        absent = dict[Node, tuple[float, float]]()
        for node in sorted(touched, key=order.__getitem__, reverse=True):
            if node.kind is NodeKind.CLASS:
                before = 1 - self._likely[node] if node in self._likely else self._before(node)
            else:
                before = prod(
                    absent[child][1] if child in absent else self._before(child)
                    for child in hierarchy.children[node]
                )
            odds = self._odds.get(node, 1.0)
            absent[node] = (before, before / (before + (1 - before) * odds))
        return absent

    def _before(self, node: Node) -> float:
        return self._outline.absence[node]

    def find_chance(self, node: Node) -> float:
        """The chance that the picture shows what is asked for."""
        if node in self._chances:
            return self._chances[node]
        _, after = self._absent.get(node) or (self._before(node),) * 2
        if node == ROOT:
            chance = 1 - after
        else:
            chance = 1.0
            for parent in self._outline.hierarchy.parents[node]:
                without, _ = self._absent.get(parent) or (self._before(parent),) * 2
                given = min((1 - after) / max(1 - without, _LEAST), 1.0)
                chance = min(chance, self.find_chance(parent) * given)
        self._chances[node] = chance
        return chance
