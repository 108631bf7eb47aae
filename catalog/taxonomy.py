"""The classes as a tree of groups, for checklists and palettes (the paper, Fig. 2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Leaf:
    """One class and the names of the groups above it, outermost first."""

    groups: tuple[str, ...]
    class_name: str
    display: str


@dataclass(frozen=True)
class TaxonomyNode:
    """A group with children, or one class: then `class_name` is its name and there are none."""

    display: str
    class_name: str | None = None
    children: tuple[TaxonomyNode, ...] = ()


def build_taxonomy(leaves: Sequence[Leaf]) -> tuple[TaxonomyNode, ...]:
    """The topmost nodes; on each level nodes stand in the order of their first class."""
    return _grow(leaves, depth=0)


def list_class_names(nodes: Iterable[TaxonomyNode]) -> Iterator[str]:
    """The classes of a tree, from top to bottom as a page shows them."""
    for node in nodes:
        if node.class_name is not None:
            yield node.class_name
        yield from list_class_names(node.children)


def _grow(leaves: Sequence[Leaf], depth: int) -> tuple[TaxonomyNode, ...]:
    branches: dict[tuple[str, ...], list[Leaf]] = {}
    for leaf in leaves:
        branches.setdefault(_branch_key(leaf, depth), []).append(leaf)
    return tuple(_grow_node(branch, depth) for branch in branches.values())


def _branch_key(leaf: Leaf, depth: int) -> tuple[str, ...]:
    if len(leaf.groups) > depth:
        return ("group", leaf.groups[depth])
    return ("class", leaf.class_name)


def _grow_node(branch: Sequence[Leaf], depth: int) -> TaxonomyNode:
    first = branch[0]
    if len(first.groups) > depth:
        return TaxonomyNode(first.groups[depth], children=_grow(branch, depth + 1))
    return TaxonomyNode(first.display, class_name=first.class_name)
