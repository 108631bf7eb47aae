"""How probable classes are, against all combinations counted one by one."""

from itertools import product
from math import prod

import pytest

from catalog.hierarchy import ROOT, Node, make_hierarchy
from catalog.states import NodeKind
from catalog.translating import Heard
from work.presence.beliefs import Beliefs
from work.presence.rules import Outline

WRONG = 0.1
SHARES = {"cat": 0.3, "dog": 0.2, "bus": 0.1, "car": 0.4}
HIERARCHY = make_hierarchy(
    {"cat": ["pet"], "dog": ["pet"], "bus": ["vehicle"], "car": ["vehicle"]},
    {"pet": [], "vehicle": []},
)
CLASSES = {Node(NodeKind.CLASS, key): share for key, share in SHARES.items()}
OUTLINE = Outline(HIERARCHY, CLASSES)


def count_chance(node: Node, answers: list[Heard]) -> float:
    """The chance by the definition: all pictures, each with its weight."""
    weights = {True: 0.0, False: 0.0}
    for shown in product((True, False), repeat=len(CLASSES)):
        truth = {item for item, is_shown in zip(CLASSES, shown, strict=True) if is_shown}
        weight = prod(share if item in truth else 1 - share for item, share in CLASSES.items())
        for heard in answers:
            is_there = bool(HIERARCHY.classes_below[heard.node] & truth)
            weight *= 1 - WRONG if is_there is heard.is_yes else WRONG
        weights[bool(HIERARCHY.classes_below[node] & truth)] += weight
    return weights[True] / sum(weights.values())


@pytest.mark.parametrize("words", ["", "+pet", "+pet -cat", "+pet +pet -cat -dog", "-car +vehicle"])
def test_on_a_tree_the_chances_are_exact(words: str) -> None:
    answers = [
        Heard(
            Node(NodeKind.CLASS if word[1:] in SHARES else NodeKind.GROUP, word[1:]), word[0] == "+"
        )
        for word in words.split()
    ]
    beliefs = Beliefs(OUTLINE, answers, WRONG, {})
    for node in HIERARCHY.parents:
        assert beliefs.find_chance(node) == pytest.approx(count_chance(node, answers))


def test_a_hint_makes_a_class_and_its_groups_likelier() -> None:
    bus = Node(NodeKind.CLASS, "bus")
    plain = Beliefs(OUTLINE, [], WRONG, {})
    hinted = Beliefs(OUTLINE, [], WRONG, {bus: 0.9})
    assert hinted.find_chance(bus) == pytest.approx(0.9)
    for node in (Node(NodeKind.GROUP, "vehicle"), ROOT):
        assert hinted.find_chance(node) > plain.find_chance(node)
    cat = Node(NodeKind.CLASS, "cat")
    assert hinted.find_chance(cat) == pytest.approx(plain.find_chance(cat))
