"""The annotation files of a tree, all read before anything is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import compress
from pathlib import Path

from catalog.image_store import digest_of
from catalog.party import Party
from catalog.preset import AnnotationStyle, Preset
from export.form import FileForm
from export.recipe import STYLES
from export.verify.trees import MOST_ANNOTATION_BYTES, read_bytes
from voc.elements import find_unknown_elements
from voc.read import Places, Reading, read_annotation
from voc.records import VocImage, VocObject

from .corrections import CORRECTED_RULES, normalise
from .rows import Storable
from .tree_image import Correction, ImportTreeError, TreeImage


@dataclass(frozen=True)
class Import:
    """What all images of an import share; `words` of the preset are as "class cat", "part head"."""

    party: Party
    root: Path
    name: str
    year: int
    at: datetime
    words: frozenset[str]
    only_known: bool
    storable: Storable
    most_classes: int
    person_id: int = 0
    query_id: int = 0

    def key(self, image_id: str) -> str:
        """The end of the names of this image's saves, different in each import."""
        return f"{digest_of(self.name.encode())[:16]}-{image_id}"

    def save_key(self, image_id: str) -> str:
        """The name of the revision of this image, and of the drawing of its masks."""
        return f"import-{self.key(image_id)}"


def read_draft(run: Import, image: TreeImage) -> None:
    """Give the image what its annotation says, or the reason why it is left out."""
    record = VocImage(f"{image.image_id}.jpg", ())
    image.form = FileForm(find_style(run.year), record, is_blind=image.is_blind)
    if not image.is_blind:
        image.reason = _read(run, image) or _settle_words(run, image)


def list_words(preset: Preset) -> frozenset[str]:
    """What the preset has names for, each with its kind."""
    return frozenset(
        {
            *(f"class {name}" for name in preset.class_names),
            *(f"part {part.name}" for part in preset.parts),
            *(f"action {action.name}" for action in preset.actions),
        }
    )


def refuse_unknown(images: Sequence[TreeImage], preset: Preset) -> None:
    """Raise ImportTreeError, naming all of them, where there are words that the preset lacks."""
    if unknown := Counter(word for image in images for word in image.unknown):
        listed = ", ".join(f"{word} ({count})" for word, count in sorted(unknown.items()))
        raise ImportTreeError(
            f"The preset {preset.name} does not know these words of the tree: {listed}; make the "
            "party with a preset that has them, or leave such objects, parts and actions out with "
            "--only-known."
        )


def find_style(year: int) -> AnnotationStyle:
    """The style of a year's own images."""
    if year <= 2007:
        return AnnotationStyle.VOC2007
    return AnnotationStyle.VOC2008 if year == 2008 else AnnotationStyle.VOC2012


def _read(run: Import, image: TreeImage) -> str | None:
    """Give the image its annotation; why it is left out, if it is."""
    data = read_bytes(run.root / image.annotation, MOST_ANNOTATION_BYTES)
    if isinstance(data, str):
        return f"its annotation: {data}"
    reading = read_annotation(data, year=run.year)
    if reading.image is None:
        fatal = ("xml", "required", "number", "empty")  # the last one, syntax of the kit aside
        said = [it for it in reading.remarks if it.rule in fatal] or list(reading.remarks)
        where = f"line {said[-1].line}: {said[-1].message}" if said else "it has no record"
        return f"its annotation cannot be read: {where}"
    image.places = reading.places
    _tell_remarks(image, reading, data)
    is_canonical = reading.style is not None
    record = normalise(image, reading.image, run.year, is_canonical=is_canonical)
    style = _STYLES[reading.style] if reading.style else image.form.style
    image.form = FileForm(style, record)
    return run.storable.blocked.get(image.origin["owner_id"])


_STYLES = {order: style for style, order in STYLES.items()}


def _settle_words(run: Import, image: TreeImage) -> str | None:
    """Give classes today's names, leave out unknown words if asked; why the image is left out."""
    record, former, words = image.form.record, run.party.former_classes, run.words
    lines, objects = image.places.objects, list[VocObject]()
    for number, item in enumerate(record.objects, start=1):
        if item.name in former:
            message = f"{item.name} became {former[item.name]}, as the class is called now"
            image.tell("class", message, number)
        objects.append(replace(item, name=former.get(item.name, item.name)))
    for item in objects:
        used = [f"class {item.name}", *(f"part {it.name}" for it in item.parts)]
        used += [f"action {it.name}" for it in item.actions or () if it.is_performed]
        image.unknown += [word for word in used if word not in words]
    if image.unknown and run.only_known:
        for word in image.unknown:
            image.tell("unknown", f"left out {word}")
        is_known = [f"class {item.name}" in words for item in objects]
        objects = [
            replace(
                item,
                parts=tuple(it for it in item.parts if f"part {it.name}" in words),
                actions=item.actions
                and tuple(it for it in item.actions if f"action {it.name}" in words),
            )
            for item in compress(objects, is_known)
        ]
        image.places = Places(image.places.lines, tuple(compress(lines, is_known)))
        if not all(is_known):  # object k of a mask would be another one
            image.masks = {}
        if not objects:
            return "it has no object of the preset's classes"
    image.form = replace(image.form, record=replace(record, objects=tuple(objects)))
    return None if objects else "it has no object, and no release can hold such an image"


def _tell_remarks(image: TreeImage, reading: Reading, data: bytes) -> None:
    """What of the file a release writes otherwise, apart from what corrections tell."""
    told = [(it.line, it.rule, it.message) for it in reading.remarks]
    told = [it for it in told if it[1] not in CORRECTED_RULES]
    filename = reading.image.filename if reading.image else ""
    if filename != f"{image.image_id}.jpg":
        message = f"<filename> says {filename[:100]!r}; taken as {image.image_id}.jpg"
        told.append((reading.line_of("filename"), "filename", message))
    unknown = [] if reading.style else find_unknown_elements(data)
    for line, tag in unknown:
        told.append((line, "unknown-element", f"<{tag}> is left behind; no release has it"))
    if reading.style is None and not reading.remarks and not unknown:
        message = "it is written again in the order of its year, as releases write it"
        told.append((1, "layout", message))
    image.corrections += [Correction(image.annotation, *it) for it in told]
