"""The words of a tree held against the preset: classes, parts and actions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from catalog.preset import Preset
from export.voc.records import VocImage, VocObject

from .errors import UnknownWordsError


@dataclass(frozen=True)
class KnownWords:
    """What the preset has names for."""

    preset: str
    classes: frozenset[str]
    parts: frozenset[str]
    actions: frozenset[str]


def make_known_words(preset: Preset) -> KnownWords:
    """The words of a preset."""
    return KnownWords(
        preset=preset.name,
        classes=frozenset(preset.class_names),
        parts=frozenset(part.name for part in preset.parts),
        actions=frozenset(action.name for action in preset.actions),
    )


def count_unknown(records: Iterable[VocImage], known: KnownWords) -> Counter[str]:
    """How often the records have each word that the preset lacks."""
    unknown: Counter[str] = Counter()
    for record in records:
        for item in record.objects:
            if item.name not in known.classes or item.parts or item.actions:
                unknown.update(find_unknown(item, known))
    return unknown


def refuse_unknown(unknown: Counter[str], known: KnownWords) -> None:
    """Raise UnknownWordsError, naming all of them, where there are words that the preset lacks."""
    if unknown:
        listed = ", ".join(f"{word} ({count})" for word, count in sorted(unknown.items()))
        raise UnknownWordsError(
            f"The preset {known.preset} does not know these words of the tree: {listed}; make the "
            "party with a preset that has them, or leave such objects, parts and actions out with "
            "--only-known."
        )


def find_unknown(item: VocObject, known: KnownWords) -> list[str]:
    """The words of one object that the preset lacks, each with its kind."""
    found = [] if item.name in known.classes else [f"class {item.name}"]
    found += [f"part {part.name}" for part in item.parts if part.name not in known.parts]
    return found + [
        f"action {action.name}"
        for action in item.actions or ()
        if action.is_performed and action.name not in known.actions
    ]


def keep_known(record: VocImage, known: KnownWords) -> tuple[VocImage, list[str]]:
    """The record without what the preset has no name for, and the words that were left out."""
    left_out = [word for item in record.objects for word in find_unknown(item, known)]
    if not left_out:
        return record, []
    objects = (_known_part(item, known) for item in record.objects if item.name in known.classes)
    return replace(record, objects=tuple(objects)), left_out


def _known_part(item: VocObject, known: KnownWords) -> VocObject:
    parts = tuple(part for part in item.parts if part.name in known.parts)
    if item.actions is None:
        return replace(item, parts=parts)
    actions = tuple(action for action in item.actions if action.name in known.actions)
    return replace(item, parts=parts, actions=actions)
