"""A preset: what a party looks for and how it is labelled.

Two come with vocparty; an organiser's own is a TOML file in the party's folder
(docs/manual/preset.md), in which only the names of classes are needed.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

from jinja2 import Template
from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    TypeAdapter,
    ValidationError,
)
from pydantic.dataclasses import dataclass

from vockit.errors import SettingsError

from .groups import arrange_groups
from .hierarchy import Hierarchy, make_hierarchy
from .preset_words import FIELDS_OF_KINDS, check_words
from .specs import ClassSpec as ClassSpec
from .specs import GroupSpec
from .states import View, WordKind
from .validation import (
    FileWord,
    Line,
    TagWord,
    ViewWord,
    describe_first_error,
    parse_toml,
    read_text,
)

GUIDELINES_FILE = "guidelines.md"
PRESET_NAMES = ("voc2007", "voc2012")  # of those that come with vocparty
_SHIPPED = Path(__file__).parent / "presets"

_strict = ConfigDict(extra="forbid")


class AnnotationStyle(StrEnum):
    """The released layouts of annotation files: of 2007, of 2008, and of 2009 and later."""

    VOC2007 = "voc2007"
    VOC2008 = "voc2008"
    VOC2012 = "voc2012"


@dataclass(frozen=True, config=_strict)
class FlagSpec:
    """A yes or no of every object, and whether annotators or an organiser set it."""

    name: Literal["truncated", "occluded", "difficult"]
    display: Line
    short_rule: Line
    set_by: Literal["annotator", "organiser"] = "annotator"


@dataclass(frozen=True, config=_strict)
class ViewSpec:
    """A side from which an object is seen; `key` as that of a class."""

    name: ViewWord
    display: Line = ""  # the name in small letters, where it is not given
    key: FileWord = ""  # the name, where it is not given

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", self.key or self.name)
        object.__setattr__(self, "display", self.display or self.name.lower())


@dataclass(frozen=True, config=_strict)
class PartSpec:
    """A part that gets a separate box, and how many of it one object has at most."""

    name: FileWord
    display: Line
    max_count: Annotated[StrictInt, Field(ge=1)] = 1
    key: FileWord = ""  # the name, where it is not given

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", self.key or self.name)


@dataclass(frozen=True, config=_strict)
class ActionSpec:
    """Something that an object may be doing; an exclusive action holds alone."""

    name: TagWord
    display: Line
    is_exclusive: StrictBool = False
    key: FileWord = ""  # the name, where it is not given

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", self.key or self.name)


WordSpec = ClassSpec | GroupSpec | ViewSpec | PartSpec | ActionSpec
"""A word of the preset that objects refer to by its key."""


def _read_view(value: object) -> object:
    """A view that a preset gives as a word alone has that word as its name."""
    return {"name": value} if isinstance(value, str) else value


@dataclass(frozen=True, config=_strict)
class DiscardReason:
    """Why an image is not annotated; `key` is what rows hold."""

    key: TagWord
    display: Line
    short_rule: Line


UNWANTED_REASON = "no_wanted_class"  # of images discarded because they hold none


@dataclass(frozen=True, config=_strict)
class Preset:
    """Everything that a party asks its annotators for; classes stand in label order, from 1."""

    name: FileWord
    title: Line
    style: AnnotationStyle
    year: Annotated[StrictInt, Field(ge=2005, le=9999)]
    classes: Annotated[tuple[ClassSpec, ...], Field(min_length=1)]
    discard_reasons: Annotated[tuple[DiscardReason, ...], Field(min_length=1)]
    views: tuple[Annotated[ViewSpec, BeforeValidator(_read_view)], ...] = tuple(
        ViewSpec(view.value) for view in View
    )
    flags: tuple[FlagSpec, ...] = ()
    parts: tuple[PartSpec, ...] = ()
    actions: tuple[ActionSpec, ...] = ()
    groups: tuple[GroupSpec, ...] = ()
    guidelines: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        check_words(_list_different(self))
        unspecified = self.find(WordKind.VIEW, View.UNSPECIFIED)
        if unspecified is None or unspecified.name != View.UNSPECIFIED:
            raise ValueError(f"views must hold {View.UNSPECIFIED.value!r}, the default")
        for key, given in (("parts", self.parts), ("actions", self.actions)):
            is_used = any(getattr(item, f"has_{key}") for item in self.classes)
            if is_used and not given:
                raise ValueError(f"{key} are missing, but a class says has_{key} = true")
            if given and not is_used:
                raise ValueError(f"{key} are given, but no class says has_{key} = true")

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """The classes below their groups."""
        return make_hierarchy(
            {item.key: item.parents for item in self.classes},
            {group.key: group.parents for group in self.groups},
        )

    @cached_property
    def questions(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """The classes and groups with their words and parents, as a plan of questions has them."""
        known = self.groups_of_ids
        return {
            listing: [
                {
                    "key": spec.key,
                    "words": words,
                    "parents": [key for key in spec.parents if key in known],
                }
                for spec, words in items
            ]
            for listing, items in (
                ("classes", [(item, item.words) for item in self.classes]),
                ("groups", [(group, group.question_words) for group in self.groups]),
            )
        }

    @cached_property
    def questions_sha256(self) -> str:
        """A digest of the classes and groups with their words and parents."""
        return sha256(json.dumps(self.questions, sort_keys=True).encode()).hexdigest()

    @cached_property
    def groups_of_ids(self) -> Mapping[str, GroupSpec]:
        """The groups by their ids."""
        return {group.key: group for group in self.groups}

    @property
    def class_names(self) -> tuple[str, ...]:
        """The names of the classes in label order."""
        return tuple(item.name for item in self.classes)

    @property
    def class_ids(self) -> dict[str, str]:
        """The id of each class, by its name, in label order."""
        return {item.name: item.key for item in self.classes}

    @property
    def class_displays(self) -> dict[str, str]:
        """What people call each class, by its name."""
        return {item.name: item.display for item in self.classes}

    @property
    def reason_displays(self) -> dict[str, str]:
        """What people call each reason for discarding, by its key; also that of rare-class mode."""
        listed = {reason.key: reason.display for reason in self.discard_reasons}
        return {UNWANTED_REASON: "no wanted class", **listed}

    @property
    def features(self) -> frozenset[str]:
        """The names of the flags, and "parts" and "actions" where there are any."""
        features: set[str] = {flag.name for flag in self.flags}
        if self.parts:
            features.add("parts")
        if self.actions:
            features.add("actions")
        return frozenset(features)

    def find_class(self, name: str) -> ClassSpec | None:
        """The class of this name, or None."""
        return next((item for item in self.classes if item.name == name), None)

    def find_class_of(self, class_id: str) -> ClassSpec | None:
        """The class of this id, or None."""
        return next((item for item in self.classes if item.key == class_id), None)

    def list_words(self, kind: WordKind) -> tuple[WordSpec, ...]:
        """The words of a kind in the preset's order."""
        words: tuple[WordSpec, ...] = getattr(self, FIELDS_OF_KINDS[kind])
        return words

    def find(self, kind: WordKind, word_id: str) -> WordSpec | None:
        """The word of a kind with this id, or None."""
        return next((item for item in self.list_words(kind) if item.key == word_id), None)

    def find_named(self, kind: WordKind, name: str) -> WordSpec | None:
        """The word of a kind with this name, or None."""
        return next((item for item in self.list_words(kind) if item.name == name), None)


def load_preset(name: str, folder: Path | None = None) -> Preset:
    """The preset of this name, or of the TOML file of this name in the party's folder.

    A guidelines.md in that folder takes the place of ours. Raises SettingsError where there is no
    such preset or it is wrong; the message names the key, the value and the rule.
    """
    if name in PRESET_NAMES:
        preset = _load_shipped(name)
    elif folder is not None and name.endswith(".toml"):
        preset = parse_preset(read_text(folder / name), origin=name)
    else:
        raise SettingsError(
            f"preset = {name!r} is wrong: expected {', '.join(PRESET_NAMES)}, "
            "or the name of a .toml file in the party's folder."
        )
    if folder is not None and (folder / GUIDELINES_FILE).is_file():
        return replace(preset, guidelines=read_text(folder / GUIDELINES_FILE))
    return preset


def parse_preset(text: str, *, origin: str = "preset") -> Preset:
    """The preset that a TOML text gives; raises SettingsError for the first mistake.

    What is not given has its default: VOC's reasons for discarding, each class's name as its query,
    the guidelines of vocparty, fitted to its classes and flags.
    """
    return _make_preset(parse_toml(text, origin), origin)


def _make_preset(values: Mapping[str, Any], origin: str) -> Preset:
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", Path(origin).stem).strip("-.") or "own"
    filled = {
        "name": name,
        "title": values.get("name", name),
        "style": AnnotationStyle.VOC2012,
        "year": datetime.now(UTC).year,
        "discard_reasons": _read_shared()["discard_reasons"],
        **values,
    }
    try:
        preset = TypeAdapter(Preset).validate_python(filled)
    except ValidationError as error:
        sentence = _name_classes(describe_first_error(error, Preset), values)
        raise SettingsError(f"{origin}: {sentence}") from error
    try:
        groups, parents = arrange_groups(preset.classes, preset.groups)
    except ValueError as error:
        raise SettingsError(f"{origin}: {error}.") from error
    classes = tuple(replace(item, parents=parents[item.key]) for item in preset.classes)
    preset = replace(preset, groups=groups, classes=classes)
    return preset if preset.guidelines else replace(preset, guidelines=fit_guidelines(preset))


def fit_guidelines(
    preset: Preset, file: str = GUIDELINES_FILE, translate: Callable[[str], str] = str
) -> str:
    """What annotators are told to do: a file of presets/ for this preset.

    That file is a Jinja template, which knows the preset and its features, and ends with a section
    for each class of VOC; the section of another class is its short rule. A paragraph is one line,
    because organisers edit the page in a text field. `translate` gives the words of the preset in
    the language of the file.
    """
    template = Template((_SHIPPED / file).read_text("utf-8"))
    features = dict.fromkeys(preset.features, True)
    page = template.render(preset=preset, translate=translate, **features)
    general, *sections = page.split("### ")
    headed = (section.partition("\n") for section in sections)
    written = {name: rule.strip() for name, _, rule in headed}
    chosen = [
        f"### {translate(item.display)}\n"
        + written.get(item.display, f"\n{translate(item.short_rule)}")
        for item in preset.classes
    ]
    text = "\n\n".join([general, *chosen])
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def has_translated_guidelines(preset: Preset, file: str) -> bool:
    """Whether a file of presets/ says in another language what the preset's guidelines say."""
    return (_SHIPPED / file).is_file() and preset.guidelines == fit_guidelines(preset)


@cache
def _load_shipped(name: str) -> Preset:
    """What all years share, with the keys and the keys of classes that this year adds."""
    values = _read_shared()
    queries = values.pop("queries")
    overrides = {year: values.pop(year) for year in PRESET_NAMES}[name]
    more = {item["name"]: item for item in overrides.pop("classes", ())}
    classes = [
        {**item, "queries": queries[item["name"]], **more.get(item["name"], {})}
        for item in values["classes"]
    ]
    return _make_preset({**values, **overrides, "name": name, "classes": classes}, name)


def _read_shared() -> dict[str, Any]:
    return tomllib.loads((_SHIPPED / "voc.toml").read_text("utf-8"))


def _name_classes(sentence: str, values: Mapping[str, Any]) -> str:
    """The sentence with the name of a class or group behind its number: `classes.7 (cat)`."""

    def name(place: re.Match[str]) -> str:
        item = values[place[1]][int(place[2])]
        return f"{place[0]} ({item['name']})" if "name" in item else place[0]

    return re.sub(r"\b(classes|groups)\.(\d+)\b(?!\.name| \()", name, sentence)


def _list_different(preset: Preset) -> dict[str, Sequence[str]]:
    """The words of which no two may look the same, by their places.

    Car_train.txt and car_train.txt are one file on some disks. No other two names clash: a class
    `train` gives train_val.txt, never the train.txt of the whole set (VOC2011 devkit, 9.1).
    """
    words: dict[str, Sequence[str]] = {}
    for kind, listing in FIELDS_OF_KINDS.items():
        specs = preset.list_words(kind)
        words[f"{listing}.{{}}.name"] = [item.name for item in specs]
        words[f"{listing}.{{}}.key"] = [item.key for item in specs]
    words |= {
        "classes.{}.display": [item.display for item in preset.classes],
        "flags.{}.name": [item.name for item in preset.flags],
        "discard_reasons.{}.key": [item.key for item in preset.discard_reasons],
    }
    for index, item in enumerate(preset.classes):
        words[f"classes.{index}.queries.{{}}"] = item.queries
    return words
