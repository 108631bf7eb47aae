"""Wide groups are divided into sections, and nothing else changes."""

from typing import Any

from catalog.hierarchy import ROOT, Node, read_hierarchy
from catalog.states import NodeKind
from work.presence.sections import MOST_TOGETHER, Questions, add_sections

FRUITS = [
    "apple",
    "banana",
    "cherry",
    "date",
    "fig",
    "grape",
    "kiwi",
    "lemon",
    "mango",
    "nut",
    "pear",
]


def item(key: str, *parents: str) -> dict[str, Any]:
    return {"key": key, "words": f"a {key}", "parents": list(parents)}


def test_a_wide_group_has_sections_of_equal_size_in_the_order_of_the_preset() -> None:
    questions = {"classes": [item(key, "fruit") for key in FRUITS], "groups": [item("fruit")]}
    divided = add_sections(questions)
    assert [(group["key"], group["words"], group["parents"]) for group in divided["groups"]] == [
        ("fruit", "a fruit", []),
        ("fruit [1]", "a apple / a banana / a cherry", ["fruit"]),
        ("fruit [2]", "a date / a fig / a grape / a kiwi", ["fruit"]),
        ("fruit [3]", "a lemon / a mango / a nut / a pear", ["fruit"]),
    ]
    assert [fruit["parents"] for fruit in divided["classes"][2:4]] == [["fruit [1]"], ["fruit [2]"]]
    assert questions["classes"][0]["parents"] == ["fruit"]


def test_groups_that_are_not_wide_stay_as_they_are() -> None:
    five = [item(key, "fruit") for key in FRUITS[:MOST_TOGETHER]]
    questions = {"classes": [*five, item("person")], "groups": [item("fruit")]}
    assert add_sections(questions) == questions


def test_what_stands_at_the_top_is_divided_too_groups_first() -> None:
    classes = [item("apple", "fruit"), *(item(f"thing {number}") for number in range(6))]
    divided = add_sections({"classes": classes, "groups": [item("fruit")]})
    top = read_hierarchy(divided).children[ROOT]
    assert top == (Node(NodeKind.GROUP, "[1]"), Node(NodeKind.GROUP, "[2]"))
    assert divided["groups"][1]["words"] == "a fruit / a thing 0 / a thing 1"


def test_no_class_leaves_a_group_and_no_group_is_wide() -> None:
    """Also with several parents, of which one is divided or both are."""
    both = [item(f"both {number}", "wide", "also wide") for number in range(7)]
    some = [item(f"some {number}", "wide", "narrow") for number in range(4)]
    groups = [
        item("narrow"),
        item("wide"),
        item("also wide"),
        item("wide [1]"),
        item("deep", "wide"),
    ]
    questions: Questions = {
        "classes": [*both, *some, item("low", "deep"), item("other", "wide [1]")],
        "groups": groups,
    }
    before = read_hierarchy(questions)
    after = read_hierarchy(add_sections(questions))
    for node, classes in before.classes_below.items():
        assert after.classes_below[node] == classes
    assert all(len(children) <= MOST_TOGETHER for children in after.children.values())
    keys = [group["key"] for group in add_sections(questions)["groups"]]
    assert len(set(keys)) == len(keys)
