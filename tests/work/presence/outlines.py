"""A small hierarchy with its frequencies, and answers in short words."""

from __future__ import annotations

from catalog.hierarchy import Node, make_hierarchy
from catalog.states import NodeKind
from catalog.translating import Heard
from work.presence.rules import Outline

GROUPS = {"animal": [], "pet": ["animal"], "food": [], "seafood": ["animal", "food"]}
CLASSES = {
    "cat": ["pet"],
    "dog": ["pet"],
    "lobster": ["seafood"],
    "shrimp": ["seafood"],
    "bread": ["food"],
    "cake": ["food"],
    "person": [],
}
HIERARCHY = make_hierarchy(CLASSES, GROUPS)
SEVERAL = Outline(
    HIERARCHY, dict.fromkeys(HIERARCHY.classes_below[next(iter(HIERARCHY.parents))], 0.1)
)


def node_of(key: str) -> Node:
    return Node(NodeKind.GROUP if key in GROUPS else NodeKind.CLASS, key)


def heard(words: str) -> list[Heard]:
    """The answers of words such as `+cat -food`."""
    return [Heard(node_of(word[1:]), word[0] == "+") for word in words.split()]
