"""Presets: those of vocparty follow the paper, and errors of own presets are named."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.preset import (
    PRESET_NAMES,
    ActionSpec,
    AnnotationStyle,
    ClassSpec,
    DiscardReason,
    FlagSpec,
    PartSpec,
    Preset,
    ViewSpec,
    load_preset,
    parse_preset,
)
from catalog.states import View
from vockit.errors import SettingsError

MANUAL = Path(__file__).parents[2] / "docs" / "manual" / "preset.md"

# The classes by VOC's label, from 1.
LABEL_ORDER = (
    "aeroplane, bicycle, bird, boat, bottle, bus, car, cat, chair, cow, diningtable, dog, horse, "
    "motorbike, person, pottedplant, sheep, sofa, train, tvmonitor"
)

# Queries in each row of the paper's Table 1, counted there by hand. The row of train has 23 with
# "underground" twice.
LENGTHS = (19, 11, 9, 22, 13, 14, 24, 9, 16, 8, 8, 11, 22, 16, 18, 14, 11, 6, 22, 16)
ROW_LENGTHS = dict(zip(LABEL_ORDER.split(", "), LENGTHS, strict=True))

# Rows of Table 1 as the paper prints them, with its broken lines and its typos.
PRINTED_ROWS = {
    "bird": "bird, birdie, birdwatching, nest, sea, aviary, birdcage, bird feeder, bird table,",
    "boat": "boat ship, barge, ferry, canoe, boating, craft, liner, cruise, sailing, rowing, "
    "watercraft, regatta, racing, marina, beach, water, canal, river, stream, lake, yacht,",
    "bus": "bus, omnibus, coach, shuttle, jitney, double-decker, motorbus, school bus, depot, "
    "terminal, station, terminus, passenger, route",
    "chair": "chair, seat, rocker, rocking, deck, swivel, camp, chaise, office, stu- dio, "
    "armchair, recliner, sitting, lounge, living room, sitting room",
    "horse": "horse. gallop, jump, buck, equine, foal, cavalry, saddle, canter, buggy, mare, "
    "neigh, dressage, trial, racehorse, steeplechase, thor- oughbred, cart, equestrian, paddock, "
    "stable, farrier",
    "person": "person, people, family, father, mother, brother, sister, aunt, uncle, grandmother, "
    "grandma, grandfather, grandpa, grandson, grand- daughter, niece, nephew, cousin",
    "diningtable": "table, dining, cafe, restaurant, kitchen, banquet, party, meal",
    "train": "train, express, locomotive, freight, commuter, platform, subway, underground, steam, "
    "railway, railroad, rail, tube, underground, track, carriage, coach, metro, sleeper, railcar, "
    "buffet, cabin, level crossing",
    "tvmonitor": "tv, monitor, television, plasma, flatscreen, flat screen, lcd, crt, watching, "
    "dvd, desktop, computer, computer monitor, PC, console, game",
}

# The leaves of the paper's Fig. 2 and the groups above them, read from the drawing.
FIGURE_2 = {
    "Vehicles": {"aeroplane", "boat", "train"},
    "Vehicles > 4-wheeled": {"bus", "car"},
    "Vehicles > 2-wheeled": {"bicycle", "motorbike"},
    "Household": {"bottle", "pottedplant", "tvmonitor"},
    "Household > Furniture": {"diningtable"},
    "Household > Furniture > Seating": {"chair", "sofa"},
    "Animals": {"bird"},
    "Animals > Domestic": {"cat", "dog"},
    "Animals > Farmyard": {"cow", "horse", "sheep"},
    "": {"person"},
}

ACTIONS = (
    "jumping, phoning, playinginstrument, reading, ridingbike, ridinghorse, running, takingphoto, "
    "usingcomputer, walking, other"
)

TWO_CLASSES = """
name = "zoo"
title = "The zoo"
style = "voc2012"
year = 2026
discard_reasons = [{ key = "no_object", display = "no animal", short_rule = "No animal." }]

[[classes]]
name = "zebra"
display = "zebra"
groups = ["Animals"]
short_rule = "Striped."

[[classes]]
name = "keeper"
display = "zoo keeper"
short_rule = "In green."
"""


@pytest.fixture(params=["voc2007", "voc2012"])
def preset(request: pytest.FixtureRequest) -> Preset:
    """Each preset that comes with vocparty."""
    return load_preset(request.param)


def read_printed_row(row: str) -> list[str]:
    """The queries of a printed row, each once."""
    fixed = row.replace("- ", "").replace("boat ship", "boat, ship").replace("horse.", "horse,")
    return list(dict.fromkeys(query.strip() for query in fixed.strip(", ").split(",")))


def test_a_preset_has_the_name_style_and_year_of_its_challenge(preset: Preset) -> None:
    assert preset.name in PRESET_NAMES == ("voc2007", "voc2012")
    assert preset.style == AnnotationStyle(preset.name)
    assert preset.year == int(preset.name.removeprefix("voc"))


def test_classes_are_in_label_order_and_views_are_those_of_the_xml(preset: Preset) -> None:
    assert ", ".join(preset.class_names) == LABEL_ORDER
    differing = {item.name: item.display for item in preset.classes if item.name != item.display}
    plants = {"diningtable": "dining table", "pottedplant": "potted plant"}
    assert differing == plants | {"tvmonitor": "TV/monitor"}
    views = [view.name for view in preset.views]
    assert views == ["Unspecified", "Frontal", "Rear", "Left", "Right"]
    assert all(item.has_views for item in preset.classes)


def test_the_queries_are_those_of_table_1_of_the_paper(preset: Preset) -> None:
    queries = {item.name: list(item.queries) for item in preset.classes}
    assert {name: len(row) for name, row in queries.items()} == ROW_LENGTHS
    printed = {name: read_printed_row(row) for name, row in PRINTED_ROWS.items()}
    assert {name: queries[name] for name in printed} == printed
    for item in preset.classes:
        assert len(item.queries) >= 3
        for query in item.queries:
            assert re.fullmatch(r"[A-Za-z]+(-[a-z]+)?( [a-z]+)?", query), query


def test_class_groups_are_those_of_figure_2_of_the_paper(preset: Preset) -> None:
    groups: dict[str, set[str]] = {}
    for item in preset.classes:
        groups.setdefault(" > ".join(item.groups), set()).add(item.name)
    assert groups == FIGURE_2


def test_parts_flags_and_discard_reasons_are_those_of_the_design(preset: Preset) -> None:
    most = {part.name: part.max_count for part in preset.parts}
    assert most == {"head": 1, "hand": 2, "foot": 2}
    assert [item.name for item in preset.classes if item.has_parts] == ["person"]
    setters = {flag.name: flag.set_by for flag in preset.flags}
    assert setters.pop("difficult") == "organiser"
    assert set(setters.values()) == {"annotator"}
    assert {reason.key: reason.display for reason in preset.discard_reasons} == {
        "no_object": "no object of the classes",
        "poor_quality": "poor quality",
        "collage": "a collage",
        "not_a_photograph": "not a photograph",
        "too_many_objects": "too many objects to annotate",
        "not_confident": "cannot be annotated with confidence",
        "duplicate": "duplicate",
    }


def test_the_preset_of_2007_has_no_occlusion_and_no_actions() -> None:
    older, newer = map(load_preset, PRESET_NAMES)
    assert [flag.name for flag in older.flags] == ["truncated", "difficult"]
    assert [flag.name for flag in newer.flags] == ["truncated", "occluded", "difficult"]
    assert older.features == {"truncated", "difficult", "parts"}
    assert newer.features == {*older.features, "occluded", "actions"}
    assert parse_preset(TWO_CLASSES).features == frozenset()
    assert older.actions == ()
    assert ", ".join(action.name for action in newer.actions) == ACTIONS
    assert [action.name for action in newer.actions if action.is_exclusive] == ["other"]
    assert [item.name for item in newer.classes if item.has_actions] == ["person"]
    assert [item.queries for item in older.classes] == [item.queries for item in newer.classes]


def test_an_organisers_own_preset_is_read() -> None:
    preset = parse_preset(TWO_CLASSES)
    assert preset.class_names == ("zebra", "keeper")
    assert tuple(view.name for view in preset.views) == tuple(View)
    assert [item.groups for item in preset.classes] == [("Animals",), ()]
    assert preset.find_class("zebra") == preset.classes[0]
    assert preset.find_class("lion") is None


def test_an_own_preset_is_read_from_the_party_and_shadows_no_builtin_one(tmp_path: Path) -> None:
    for name in ("zoo.toml", "voc2012.toml"):
        (tmp_path / name).write_text(TWO_CLASSES, encoding="utf-8")
    assert load_preset("zoo.toml", tmp_path) == parse_preset(TWO_CLASSES)
    assert load_preset("voc2012", tmp_path).title == "PASCAL VOC 2012"


def test_own_guidelines_are_used_as_written(tmp_path: Path) -> None:
    text = "# Ours\n\n### Dining Table\n\nOnly round ones.\n\n## Rest\n"
    (tmp_path / "guidelines.md").write_text(text, encoding="utf-8")
    assert load_preset("voc2012", tmp_path).guidelines == text
    text = TWO_CLASSES.replace("year = 2026", 'year = 2026\nguidelines = "Be <!-- end --> kind."')
    assert parse_preset(text).guidelines == "Be <!-- end --> kind."


GROUPS = 'groups = ["Animals"]'
YEAR = "year = 2026"
PETS = 'groups = [{ name = "pet", words = " "'
WRONG_LINES = {
    'parts = [{ name = "hoof", display = "hoof", max_count = 0 }]': "parts.0.max_count,0,greater",
    'parts = [{ name = "a", display = "a" }]': "parts are given,has_parts",
    'actions = [{ name = "2legs", display = "legs" }]': "actions.0.name,'2legs',letter first",
    'flags = [{ name = "big", display = "a", short_rule = "b" }]': "flags.0.name,'big','truncated'",
}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"zebra"', '"zebra foal"', ["classes.0.name", "'zebra foal'", "white space"]),
        ('"zebra"', '"../zebra"', ["classes.0.name", "'../zebra'", "files"]),
        ('"zebra"', '""', ["classes.0.name", "''", "one word"]),
        ('name = "zebra"', 'name = "Keeper"', ["classes.1.name", "'keeper'", "classes.0.name"]),
        ('display = "zebra"', 'display = "Zoo keeper"', ["classes.1 (keeper).display"]),
        (GROUPS, 'group = ["A"]', ["classes.0 (zebra).group", "groups", "queries"]),
        (GROUPS, "groups = 3", ["classes.0 (zebra).groups", "3", "list"]),
        (GROUPS, 'queries = ["a", "b", "A"]', ["classes.0 (zebra).queries.2", "'A'", "queries.0"]),
        (GROUPS, 'queries = ["thor-\\noughbred"]', ["classes.0 (zebra).queries.0", "one line"]),
        (
            YEAR,
            f"{YEAR}\n{PETS} }}]",
            ["groups.0 (pet).words = ' ' is wrong", "one line"],
        ),
        (GROUPS, "has_views = 1", ["classes.0 (zebra).has_views", "1", "boolean"]),
        (GROUPS, "has_parts = true", ["parts are missing", "has_parts"]),
        (GROUPS, "has_actions = true", ["actions are missing", "has_actions"]),
        ('name = "keeper"', "", ["classes.1.name", "missing"]),
        (YEAR, 'year = "2026"', ["year", "'2026'", "integer"]),
        (YEAR, "year = 1999", ["year", "1999", "2005"]),
        (YEAR, f"{YEAR}\ncolour = 1", ["colour", "known are", "guidelines"]),
        ('style = "voc2012"', 'style = "coco"', ["style", "'coco'", "'voc2007'", "'voc2012'"]),
        (YEAR, f'{YEAR}\nviews = ["Left"]', ["views", "'Unspecified'"]),
        (YEAR, f'{YEAR}\nviews = ["Top"]', ["views", "'Unspecified'"]),
        (
            YEAR,
            f'{YEAR}\nviews = ["Unspecified", "Top side"]',
            ["views.1", "'Top side'", "white space"],
        ),
        *((YEAR, f"{YEAR}\n{line}", words.split(",")) for line, words in WRONG_LINES.items()),
        ('key = "no_object"', 'key = "no object"', ["discard_reasons.0.key", "white space"]),
        ("discard_reasons = [{", "discard_reasons = []\nx = [{", ["there is no key x"]),
    ],
)
def test_an_error_in_a_preset_names_key_and_value(old: str, new: str, words: list[str]) -> None:
    assert old in TWO_CLASSES
    with pytest.raises(SettingsError) as caught:
        parse_preset(TWO_CLASSES.replace(old, new, 1), origin="zoo.toml")
    message = str(caught.value)
    assert message.startswith("zoo.toml: ")
    assert [part for part in words if part not in message] == []


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("voc2013", None, r"'voc2013'.*voc2007, voc2012"),
        ("../zoo", None, r"'../zoo'"),
        ("zoo.toml", None, "cannot be read"),
        ("zoo.toml", b"\xff\xfe", "not UTF-8"),
        ("zoo.toml", b"name = ", "not valid TOML"),
    ],
)
def test_an_unreadable_preset_is_refused_with_the_cause(
    tmp_path: Path, name: str, data: bytes | None, message: str
) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(SettingsError, match=message):
        load_preset(name, tmp_path)


def test_an_own_preset_cannot_be_loaded_without_a_folder() -> None:
    with pytest.raises(SettingsError, match=r"'zoo\.toml'"):
        load_preset("zoo.toml")


@pytest.mark.parametrize(
    "model", [Preset, ClassSpec, FlagSpec, ViewSpec, PartSpec, ActionSpec, DiscardReason]
)
def test_every_key_of_a_preset_is_in_the_manual(model: type[Preset]) -> None:
    documented = re.findall(r"^\| `(\w+)` \|", MANUAL.read_text("utf-8"), flags=re.MULTILINE)
    assert [item.name for item in fields(model) if item.name not in documented] == []


def test_the_manuals_example_is_a_preset() -> None:
    blocks = re.findall(r"(?:^    .*\n|^\n)+", MANUAL.read_text("utf-8"), flags=re.MULTILINE)
    preset = parse_preset(next(text for text in blocks if "[[classes]]" in text))
    assert preset.classes[0].queries == ("zebra", "savanna", "safari park")


@given(
    st.lists(
        st.sampled_from(["train", "Train", "trainval", "train_val", "val", "test", "a", "a_train"]),
        min_size=1,
        max_size=6,
    )
)
def test_class_names_of_a_preset_never_give_two_files_one_name(names: list[str]) -> None:
    tables = "".join(
        f'[[classes]]\nname = "{name}"\ndisplay = "{index}"\nshort_rule = "r"\n'
        for index, name in enumerate(names)
    )
    text = TWO_CLASSES.split("[[classes]]")[0] + tables
    sets = ["train", "val", "trainval", "test"]
    files = [f"{image_set}.txt" for image_set in sets] + [
        f"{name}_{image_set}.txt" for name in names for image_set in sets
    ]
    are_distinct = len({file.casefold() for file in files}) == len(files)
    if are_distinct:
        assert parse_preset(text).class_names == tuple(names)
    else:
        with pytest.raises(SettingsError):
            parse_preset(text)
