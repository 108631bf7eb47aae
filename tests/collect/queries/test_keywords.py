"""Keywords that the word lists and the preset suggest for a class."""

from pathlib import Path

import pytest

from catalog.preset import load_preset, parse_preset
from collect.queries.keywords import MOST_PAIRS, QueryKind, find_kinds, make_plural, suggest


@pytest.mark.parametrize(
    ("word", "plural"),
    [
        ("zebra", "zebras"),
        ("bus", "buses"),
        ("pony", "ponies"),
        ("monkey", "monkeys"),
        ("goose", "geese"),
        ("finch", "finches"),
    ],
)
def test_plurals_follow_the_ending(word: str, plural: str) -> None:
    assert make_plural(word) == plural


def test_suggested_keywords_are_new_and_come_with_a_reason() -> None:
    preset = load_preset("voc2012", Path())
    cat = preset.find_class("cat")
    assert cat is not None
    reasons = {suggestion.keyword: suggestion.why for suggestion in suggest(preset, cat)}
    assert (reasons["cats"], reasons["Katze"], reasons["gatto"]) == ("plural", "German", "Italian")
    assert reasons["cat sofa"] == "with sofa"
    assert not {"cat", "kitten"} & set(reasons)  # it has those
    for spec in preset.classes:
        whys = {suggestion.why for suggestion in suggest(preset, spec)}
        assert len({"German", "French", "Spanish", "Portuguese"} & whys) >= 2, spec.name


@pytest.mark.parametrize(
    ("keyword", "kind"),
    [
        ("Cat", QueryKind.NAME),
        ("cats", QueryKind.PLURAL),
        ("feline", QueryKind.SYNONYM),
        ("cat animals", QueryKind.PARENT),
        ("cat sofa", QueryKind.PAIR),
        ("sofa cat", QueryKind.PAIR),
        ("Katze", QueryKind.TRANSLATION),
        ("cat nap", QueryKind.HAND_WRITTEN),
        ("concat", QueryKind.HAND_WRITTEN),
    ],
)
def test_a_query_says_how_it_comes_from_its_class(keyword: str, kind: QueryKind) -> None:
    preset = load_preset("voc2012", Path())
    assert find_kinds(preset, [("cat", keyword), ("emu", keyword)]) == {("cat", keyword): kind}


def test_queries_follow_the_groups_and_synonyms_of_the_preset() -> None:
    preset = parse_preset(
        """
        groups = [
            {name = "animal", words = "an animal"},
            {name = "pet", display = "House animals", words = "a pet", parents = ["animal"]},
        ]
        classes = [
            {name = "car"},
            {name = "quokka", parents = ["pet"], synonyms = ["short-tailed scrub wallaby"]},
            {name = "dog", parents = ["animal"]},
        ]
        """
    )
    quokka = preset.find_class("quokka")
    assert quokka is not None
    assert [(row.keyword, row.kind) for row in suggest(preset, quokka)] == [
        ("quokkas", QueryKind.PLURAL),
        ("short-tailed scrub wallaby", QueryKind.SYNONYM),
        ("quokka animal", QueryKind.PARENT),
        ("quokka house animals", QueryKind.PARENT),
        ("quokka dog", QueryKind.PAIR),
        ("quokka car", QueryKind.PAIR),
    ]
    asked = [("quokka", row.keyword) for row in suggest(preset, quokka)]
    assert list(find_kinds(preset, asked).values()) == [row.kind for row in suggest(preset, quokka)]


def test_pairs_with_classes_of_the_same_group_come_first_and_not_all() -> None:
    lines = (
        f'{{name = "bird{number}", groups = ["{"Birds" if number % 100 == 0 else "Others"}"]}}'
        for number in range(1_000)
    )
    preset = parse_preset(f"classes = [{', '.join(lines)}]")
    pairs = [
        suggestion.keyword
        for suggestion in suggest(preset, preset.classes[0])
        if suggestion.kind is QueryKind.PAIR
    ]
    assert len(pairs) == MOST_PAIRS
    assert pairs[:2] == ["bird0 bird100", "bird0 bird200"]
