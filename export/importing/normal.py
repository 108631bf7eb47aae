"""What a file says, as a release can say it: what no release may hold gives way, and is told."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from export.form import UNKNOWN
from export.verify.facts import FIRST_YEAR
from export.voc import tree
from export.voc.read import Reading
from export.voc.read_object import EXCLUSIVE_ACTION, PERSON_PARTS
from export.voc.records import VocAction, VocImage, VocObject, VocOwner, VocPart, VocSource
from export.voc.text import fit_text

from .findings import Mend

NOBODY_SAID = "Unknown"
"""For a source of which the file says nothing; other programs write it too."""


@dataclass
class Normaliser:
    """Makes the record of one file; `mends` grows by what became another value."""

    file: str
    year: int
    reading: Reading
    mends: list[Mend] = field(default_factory=list)

    def normalise(self, record: VocImage) -> VocImage:
        """The record with a folder, a source and objects that a release can have."""
        if self.reading.style is not None:  # all else is as releases have it
            return self._with_folder(record)
        record = self._with_folder(record)
        record = replace(record, source=self._source(record.source))
        if record.owner is not None:
            record = replace(record, owner=self._owner(record.owner))
        return replace(record, objects=self._objects(record.objects))

    def _with_folder(self, record: VocImage) -> VocImage:
        if record.folder is not None and is_release_folder(record.folder, self.year):
            return record
        folder = f"VOC{self.year}"
        self._tell("folder", f"<folder> said {_show(record.folder)} and became {folder}")
        return replace(record, folder=folder)

    def _source(self, source: VocSource | None) -> VocSource:
        source = source or VocSource()
        made = VocSource(
            self._text("source", "database", source.database) or NOBODY_SAID,
            self._text("source", "annotation", source.annotation) or NOBODY_SAID,
            self._text("source", "image", source.image) or NOBODY_SAID,
            self._text("source", "flickrid", source.flickrid),
        )
        for tag in ("database", "annotation", "image"):
            if getattr(source, tag) is None:
                self._tell("source", f"<{tag}> was missing and became {getattr(made, tag)}")
        return made

    def _owner(self, owner: VocOwner) -> VocOwner:
        return VocOwner(
            self._text("owner", "flickrid", owner.flickrid) or UNKNOWN,
            self._text("owner", "name", owner.name) or UNKNOWN,
        )

    def _text(self, parent: str, tag: str, text: str | None) -> str | None:
        if text is None or fit_text(text) == text:
            return text
        fitting = fit_text(text)
        self._tell(parent, f"<{tag}> said {_show(text)} and became {_show(fitting)}")
        return fitting or None

    def _objects(self, objects: tuple[VocObject, ...]) -> tuple[VocObject, ...]:
        made = tuple(self._keep_parts(number, item) for number, item in enumerate(objects, 1))
        return self._settle_points(self._settle_actions(made))

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
        places = self.reading.find_places()
        line = places.objects[number - 1] if number else places.lines.get(rule, 1)
        self.mends.append(Mend(self.file, line, rule, message))


def is_release_folder(folder: str, year: int) -> bool:
    """Whether an annotation file of a release of that year may name the folder."""
    match = tree.TREE_NAME.fullmatch(folder)
    return match is not None and (int(match[1]) == year or FIRST_YEAR <= int(match[1]) <= year)


def _show(text: str | None) -> str:
    return "nothing" if text is None else repr(text[:60])
