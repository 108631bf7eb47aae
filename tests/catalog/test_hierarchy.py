"""Hierarchies: what is below and above, several parents, cycles."""

import pytest

from catalog.hierarchy import ROOT, CycleError, Node, make_hierarchy, read_node
from catalog.states import NodeKind

GROUPS = {"animal": [], "pet": ["animal"], "food": [], "seafood": ["animal", "food"]}
CLASSES = {"cat": ["pet"], "lobster": ["seafood"], "bread": ["food"], "person": []}


def group(key: str) -> Node:
    return Node(NodeKind.GROUP, key)


def of_class(key: str) -> Node:
    return Node(NodeKind.CLASS, key)


def test_a_class_with_several_parents_is_below_all_of_them() -> None:
    hierarchy = make_hierarchy(CLASSES, GROUPS)
    below = {
        node.key: {item.key for item in items} for node, items in hierarchy.classes_below.items()
    }
    assert below["animal"] == {"cat", "lobster"}
    assert below["food"] == {"lobster", "bread"}
    assert below[""] == set(CLASSES)
    above = {node.key for node in hierarchy.ancestors[of_class("lobster")]}
    assert above == {"seafood", "animal", "food", ""}
    assert hierarchy.parents[of_class("person")] == (ROOT,)


def test_parents_come_before_their_children_whatever_the_order_of_the_file() -> None:
    backwards = dict(reversed(GROUPS.items()))
    order = list(make_hierarchy(CLASSES, backwards).parents)
    for node, parents in make_hierarchy(CLASSES, backwards).parents.items():
        assert all(order.index(parent) < order.index(node) for parent in parents)


def test_everything_below_and_above_is_listed_once() -> None:
    hierarchy = make_hierarchy(CLASSES, GROUPS)
    below = hierarchy.list_below([group("animal")])
    assert {node.key for node in below} == {"animal", "pet", "seafood", "cat", "lobster"}
    assert hierarchy.list_above([of_class("cat")]) == {
        of_class("cat"),
        group("pet"),
        group("animal"),
        ROOT,
    }


@pytest.mark.parametrize(
    ("groups", "keys"),
    [
        ({"a": ["a"]}, ("a", "a")),
        ({"a": ["b"], "b": ["c"], "c": ["a"]}, ("a", "b", "c", "a")),
        ({"x": [], "a": ["x", "b"], "b": ["a"]}, ("a", "b", "a")),
    ],
)
def test_a_group_above_itself_is_named(groups: dict[str, list[str]], keys: tuple[str, ...]) -> None:
    with pytest.raises(CycleError) as raised:
        make_hierarchy({"cat": ["a"]}, groups)
    assert raised.value.keys == keys


@pytest.mark.parametrize("node", [ROOT, group("House / Seat: low"), of_class("cat")])
def test_a_node_is_read_back_from_its_word(node: Node) -> None:
    assert read_node(node.word) == node
