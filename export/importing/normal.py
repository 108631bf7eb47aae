"""The record of a file as a release can hold it, in words that the preset knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from catalog.preset import Preset
from export.form import UNKNOWN
from export.verify.facts import is_release_folder
from voc.read import Reading
from voc.read_object import EXCLUSIVE_ACTION, PERSON_PARTS
from voc.records import VocAction, VocImage, VocObject, VocOwner, VocPart, VocSource
from voc.text import fit_text

from .tree_image import Correction, UnknownWordsError

NOT_SAID = "Unknown"
"""For a source that the file does not name; other programs write it too."""


@dataclass
class Normaliser:
    """Makes the record of one file; `corrections` grows by each value that became another one."""

    file: str
    year: int
    reading: Reading
    corrections: list[Correction] = field(default_factory=list)

    def normalise(self, record: VocImage) -> VocImage:
        """The record with a folder, a source and objects that a release can have."""
        if self.reading.style is not None:  # all else is as releases have it
            return self._with_folder(record)
        record = self._with_folder(record)
        record = replace(record, source=self._source(record.source))
        if record.owner is not None:
            flickrid = self._text("owner", "flickrid", record.owner.flickrid) or UNKNOWN
            name = self._text("owner", "name", record.owner.name) or UNKNOWN
            record = replace(record, owner=VocOwner(flickrid, name))
        objects = tuple(self._keep_parts(*it) for it in enumerate(record.objects, 1))
        objects = self._settle_points(self._settle_actions(objects))
        return replace(record, objects=objects)

    def _with_folder(self, record: VocImage) -> VocImage:
        if record.folder is not None and is_release_folder(record.folder, self.year):
            return record
        folder = f"VOC{self.year}"
        self._tell("folder", f"<folder> said {_show(record.folder)} and became {folder}")
        return replace(record, folder=folder)

    def _source(self, source: VocSource | None) -> VocSource:
        source = source or VocSource()
        made = VocSource(
            self._text("source", "database", source.database) or NOT_SAID,
            self._text("source", "annotation", source.annotation) or NOT_SAID,
            self._text("source", "image", source.image) or NOT_SAID,
            self._text("source", "flickrid", source.flickrid),
        )
        for tag in ("database", "annotation", "image"):
            if getattr(source, tag) is None:
                self._tell("source", f"<{tag}> was missing and became {getattr(made, tag)}")
        return made

    def _text(self, parent: str, tag: str, text: str | None) -> str | None:
        if text is None or fit_text(text) == text:
            return text
        fitting = fit_text(text)
        self._tell(parent, f"<{tag}> said {_show(text)} and became {_show(fitting)}")
        return fitting or None

    def _keep_parts(self, number: int, item: VocObject) -> VocObject:
        if item.name != "person":
            return item
        kept, counts = list[VocPart](), Counter[str]()
        for part in item.parts:
            counts[part.name] += 1
            if counts[part.name] <= PERSON_PARTS.get(part.name, len(item.parts)):
                kept.append(part)
                continue
            message = f"a {part.name} of object {number} is left out: a person has no more of them"
            self._tell("part-count", message, number)
        return item if len(kept) == len(item.parts) else replace(item, parts=tuple(kept))

    def _settle_actions(self, objects: tuple[VocObject, ...]) -> tuple[VocObject, ...]:
        if all(item.actions is None for item in objects):
            return objects
        names = sorted({it.name for item in objects for it in item.actions or ()})
        return tuple(
            self._with_actions(number, item, names) for number, item in enumerate(objects, 1)
        )

    def _with_actions(self, number: int, item: VocObject, names: list[str]) -> VocObject:
        performed = {it.name for it in item.actions or () if it.is_performed}
        if EXCLUSIVE_ACTION in performed and len(performed) > 1:
            performed.discard(EXCLUSIVE_ACTION)
            message = f"object {number} does not perform {EXCLUSIVE_ACTION!r}: it does another"
            self._tell("actions", message, number)
        if item.actions is None:
            message = f"object {number} got <actions>, of which it performs none"
            self._tell("actions-in-all", message, number)
        actions = tuple(VocAction(name, name in performed) for name in names)
        return item if actions == item.actions else replace(item, actions=actions)

    def _settle_points(self, objects: tuple[VocObject, ...]) -> tuple[VocObject, ...]:
        if len({item.point is None for item in objects}) < 2:
            return objects
        self._tell("point-in-all", "its points are left out: not all objects have one")
        return tuple(replace(item, point=None) for item in objects)

    def _tell(self, rule: str, message: str, number: int = 0) -> None:
        line = self.reading.places.find_line(rule, number)
        self.corrections.append(Correction(self.file, line, rule, message))


def _show(text: str | None) -> str:
    return "nothing" if text is None else repr(text[:60])


Words = Mapping[str, frozenset[str]]
"""What a preset has names for, by kind: class, part and action."""


def make_words(preset: Preset) -> Words:
    """The words of a preset."""
    return {
        "class": frozenset(preset.class_names),
        "part": frozenset(part.name for part in preset.parts),
        "action": frozenset(action.name for action in preset.actions),
    }


def refuse_unknown(unknown: Counter[str], preset: Preset) -> None:
    """Raise UnknownWordsError, naming all of them, where there are words that the preset lacks."""
    if unknown:
        listed = ", ".join(f"{word} ({count})" for word, count in sorted(unknown.items()))
        raise UnknownWordsError(
            f"The preset {preset.name} does not know these words of the tree: {listed}; make the "
            "party with a preset that has them, or leave such objects, parts and actions out with "
            "--only-known."
        )


def find_unknown(record: VocImage, words: Words) -> list[str]:
    """The words of the objects that the preset lacks, each with its kind."""
    used = [
        (kind, name)
        for item in record.objects
        for kind, names in (
            ("class", [item.name]),
            ("part", [it.name for it in item.parts]),
            ("action", [it.name for it in item.actions or () if it.is_performed]),
        )
        for name in names
    ]
    return [f"{kind} {name}" for kind, name in used if name not in words[kind]]


def keep_known(item: VocObject, words: Words) -> VocObject:
    """The object without the parts and actions that the preset has no name for."""
    parts = tuple(part for part in item.parts if part.name in words["part"])
    actions = item.actions and tuple(it for it in item.actions if it.name in words["action"])
    return replace(item, parts=parts, actions=actions)
