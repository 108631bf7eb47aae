"""The tree of classes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from catalog.taxonomy import Leaf, TaxonomyNode, build_taxonomy, list_class_names

groups = st.lists(st.sampled_from(["Animals", "Farmyard", "cow"]), max_size=3).map(tuple)


def make_leaves(paths: list[tuple[str, ...]]) -> list[Leaf]:
    """One class for each path of groups."""
    return [Leaf(path, f"class{index}", f"Class {index}") for index, path in enumerate(paths)]


def test_a_class_without_groups_stands_at_the_top() -> None:
    assert build_taxonomy([Leaf((), "person", "Person")]) == (TaxonomyNode("Person", "person"),)


def test_nodes_stand_in_the_order_of_their_first_class() -> None:
    leaves = make_leaves([("B", "C"), (), ("A",), ("B",), ("B", "C")])
    b_group, class1, a_group = build_taxonomy(leaves)
    assert [node.display for node in (b_group, class1, a_group)] == ["B", "Class 1", "A"]
    assert [node.display for node in b_group.children] == ["C", "Class 3"]
    assert list(list_class_names(b_group.children)) == ["class0", "class4", "class3"]


def test_a_group_and_a_class_of_one_name_stay_two_nodes() -> None:
    nodes = build_taxonomy([Leaf((), "cow", "cow"), Leaf(("cow",), "calf", "calf")])
    assert nodes == (
        TaxonomyNode("cow", "cow"),
        TaxonomyNode("cow", None, (TaxonomyNode("calf", "calf"),)),
    )


@given(st.lists(groups, max_size=12))
def test_every_class_is_one_leaf(paths: list[tuple[str, ...]]) -> None:
    leaves = make_leaves(paths)
    names = list(list_class_names(build_taxonomy(leaves)))
    assert sorted(names) == sorted(leaf.class_name for leaf in leaves)


@given(st.lists(groups, max_size=12))
def test_a_node_is_a_class_or_has_children(paths: list[tuple[str, ...]]) -> None:
    def check(nodes: tuple[TaxonomyNode, ...]) -> None:
        for node in nodes:
            assert (node.class_name is None) == bool(node.children)
            check(node.children)

    check(build_taxonomy(make_leaves(paths)))
