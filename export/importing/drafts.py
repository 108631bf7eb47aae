"""The annotation files of a tree, all read before anything is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path

from catalog.party import Party
from catalog.preset import AnnotationStyle, Preset
from export.form import FileForm
from export.recipe import STYLES
from export.verify.trees import MOST_ANNOTATION_BYTES, read_bytes
from voc.elements import find_unknown_elements
from voc.read import Places, Reading, read_annotation
from voc.records import VocImage, VocObject

from .corrections import CORRECTED_RULES, Corrector
from .known import Storable, describe_blocked
from .tree_image import Correction, ImportTreeError, SourceImage, TreeImage


@dataclass(frozen=True)
class Terms:
    """What holds for every image of an import; `words` are as "class cat", "part head"."""

    party: Party
    root: Path
    year: int
    words: frozenset[str]
    only_known: bool
    storable: Storable
    most_classes: int


def read_draft(terms: Terms, source: SourceImage) -> TreeImage:
    """The image with what its annotation says, or why it is left out."""
    form = FileForm(find_style(terms.year), VocImage(f"{source.image_id}.jpg", ()))
    if source.is_blind:
        return TreeImage(source, replace(form, is_blind=True))
    draft = TreeImage(source, form)
    draft.reason = _fill(draft, terms) or _settle_words(draft, terms)
    return draft


def list_words(preset: Preset) -> frozenset[str]:
    """What the preset has names for, each with its kind."""
    return frozenset(
        {
            *(f"class {name}" for name in preset.class_names),
            *(f"part {part.name}" for part in preset.parts),
            *(f"action {action.name}" for action in preset.actions),
        }
    )


def refuse_unknown(drafts: Sequence[TreeImage], preset: Preset) -> None:
    """Raise ImportTreeError, naming all of them, where there are words that the preset lacks."""
    if unknown := Counter(word for draft in drafts for word in draft.unknown):
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


def _fill(draft: TreeImage, terms: Terms) -> str | None:
    """Read the annotation into the draft; why the image is left out, if it is."""
    source = draft.source
    data = read_bytes(terms.root / source.annotation, MOST_ANNOTATION_BYTES)
    if isinstance(data, str):
        return f"its annotation: {data}"
    reading = read_annotation(data, year=terms.year)
    if reading.image is None:
        fatal = ("xml", "required", "number", "empty")  # the last one, syntax of the kit aside
        said = [it for it in reading.remarks if it.rule in fatal] or list(reading.remarks)
        where = f"line {said[-1].line}: {said[-1].message}" if said else "it has no record"
        return f"its annotation cannot be read: {where}"
    corrector = Corrector(source.annotation, reading.places)
    record = corrector.normalise(reading.image, terms.year, is_canonical=reading.style is not None)
    style = _STYLES[reading.style] if reading.style else draft.form.style
    draft.form, draft.places = FileForm(style, record), reading.places
    draft.corrections += [*_tell_remarks(source, reading, data), *corrector.corrections]
    owner_id, blocked = draft.origin["owner_id"], terms.storable.blocked
    return describe_blocked(owner_id, blocked) if owner_id in blocked else None


_STYLES = {order: style for style, order in STYLES.items()}


def _settle_words(draft: TreeImage, terms: Terms) -> str | None:
    """Give classes today's names, leave out unknown words if asked; why the image is left out."""
    path, record, former = draft.source.annotation, draft.form.record, terms.party.former_classes
    lines, objects = draft.places.objects, list[VocObject]()
    for item, line in zip(record.objects, lines, strict=True):
        if item.name in former:
            message = f"{item.name} became {former[item.name]}, as the class is called now"
            draft.corrections.append(Correction(path, line, "class", message))
        objects.append(replace(item, name=former.get(item.name, item.name)))
    words = terms.words
    for item in objects:
        used = [f"class {item.name}", *(f"part {it.name}" for it in item.parts)]
        used += [f"action {it.name}" for it in item.actions or () if it.is_performed]
        draft.unknown += [word for word in used if word not in words]
    if draft.unknown and terms.only_known:
        left_out = (Correction(path, 1, "unknown", f"left out {it}") for it in draft.unknown)
        draft.corrections += left_out
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
        lines = tuple(compress(lines, is_known))
        if not all(is_known):  # object k of a mask would be another one
            draft.source = replace(draft.source, masks={})
        if not objects:
            return "it has no object of the preset's classes"
    draft.form = replace(draft.form, record=replace(record, objects=tuple(objects)))
    draft.places = Places(draft.places.lines, lines)
    return None if objects else "it has no object, and no release can hold such an image"


def _tell_remarks(source: SourceImage, reading: Reading, data: bytes) -> Iterator[Correction]:
    """What of the file a release writes otherwise, apart from what the Corrector tells."""
    path = source.annotation
    for it in reading.remarks:
        if it.rule not in CORRECTED_RULES:
            yield Correction(path, it.line, it.rule, it.message)
    filename = reading.image.filename if reading.image else ""
    if filename != f"{source.image_id}.jpg":
        message = f"<filename> says {filename[:100]!r}; taken as {source.image_id}.jpg"
        yield Correction(path, reading.line_of("filename"), "filename", message)
    unknown = [] if reading.style else find_unknown_elements(data)
    for line, tag in unknown:
        message = f"<{tag}> is left behind; no release has it"
        yield Correction(path, line, "unknown-element", message)
    if reading.style is None and not reading.remarks and not unknown:
        message = "it is written again in the order of its year, as releases write it"
        yield Correction(path, 1, "layout", message)
