"""What is asked about an image, and by which rules answers settle it; pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from catalog.hierarchy import ROOT, Hierarchy, Node
from catalog.states import NodeKind

LEAST_FREQUENCY = 0.0005
"""The frequency of a class that nobody saw yet."""


@dataclass(frozen=True)
class Rules:
    """When a question is settled.

    Where `confidence` is 0, as soon as `agree` people agree, or as many as `agree_of` has for a
    class; so one more person is asked where two differ. Else as soon as it is so sure, if each
    answer is wrong with the chance `wrong_share`.
    """

    agree: int = 2
    agree_of: Mapping[Node, int] = field(default_factory=dict)
    confidence: float = 0.0
    wrong_share: float = 0.02

    def need(self, node: Node) -> int:
        """How many people have to agree about a node."""
        return self.agree_of.get(node, self.agree)


@dataclass(frozen=True)
class Outline:
    """The hierarchy and how frequent each class is, with what a search for questions looks up.

    A set of classes is a number with a bit for each of them.
    """

    hierarchy: Hierarchy
    frequencies: Mapping[Node, float]

    @cached_property
    def bits(self) -> Mapping[Node, int]:
        """The classes below each node, as a number; of a class itself."""
        classes = [node for node in self.hierarchy.parents if node.kind is NodeKind.CLASS]
        bits = {node: 1 << index for index, node in enumerate(classes)}
        return {
            node: sum(bits[item] for item in below)
            for node, below in self.hierarchy.classes_below.items()
        }

    @cached_property
    def all_bits(self) -> int:
        """All classes."""
        return self.bits[ROOT]

    @cached_property
    def class_of_bit(self) -> Mapping[int, Node]:
        """The class of each bit."""
        return {self.bits[node]: node for node in self.bits if node.kind is NodeKind.CLASS}

    @cached_property
    def order(self) -> Mapping[Node, int]:
        """The place of each node; parents come before their children."""
        return {node: place for place, node in enumerate(self.hierarchy.parents)}

    @cached_property
    def absence(self) -> Mapping[Node, float]:
        """The chance that a picture shows nothing below a node, of which nobody said anything."""
        absent = dict[Node, float]()
        for node in reversed(tuple(self.hierarchy.parents)):
            if node.kind is NodeKind.CLASS:
                absent[node] = 1 - max(self.frequencies.get(node, 0.0), LEAST_FREQUENCY)
            else:
                absent[node] = prod(absent[child] for child in self.hierarchy.children[node])
        return absent
