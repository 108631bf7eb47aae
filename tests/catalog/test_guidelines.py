"""The guidelines page: complete for each preset."""

import re

import pytest
from markdown_it import MarkdownIt

from catalog.preset import (
    Preset,
    fit_guidelines,
    has_translated_guidelines,
    load_preset,
    parse_preset,
)

# One subject of each row of the rules, with words that the page must hold.
SUBJECTS = {
    "What to label": ["10–20 %", "tyre", "feet", "unsure", "very small"],
    "When to discard an image": ["too many objects", "blurred", "silhouettes", "collage"],
    "Boxes": ["visible", "5 %", "aerial"],
    "Views": ["bulk", "10–20 degrees", "unspecified", "upside down", "not the head"],
    "Truncated": ["15–20 %", "leaves the image", "waist up", "hidden"],
    "Difficult": ["not yours to set", "one sitting", "crop", "small, blurred, dark"],
    "Clothing, mud and snow": ["part of it"],
    "Glass": ["through glass", "eflections"],
    "Mirrors": ["in mirrors"],
    "Pictures, posters and signs": ["photo-realistic", "cartoons", "symbols"],
    "Parts: head, hands, feet": ["one more part", "outside the person's", "two", "head"],
}

# Words of each class's rule, what counts and what does not.
CLASS_RULES = {
    "aeroplane": ["gliders", "hang gliders", "helicopters"],
    "bicycle": ["tricycles", "unicycles"],
    "bird": ["all birds"],
    "boat": ["ships", "rowing boats", "pedaloes", "jet skis"],
    "bottle": ["plastic", "glass", "feeding"],
    "bus": ["minibuses", "trams"],
    "car": ["vans", "people carriers", "inside"],
    "cat": ["domestic"],
    "chair": ["armchairs", "deckchairs", "stools", "benches"],
    "cow": ["all cows"],
    "diningtable": ["eating", "coffee tables", "desks", "side tables"],
    "dog": ["domestic"],
    "horse": ["ponies", "donkeys", "mules"],
    "motorbike": ["mopeds", "scooters", "sidecar"],
    "person": ["babies", "faces"],
    "pottedplant": ["indoor", "outdoor", "in a pot"],
    "sheep": ["goats"],
    "sofa": ["sofa bed", "made up as a bed"],
    "train": ["carriages"],
    "tvmonitor": ["laptops", "advertising displays"],
}


def find_section(page: str, heading: str) -> str | None:
    """The text below this heading, up to the next of its level or above; case is ignored."""
    match = re.search(rf"^(#+) {re.escape(heading)}$", page, re.MULTILINE | re.IGNORECASE)
    if match is None:
        return None
    next_heading = re.compile(rf"^#{{1,{len(match[1])}}} ", re.MULTILINE)
    return next_heading.split(page[match.end() :], maxsplit=1)[0].strip()


@pytest.fixture(params=["voc2007", "voc2012"])
def preset(request: pytest.FixtureRequest) -> Preset:
    """Each preset that comes with vocparty."""
    return load_preset(request.param)


@pytest.mark.parametrize("subject", sorted(SUBJECTS))
def test_the_guidelines_state_every_rule_of_the_paper(preset: Preset, subject: str) -> None:
    section = find_section(preset.guidelines, subject)
    assert section is not None
    words = " ".join(section.split())
    assert [word for word in SUBJECTS[subject] if word not in words] == []


@pytest.mark.parametrize("name", sorted(CLASS_RULES))
def test_the_guidelines_state_the_rules_of_every_class(preset: Preset, name: str) -> None:
    spec = preset.find_class(name)
    assert spec is not None
    section = find_section(preset.guidelines, spec.display)
    assert section is not None
    assert [word for word in CLASS_RULES[name] if word not in section] == []


def test_the_guidelines_explain_the_words_of_every_short_rule(preset: Preset) -> None:
    assert set(CLASS_RULES) == set(preset.class_names)
    for item in preset.classes:
        section = (find_section(preset.guidelines, item.display) or "").casefold()
        long_words = [word for word in item.short_rule.casefold().split() if len(word) > 7]
        assert [word for word in long_words if word.strip(",;.") not in section] == []


def test_the_guidelines_list_classes_in_order_reasons_and_actions(preset: Preset) -> None:
    places = [preset.guidelines.index(f"### {item.display}\n") for item in preset.classes]
    assert places == sorted(places)
    for reason in preset.discard_reasons:
        assert f"- **{reason.display}**: " in preset.guidelines
    for action in preset.actions:
        assert f"- {action.display}\n" in preset.guidelines
    assert "{%" not in preset.guidelines
    assert "{{" not in preset.guidelines
    tokens = MarkdownIt().enable("table").parse(preset.guidelines)
    assert not any(token.type == "html_block" for token in tokens)
    assert sum(token.type == "table_open" for token in tokens) == 2


def test_only_the_guidelines_of_2012_mention_occlusion_and_actions() -> None:
    text = load_preset("voc2007").guidelines.casefold()
    assert "occlu" not in text
    assert find_section(text, "actions") is None
    assert "phoning" not in text
    page = load_preset("voc2012").guidelines
    assert "5 %" in (find_section(page, "occluded") or "")
    assert "then alone" in (find_section(page, "actions") or "")
    assert find_section(page, "truncated or not?") is None


OWN_CLASSES = """
classes = [
    { name = "zebra", short_rule = "Striped." },
    { name = "keeper", display = "zoo keeper", short_rule = "In green." },
]
discard_reasons = [{ key = "no_object", display = "no animal", short_rule = "No animal." }]
"""


def test_classes_of_an_own_preset_get_their_short_rule() -> None:
    preset = parse_preset(OWN_CLASSES)
    assert find_section(preset.guidelines, "zebra") == "Striped."
    assert find_section(preset.guidelines, "zoo keeper") == "In green."
    assert "### aeroplane" not in preset.guidelines
    assert "- **no animal**: No animal." in preset.guidelines


GERMAN = "guidelines.de.md"


def list_structure(page: str) -> list[str]:
    """What does not depend on the language: levels, pictures, rows, points, numbers in rules."""
    marks = re.compile(r"^#+ |^- |^\d\. |^\|.*\||/static/\S+(?=\))|\d+(?:–\d+)? %", re.MULTILINE)
    structure = marks.findall(page)
    return [f"row of {mark.count('|') - 1}" if mark.startswith("|") else mark for mark in structure]


def test_the_german_guidelines_have_the_rules_pictures_and_tables_of_the_english(
    preset: Preset,
) -> None:
    german = fit_guidelines(preset, GERMAN)
    assert list_structure(german) == list_structure(preset.guidelines)
    for item in preset.classes:
        section = find_section(german, item.display) or ""
        assert section.startswith("**Zählt:** ")
        assert ("**Zählt nicht:**" in section) == (
            "**Does not count:**" in (find_section(preset.guidelines, item.display) or "")
        )
    assert not re.search(r"{%|{{", german)


def test_words_of_the_preset_are_in_the_language_of_the_guidelines() -> None:
    german = fit_guidelines(parse_preset(OWN_CLASSES), GERMAN, str.upper)
    assert find_section(german, "ZEBRA") == "STRIPED."
    assert "- **NO ANIMAL**: NO ANIMAL." in german


def test_guidelines_of_an_organiser_have_no_translation(preset: Preset) -> None:
    assert has_translated_guidelines(preset, GERMAN)
    assert not has_translated_guidelines(preset, "guidelines.fr.md")
    edited = parse_preset('guidelines = "Be kind."\nclasses = [{ name = "zebra" }]')
    assert not has_translated_guidelines(edited, GERMAN)
