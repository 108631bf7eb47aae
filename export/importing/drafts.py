"""The annotation files of a tree, all read before anything is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from catalog.image_store import ImageStore
from catalog.preset import AnnotationStyle, Preset
from export.portions import Advance, in_portions
from export.recipe import STYLES
from export.verify.trees import MOST_ANNOTATION_BYTES, Tree, read_bytes
from voc import tree
from voc.elements import find_unknown_elements
from voc.read import Places, Reading, read_annotation
from voc.records import VocImage, VocObject

from .corrections import CORRECTED_RULES, Normaliser
from .known import Storable, describe_blocked
from .source_tree import TreeFiles, find_masks
from .tree_image import Correction, Skip, UnknownWordsError, find_origin

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


@dataclass(frozen=True)
class Terms:
    """What holds for every image of an import: its tree, its words, what may be stored where.

    `mask_classes` is the largest number of a class in its masks, 0 where it has none.
    """

    found: Tree
    files: TreeFiles
    mask_classes: int
    year: int
    words: Words
    former_classes: Mapping[str, str]
    only_known: bool
    storable: Storable
    store: ImageStore
    max_pixels: int


@dataclass(frozen=True)
class Draft:
    """One image of the tree: its annotation as it was read, and where its files are.

    Where `is_blind`, there is no annotation: the tree holds it back.
    """

    image_id: str
    annotation: str
    picture: str
    record: VocImage
    style: AnnotationStyle
    places: Places = field(default_factory=Places)
    masks: Mapping[str, str] = field(default_factory=dict)
    is_blind: bool = False


@dataclass
class TreeDrafts:
    """The images to import, those left out, corrections, and counts of words the preset lacks."""

    drafts: list[Draft] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)
    corrections: list[Correction] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)


def read_drafts(terms: Terms, advance: Advance = lambda _count: None) -> TreeDrafts:
    """The drafts of all images of the tree that can be imported."""
    drafts = TreeDrafts(skipped=list(terms.files.skipped))
    with in_portions(partial(_read_some, terms), terms.files.image_ids, advance) as portions:
        for some in portions:
            drafts.drafts += some.drafts
            drafts.skipped += some.skipped
            drafts.corrections += some.corrections
            drafts.unknown += some.unknown
    return drafts


def _read_some(terms: Terms, image_ids: Sequence[str]) -> TreeDrafts:
    drafts = TreeDrafts()
    for image_id in image_ids:
        outcome = _read_one(terms, image_id, drafts)
        if isinstance(outcome, Draft):
            drafts.drafts.append(outcome)
        else:
            drafts.skipped.append(Skip(image_id, outcome))
    return drafts


def find_style(year: int) -> AnnotationStyle:
    """The style of a year's own images."""
    if year <= 2007:
        return AnnotationStyle.VOC2007
    return AnnotationStyle.VOC2008 if year == 2008 else AnnotationStyle.VOC2012


def _read_one(terms: Terms, image_id: str, drafts: TreeDrafts) -> Draft | str:
    """The image's draft, or why it is left out."""
    if image_id in terms.storable.withdrawn:
        return "it was taken down"
    picture = terms.files.picture(image_id)
    if image_id in terms.files.blind:
        record = VocImage(f"{image_id}.jpg", ())
        return Draft(image_id, picture, picture, record, find_style(terms.year), is_blind=True)
    draft = _read_annotation(terms, image_id, picture, drafts)
    if isinstance(draft, str):
        return draft
    return _find_bar(draft, terms.storable) or _settle_words(draft, terms, drafts)


def _read_annotation(terms: Terms, image_id: str, picture: str, drafts: TreeDrafts) -> Draft | str:
    root = str(terms.found.root)
    path = f"{root}/{tree.annotation_path(image_id)}"
    data = read_bytes(path, MOST_ANNOTATION_BYTES)
    if isinstance(data, str):
        return f"its annotation: {data}"
    reading = read_annotation(data, year=terms.year)
    if reading.image is None:
        return _describe_unreadable(reading)
    normaliser = Normaliser(path, terms.year, reading)
    record = normaliser.normalise(reading.image)
    drafts.corrections += [*_find_corrections(path, image_id, reading, data)]
    drafts.corrections += normaliser.corrections
    style = _STYLES[reading.style] if reading.style else find_style(terms.year)
    # No release may hold the masks of an image that is not in it.
    may_have_masks = terms.mask_classes and image_id in terms.storable.releasable
    masks = find_masks(terms.found.root, image_id) if may_have_masks else {}
    return Draft(image_id, path, picture, record, style, reading.places, masks)


def _find_bar(draft: Draft, storable: Storable) -> str | None:
    """Why the image may not be stored."""
    owner_id = find_origin(draft.record).owner_id
    if owner_id is not None and owner_id in storable.blocked:
        return describe_blocked(owner_id, storable.blocked)
    if draft.image_id in storable.hidden:
        return "the release is recorded without its annotation; import the tree with another --name"
    return None


def _settle_words(draft: Draft, terms: Terms, drafts: TreeDrafts) -> Draft | str:
    """The draft without words that the preset lacks, where they may be left out; else a count."""
    draft = _rename_classes(draft, terms.former_classes, drafts)
    unknown = _find_unknown(draft.record, terms.words)
    if unknown and terms.only_known:
        told = (Correction(draft.annotation, 1, "unknown", f"left out {it}") for it in unknown)
        drafts.corrections += told
        draft = _leave_out_unknown(draft, terms.words)
        if not draft.record.objects:
            return "it has no object of the preset's classes"
    drafts.unknown.update(() if terms.only_known else unknown)
    if not draft.record.objects:
        return "it has no object, and no release can hold such an image"
    return draft


def _rename_classes(draft: Draft, former: Mapping[str, str], drafts: TreeDrafts) -> Draft:
    """The draft with today's names of classes that the party renamed or merged."""
    pairs = list(zip(draft.record.objects, draft.places.objects, strict=True))
    for item, line in pairs:
        if item.name in former:
            message = f"{item.name} became {former[item.name]}, as the class is called now"
            drafts.corrections.append(Correction(draft.annotation, line, "class", message))
    objects = tuple(replace(item, name=former.get(item.name, item.name)) for item, _ in pairs)
    return replace(draft, record=replace(draft.record, objects=objects))


def _leave_out_unknown(draft: Draft, words: Words) -> Draft:
    pairs = zip(draft.record.objects, draft.places.objects, strict=True)
    kept = [(_keep_known(it, words), line) for it, line in pairs if it.name in words["class"]]
    record = replace(draft.record, objects=tuple(item for item, _ in kept))
    places = Places(draft.places.lines, tuple(line for _, line in kept))
    return replace(draft, record=record, places=places)


def _find_unknown(record: VocImage, words: Words) -> list[str]:
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


def _keep_known(item: VocObject, words: Words) -> VocObject:
    """The object without the parts and actions that the preset has no name for."""
    parts = tuple(part for part in item.parts if part.name in words["part"])
    actions = item.actions and tuple(it for it in item.actions if it.name in words["action"])
    return replace(item, parts=parts, actions=actions)


def _find_corrections(
    path: str, image_id: str, reading: Reading, data: bytes
) -> Iterator[Correction]:
    for it in reading.remarks:
        if it.rule not in CORRECTED_RULES:
            yield Correction(path, it.line, it.rule, it.message)
    filename = reading.image.filename if reading.image else ""
    if filename != f"{image_id}.jpg":
        message = f"<filename> says {filename[:100]!r}; taken as {image_id}.jpg"
        yield Correction(path, reading.line_of("filename"), "filename", message)
    unknown = [] if reading.style else find_unknown_elements(data)
    for line, tag in unknown:
        message = f"<{tag}> is left behind; no release has it"
        yield Correction(path, line, "unknown-element", message)
    if reading.style is None and not reading.remarks and not unknown:
        message = "it is written again in the order of its year, as releases write it"
        yield Correction(path, 1, "layout", message)


_STYLES = {order: style for style, order in STYLES.items()}


def _describe_unreadable(reading: Reading) -> str:
    """The last fault that keeps the file from being a record, syntax of the kit aside."""
    fatal = ("xml", "required", "number", "empty")
    said = [it for it in reading.remarks if it.rule in fatal] or list(reading.remarks)
    where = f"line {said[-1].line}: {said[-1].message}" if said else "it has no record"
    return f"its annotation cannot be read: {where}"
