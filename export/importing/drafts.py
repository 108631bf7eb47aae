"""The annotation files of a tree, all read before anything is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from catalog.preset import AnnotationStyle
from catalog.states import Split
from export.recipe import STYLES
from export.verify.trees import Tree, read_bytes
from export.voc import tree
from export.voc.read import Places, Reading, read_annotation
from export.voc.records import VocImage

from .findings import Mend, Skip
from .mending import MENDED_HERE
from .releases import find_style
from .source_tree import TreeFiles, TreeMasks, list_files, list_masks
from .unknown_elements import iterate_unknown
from .words import KnownWords, check_words, keep_known


@dataclass(frozen=True, slots=True)
class Draft:
    """One image of the tree: its annotation as it was read, and where its files are.

    `find_places` gives lines of the annotation, of which there is something to tell in few files.
    """

    image_id: str
    annotation: str
    picture: Path
    record: VocImage
    style: AnnotationStyle
    masks: Mapping[str, str]
    most_classes: int
    find_places: Callable[[], Places]


@dataclass
class TreeDrafts:
    """The images that can be tried, those that cannot, and what was read otherwise."""

    drafts: list[Draft] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)
    mends: list[Mend] = field(default_factory=list)


def read_drafts(
    found: Tree, splits: Mapping[str, Split], year: int, advance: Callable[[int], None]
) -> TreeDrafts:
    """Every image of the tree that has both files and an annotation that can be read."""
    files, masks = list_files(found.root, splits), list_masks(found)
    drafts = TreeDrafts(skipped=list(files.skipped))
    for image_id in files.image_ids:
        _read(str(found.root), files, masks, image_id, year, drafts)
        advance(1)
    return drafts


def settle_words(drafts: TreeDrafts, known: KnownWords, *, only_known: bool) -> TreeDrafts:
    """The drafts with nothing in them that the preset has no name for.

    Raises UnknownWordsError where there is such a thing, unless only what is known is wanted.
    """
    if not only_known:
        check_words((draft.record for draft in drafts.drafts), known)
    settled = TreeDrafts(skipped=list(drafts.skipped), mends=list(drafts.mends))
    for draft in drafts.drafts:
        kept, left_out = _keep_known(draft, known) if only_known else (draft, [])
        settled.mends += [Mend(draft.annotation, 1, "unknown", f"left out {it}") for it in left_out]
        if kept.record.objects:
            settled.drafts.append(kept)
        else:
            settled.skipped.append(Skip(draft.image_id, _describe_empty(bool(left_out))))
    return settled


def _keep_known(draft: Draft, known: KnownWords) -> tuple[Draft, list[str]]:
    record, left_out = keep_known(draft.record, known)
    if not left_out:
        return draft, []
    places = draft.find_places()
    lines = tuple(
        line
        for item, line in zip(draft.record.objects, places.objects, strict=True)
        if item.name in known.classes
    )
    return replace(draft, record=record, find_places=lambda: Places(places.lines, lines)), left_out


def _read(
    root: str, files: TreeFiles, masks: TreeMasks, image_id: str, year: int, drafts: TreeDrafts
) -> None:
    path = f"{root}/{tree.annotation_path(image_id)}"
    data = read_bytes(path)
    if isinstance(data, str):
        drafts.skipped.append(Skip(image_id, f"its annotation: {data}"))
        return
    reading = read_annotation(data, year=year)
    if reading.image is None:
        drafts.skipped.append(Skip(image_id, _describe_unreadable(reading)))
        return
    drafts.mends += _find_mends(path, image_id, reading, data)
    drafts.drafts.append(
        Draft(
            image_id,
            path,
            files.pictures[image_id],
            reading.image,
            _STYLES[reading.style] if reading.style else find_style(year),
            masks.paths_of(root, image_id),
            masks.most_classes,
            partial(_find_places, path, year),
        )
    )


def _find_places(path: str, year: int) -> Places:
    """The lines of the file, read once more: to keep them would take more than the records."""
    data = read_bytes(path)
    return Places() if isinstance(data, str) else read_annotation(data, year=year).find_places()


def _find_mends(path: str, image_id: str, reading: Reading, data: bytes) -> Iterator[Mend]:
    for it in reading.remarks:
        if it.rule not in MENDED_HERE:
            yield Mend(path, it.line, it.rule, it.message)
    filename = reading.image.filename if reading.image else ""
    if filename != f"{image_id}.jpg":
        message = f"<filename> says {filename[:100]!r}; taken as {image_id}.jpg"
        yield Mend(path, reading.line_of("filename"), "filename", message)
    unknown = [] if reading.style else list(iterate_unknown(data))
    for line, tag in unknown:
        yield Mend(path, line, "unknown-element", f"<{tag}> is left behind; no release has it")
    if reading.style is None and not reading.remarks and not unknown:
        message = "it is written again in the order of its year, as releases write it"
        yield Mend(path, 1, "layout", message)


_STYLES = {order: style for style, order in STYLES.items()}


def _describe_unreadable(reading: Reading) -> str:
    """The last fault that keeps the file from being a record, syntax of the kit aside."""
    fatal = ("xml", "required", "number", "empty")
    said = [it for it in reading.remarks if it.rule in fatal] or list(reading.remarks)
    where = f"line {said[-1].line}: {said[-1].message}" if said else "it has no record"
    return f"its annotation cannot be read: {where}"


def _describe_empty(are_left_out: bool) -> str:
    if are_left_out:
        return "it has no object of the preset's classes"
    return "it has no object, and no release can hold such an image"
