"""A preset: what a party looks for and how it is labelled.

Two come with vocparty, `voc2007` and `voc2012`; an organiser's own is a TOML file of the same
shape in the party's folder (docs/manual/presets.md).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StrictBool, StrictInt, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from .errors import SettingsError
from .guidelines import PageContent, compose_guidelines
from .states import View
from .taxonomy import Leaf, TaxonomyNode, build_taxonomy
from .validation import describe_first_error
from .words import FileWord, Line, TagWord

GUIDELINES_FILE = "guidelines.md"

_strict = ConfigDict(extra="forbid")


class PresetError(SettingsError):
    """A preset is unknown, unreadable or wrong; the message names the key, the value, the rule."""


class AnnotationStyle(StrEnum):
    """The released layouts of annotation files: of 2007, of 2008, and of 2009 and later."""

    VOC2007 = "voc2007"
    VOC2008 = "voc2008"
    VOC2012 = "voc2012"


@dataclass(frozen=True, config=_strict)
class ClassSpec:
    """One class: VOC's word for it, what a page says, its groups, its queries, what it has."""

    name: FileWord
    display: Line
    short_rule: Line
    groups: tuple[Line, ...] = ()
    queries: tuple[Line, ...] = ()
    has_views: StrictBool = True
    has_parts: StrictBool = False
    has_actions: StrictBool = False


@dataclass(frozen=True, config=_strict)
class FlagSpec:
    """A yes or no of every object, and whether annotators or an organiser set it."""

    name: Literal["truncated", "occluded", "difficult"]
    display: Line
    short_rule: Line
    set_by: Literal["annotator", "organiser"] = "annotator"


@dataclass(frozen=True, config=_strict)
class PartSpec:
    """A part that gets a box of its own, and how many of it one object has at most."""

    name: FileWord
    display: Line
    max_count: Annotated[StrictInt, Field(ge=1)] = 1


@dataclass(frozen=True, config=_strict)
class ActionSpec:
    """Something that an object may be doing; an exclusive action holds alone."""

    name: TagWord
    display: Line
    is_exclusive: StrictBool = False


@dataclass(frozen=True, config=_strict)
class DiscardReason:
    """Why an image is not annotated; `key` is what rows hold."""

    key: TagWord
    display: Line
    short_rule: Line


UNWANTED_REASON = "no_wanted_class"
"""The reason of images that were discarded because they hold none of the wanted classes."""


@dataclass(frozen=True, config=_strict)
class Preset:
    """Everything that a party asks its annotators for; classes stand in label order, from 1."""

    name: FileWord
    title: Line
    style: AnnotationStyle
    year: Annotated[StrictInt, Field(ge=2005, le=9999)]
    classes: Annotated[tuple[ClassSpec, ...], Field(min_length=1)]
    discard_reasons: Annotated[tuple[DiscardReason, ...], Field(min_length=1)]
    views: tuple[View, ...] = tuple(View)
    flags: tuple[FlagSpec, ...] = ()
    parts: tuple[PartSpec, ...] = ()
    actions: tuple[ActionSpec, ...] = ()
    guidelines: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        _check_words(self)
        if View.UNSPECIFIED not in self.views:
            raise ValueError(f"views must hold {View.UNSPECIFIED.value!r}, the default")
        _check_used("parts", bool(self.parts), any(item.has_parts for item in self.classes))
        _check_used("actions", bool(self.actions), any(item.has_actions for item in self.classes))

    @property
    def class_names(self) -> tuple[str, ...]:
        """The names of the classes in label order."""
        return tuple(item.name for item in self.classes)

    @property
    def class_displays(self) -> dict[str, str]:
        """What people call each class, by its name."""
        return {item.name: item.display for item in self.classes}

    @property
    def reason_displays(self) -> dict[str, str]:
        """What people call each reason for discarding, by its key; also that of rare-class mode."""
        own = {item.key: item.display for item in self.discard_reasons}
        return {UNWANTED_REASON: "none of the wanted classes", **own}

    @property
    def features(self) -> frozenset[str]:
        """The names of the flags, and "parts" and "actions" where there are any."""
        lists = {"parts": self.parts, "actions": self.actions}
        return frozenset(
            [item.name for item in self.flags] + [name for name, items in lists.items() if items]
        )

    def find_class(self, name: str) -> ClassSpec | None:
        """The class of this name, or None."""
        return next((item for item in self.classes if item.name == name), None)

    def taxonomy(self) -> tuple[TaxonomyNode, ...]:
        """The classes as a tree; on each level nodes stand in label order of their first class."""
        return build_taxonomy([Leaf(item.groups, item.name, item.display) for item in self.classes])


def preset_names() -> tuple[str, ...]:
    """The presets that come with vocparty, in alphabetical order."""
    names = (Path(item.name) for item in _shipped().iterdir())
    return tuple(sorted(name.stem for name in names if name.suffix == ".toml"))


def load_preset(name: str, folder: Path | None = None) -> Preset:
    """The preset of this name, or of the TOML file of this name in the party's folder.

    A guidelines.md in that folder takes the place of the guidelines that come with vocparty.
    Raises PresetError where there is no such preset or it is wrong.
    """
    if name in preset_names():
        preset = parse_preset((_shipped() / f"{name}.toml").read_text("utf-8"), origin=name)
    elif folder is not None and name.endswith(".toml"):
        preset = parse_preset(_read_text(folder / name), origin=name)
    else:
        raise PresetError(
            f"preset = {name!r} is wrong: expected {', '.join(preset_names())}, "
            "or the name of a .toml file in the party's folder."
        )
    if folder is not None and (folder / GUIDELINES_FILE).is_file():
        return replace(preset, guidelines=_read_text(folder / GUIDELINES_FILE))
    return preset


def parse_preset(text: str, *, origin: str = "preset") -> Preset:
    """The preset that a TOML text gives; raises PresetError for the first mistake.

    Without a key `guidelines` it has the guidelines of vocparty, fitted to its classes and flags.
    """
    try:
        values = tomllib.loads(text)
        preset = TypeAdapter(Preset).validate_python(values)
    except tomllib.TOMLDecodeError as error:
        raise PresetError(f"{origin} is not valid TOML: {error}.") from error
    except ValidationError as error:
        sentence = _name_classes(describe_first_error(error, Preset), values)
        raise PresetError(f"{origin}: {sentence}") from error
    return preset if preset.guidelines else replace(preset, guidelines=_fit_guidelines(preset))


def _name_classes(sentence: str, values: Mapping[str, Any]) -> str:
    """The sentence with the class's name behind its number: `classes.7 (cat)`."""

    def name(place: re.Match[str]) -> str:
        item = values["classes"][int(place[1])]
        return f"{place[0]} ({item['name']})" if "name" in item else place[0]

    return re.sub(r"\bclasses\.(\d+)\b(?!\.name)", name, sentence)


def _fit_guidelines(preset: Preset) -> str:
    reasons = [f"**{item.display}**: {item.short_rule}" for item in preset.discard_reasons]
    actions = [item.display for item in preset.actions]
    content = PageContent(
        features=preset.features,
        lists={"discard_reasons": reasons, "actions": actions},
        rules={item.display: item.short_rule for item in preset.classes},
    )
    return compose_guidelines((_shipped() / GUIDELINES_FILE).read_text("utf-8"), content)


def _shipped() -> Path:
    return Path(str(resources.files("catalog") / "presets"))


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise PresetError(f"{path} is not UTF-8 text.") from error
    except OSError as error:
        raise PresetError(f"{path} cannot be read: {error.strerror}.") from error


def _check_words(preset: Preset) -> None:
    """Raises ValueError unless every list holds every word once, whatever its capitals.

    Capitals do not count because on some disks Car_train.txt and car_train.txt are one file. No
    other two names clash: a class `train` or `trainval` gives train_val.txt or trainval_val.txt,
    never the train.txt or trainval.txt of the whole set (VOC2011 devkit, section 9.1).
    """
    _check_unique("classes.{}.name", preset.class_names)
    _check_unique("classes.{}.display", [item.display for item in preset.classes])
    for index, item in enumerate(preset.classes):
        _check_unique(f"classes.{index}.queries.{{}}", item.queries)
    _check_unique("views.{}", preset.views)
    _check_unique("flags.{}.name", [item.name for item in preset.flags])
    _check_unique("parts.{}.name", [item.name for item in preset.parts])
    _check_unique("actions.{}.name", [item.name for item in preset.actions])
    _check_unique("discard_reasons.{}.key", [item.key for item in preset.discard_reasons])


def _check_unique(key: str, words: Sequence[str]) -> None:
    places: dict[str, int] = {}
    for index, word in enumerate(words):
        first = places.setdefault(word.casefold(), index)
        if first != index:
            raise ValueError(
                f"{key.format(index)} = {word!r} is wrong: expected a word that differs from "
                f"{key.format(first)} in more than capitals"
            )


def _check_used(key: str, are_given: bool, are_used: bool) -> None:
    if are_used and not are_given:
        raise ValueError(f"{key} are missing, but a class says has_{key} = true")
    if are_given and not are_used:
        raise ValueError(f"{key} are given, but no class says has_{key} = true")
