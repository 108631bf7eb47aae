"""Groups of presets: paths, several parents, and what is refused or warned of."""

import pytest

from catalog.group_limits import list_path, list_warnings, refuse_masks
from catalog.hierarchy import Node
from catalog.preset import load_preset, parse_preset
from catalog.states import NodeKind
from vockit.errors import SettingsError

ZOO = """
[[groups]]
name = "animal"
words = "an animal"

[[groups]]
name = "pet"
words = "a pet"
parents = ["animal"]

[[groups]]
name = "swimmer"
words = "something that swims"

[[classes]]
name = "cat"
parents = ["pet"]

[[classes]]
name = "dog"
parents = ["pet", "swimmer"]

[[classes]]
name = "fish"
parents = ["animal", "swimmer"]
"""


def test_groups_and_classes_name_several_parents() -> None:
    preset = parse_preset(ZOO)
    dog = Node(NodeKind.CLASS, "dog")
    above = {node.key for node in preset.hierarchy.ancestors[dog]} - {""}
    assert above == {"pet", "animal", "swimmer"}
    assert [item.words for item in preset.classes] == ["a cat", "a dog", "a fish"]
    assert list_warnings(preset) == []


def test_a_path_makes_a_group_for_each_place() -> None:
    preset = parse_preset(
        """
        [[classes]]
        name = "mouse"
        groups = ["Animals", "Small"]
        [[classes]]
        name = "ant"
        groups = ["Animals", "Small"]
        [[classes]]
        name = "scooter"
        groups = ["Vehicles", "Small"]
        """
    )
    small = [group for group in preset.groups if group.display == "Small"]
    assert [(group.key, group.parents) for group in small] == [
        ("Animals / Small", ("Animals",)),
        ("Vehicles / Small", ("Vehicles",)),
    ]
    assert list_path(preset, preset.classes[2]) == ("Vehicles", "Small")


def test_the_groups_of_voc_are_those_of_the_paths_with_words() -> None:
    preset = load_preset("voc2012")
    sofa = preset.find_class("sofa")
    assert sofa is not None
    assert list_path(preset, sofa) == sofa.groups == ("Household", "Furniture", "Seating")
    assert preset.groups_of_ids["Animals"].question_words == "an animal"


def test_a_parent_is_named_by_its_key_or_its_name() -> None:
    renamed = ZOO.replace('name = "pet"', 'key = "pet"\nname = "House animal"', 1)
    preset = parse_preset(renamed.replace('["pet", "swimmer"]', '["House animal", "swimmer"]'))
    assert [item.parents for item in preset.classes] == [
        ("pet",),
        ("pet", "swimmer"),
        ("animal", "swimmer"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            'words = "an animal"',
            'words = "an animal"\nparents = ["pet"]',
            "groups: animal is below pet is below animal; a group cannot be above itself.",
        ),
        (
            'parents = ["pet"]',
            'parents = ["pets"]',
            "classes.0 (cat): parents names 'pets', which is no group; did you mean 'pet'?",
        ),
        (
            'parents = ["pet"]',
            'parents = ["dog"]',
            "classes.0 (cat): parents names 'dog', which is a class and no group.",
        ),
        (
            'words = "a pet"\n',
            "",
            "groups.1 (pet): the key words is missing, which its question needs, "
            'as words = "an animal".',
        ),
        (
            'words = "a pet"',
            'words = "a CAT"',
            "groups.1 (pet): words says 'a CAT', as classes.0 (cat): words does; "
            "a question needs its own.",
        ),
        (
            'words = "a pet"',
            'words = "a pet"\nsynonyms = ["fish"]',
            "groups.1 (pet): synonyms says 'fish', as classes.2 (fish): display does; "
            "a question needs its own.",
        ),
        (
            '"something that swims"',
            '"something that swims"\n[[groups]]\nname = "plant"\nwords = "a plant"',
            "groups.3 (plant): no class is below it.",
        ),
    ],
)
def test_a_hierarchy_that_cannot_be_asked_is_refused(old: str, new: str, sentence: str) -> None:
    with pytest.raises(SettingsError) as raised:
        parse_preset(ZOO.replace(old, new, 1), origin="zoo.toml")
    assert str(raised.value).startswith(f"zoo.toml: {sentence.removesuffix('.')}")


def test_one_child_and_classes_in_no_group_are_warned_of() -> None:
    text = ZOO + '[[groups]]\nname = "stone"\nwords = "a stone"\n'
    text += '[[classes]]\nname = "gem"\nparents = ["stone"]\n[[classes]]\nname = "person"\n'
    assert list_warnings(parse_preset(text)) == [
        "stone has one child alone, gem; its question says nothing that the child's would not.",
        "person is in no group, so it is asked of every image.",
    ]


def test_a_thousand_classes_are_taken_and_one_more_is_not() -> None:
    lines = [f'[[classes]]\nname = "c{number}"\n' for number in range(1001)]
    assert len(parse_preset("".join(lines[:-1])).classes) == 1000
    with pytest.raises(SettingsError, match=r"classes holds 1,001, and a party has at most 1,000"):
        parse_preset("".join(lines))


def test_more_classes_than_a_mask_has_colours_are_not_segmented() -> None:
    lines = [f'[[classes]]\nname = "c{number}"\n' for number in range(255)]
    refuse_masks(parse_preset("".join(lines[:-1])))
    with pytest.raises(SettingsError, match=r"has 255 classes, and the palette .* room for 254"):
        refuse_masks(parse_preset("".join(lines)))
