"""Classes below groups, groups below groups, all below the root; a node may have several parents.

Whatever shows a class shows each group above it: a "no" to a node is one to everything below, and
a "yes" is one to everything above.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from .states import NodeKind


class Node(NamedTuple):
    """A class, a group or the root, by its id; that of the root is empty."""

    kind: NodeKind
    key: str

    @property
    def word(self) -> str:
        """The node as JSON has it: `class:dog`, `group:animal`, `root:`."""
        return f"{self.kind}:{self.key}"


ROOT = Node(NodeKind.ROOT, "")
"""Any object of the classes."""


def read_node(word: str) -> Node:
    """The node of a word that Node.word gave."""
    kind, _, key = word.partition(":")
    return Node(NodeKind(kind), key)


class CycleError(ValueError):
    """Groups that are above themselves; `keys` are theirs, each a parent of the one before it."""

    def __init__(self, keys: Sequence[str]) -> None:
        super().__init__(" < ".join(keys))
        self.keys = tuple(keys)


@dataclass(frozen=True)
class Hierarchy:
    """Which nodes are directly above each one; `parents` has parents before their children."""

    parents: Mapping[Node, tuple[Node, ...]]

    @cached_property
    def children(self) -> Mapping[Node, tuple[Node, ...]]:
        """The nodes directly below each one."""
        below = defaultdict[Node, list[Node]](list)
        for node, parents in self.parents.items():
            for parent in parents:
                below[parent].append(node)
        return {node: tuple(below[node]) for node in self.parents}

    @cached_property
    def classes_below(self) -> Mapping[Node, frozenset[Node]]:
        """The classes below each node; of a class itself alone."""
        below = dict[Node, frozenset[Node]]()
        for node in reversed(tuple(self.parents)):
            classes = {node} if node.kind is NodeKind.CLASS else set[Node]()
            below[node] = frozenset(classes.union(*(below[child] for child in self.children[node])))
        return below

    @cached_property
    def ancestors(self) -> Mapping[Node, frozenset[Node]]:
        """All nodes above each one."""
        above = dict[Node, frozenset[Node]]()
        for node, parents in self.parents.items():
            above[node] = frozenset(parents).union(*(above[parent] for parent in parents))
        return above

    def list_below(self, nodes: Iterable[Node]) -> set[Node]:
        """These nodes with everything below them."""
        reached = set[Node]()
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            if node not in reached:
                reached.add(node)
                waiting += self.children[node]
        return reached

    def list_above(self, nodes: Iterable[Node]) -> set[Node]:
        """These nodes with everything above them."""
        chosen = set(nodes)
        return chosen.union(*(self.ancestors[node] for node in chosen))


def make_hierarchy(
    classes: Mapping[str, Sequence[str]], groups: Mapping[str, Sequence[str]]
) -> Hierarchy:
    """The hierarchy in which each class and group has these groups as parents, else the root.

    Raises CycleError where a group is above itself, and KeyError for a parent that is no group.
    """
    parents: dict[Node, tuple[Node, ...]] = {ROOT: ()}
    for key in _sort_groups(groups):
        parents[Node(NodeKind.GROUP, key)] = _list_parents(groups[key])
    for key, above in classes.items():
        parents[Node(NodeKind.CLASS, key)] = _list_parents(above)
    return Hierarchy(parents)


def read_hierarchy(body: Mapping[str, Any]) -> Hierarchy:
    """The hierarchy of a plan's body."""
    return _read_parents(
        json.dumps(
            [[[item["key"], item["parents"]] for item in body[listing]] for listing in _BOTH]
        )
    )


_BOTH = ("classes", "groups")


@lru_cache(maxsize=16)
def _read_parents(text: str) -> Hierarchy:
    classes, groups = (dict(listed) for listed in json.loads(text))
    return make_hierarchy(classes, groups)


def _list_parents(keys: Sequence[str]) -> tuple[Node, ...]:
    return tuple(Node(NodeKind.GROUP, key) for key in dict.fromkeys(keys)) or (ROOT,)


def _sort_groups(groups: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The groups, each after its parents."""
    is_listed = dict[str, bool]()  # false while its parents are listed
    for first in groups:
        way: list[tuple[str, Iterator[str]]] = []
        if first not in is_listed:
            is_listed[first] = False
            way.append((first, iter(groups[first])))
        while way:
            key, rest = way[-1]
            parent = next(rest, None)
            if parent is None:
                is_listed[key] = True
                way.pop()
                yield key
            elif parent not in is_listed:
                is_listed[parent] = False
                way.append((parent, iter(groups[parent])))
            elif not is_listed[parent]:
                keys = [passed for passed, _ in way]
                raise CycleError([*keys[keys.index(parent) :], parent])
