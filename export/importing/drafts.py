"""The annotation files of a tree, all read before anything is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from catalog.preset import AnnotationStyle
from export.recipe import STYLES
from export.verify.trees import MOST_ANNOTATION_BYTES, Tree, read_bytes
from export.voc import tree
from export.voc.read import Places, Reading, read_annotation
from export.voc.records import VocImage

from .findings import Mend, Skip
from .mending import MENDED_HERE
from .normal import Normaliser
from .releases import find_style
from .source_tree import TreeFiles, TreeMasks
from .storable import Storable
from .tree_image import find_origin
from .unknown_elements import iterate_unknown
from .words import KnownWords, keep_known


class Draft(NamedTuple):
    """One image of the tree: its annotation as it was read, and where its files are.

    `find_places` gives lines of the annotation, of which there is something to tell in few files.
    Where `is_plain`, everything lies inside the size that the file gives, and has VOC's own words.
    Where `is_blind`, there is no annotation: the tree holds it back.
    """

    image_id: str
    annotation: str
    picture: str
    record: VocImage
    style: AnnotationStyle
    masks: Mapping[str, str]
    most_classes: int
    is_plain: bool
    find_places: Callable[[], Places]
    is_blind: bool = False


@dataclass
class TreeDrafts:
    """The images that can be tried, those that cannot, and what was read otherwise."""

    drafts: list[Draft] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)
    mends: list[Mend] = field(default_factory=list)


def read_drafts(
    found: Tree, files: TreeFiles, masks: TreeMasks, image_ids: Iterable[str], year: int
) -> TreeDrafts:
    """Those of the images whose annotation can be read."""
    drafts = TreeDrafts()
    for image_id in image_ids:
        if image_id in files.blind:
            drafts.drafts.append(_make_blind(files, image_id, year))
            continue
        _read(str(found.root), files, masks, image_id, year, drafts)
    return drafts


def keep_storable(drafts: TreeDrafts, storable: Storable) -> TreeDrafts:
    """The drafts that may be stored, without masks where the release may not hold them."""
    are_limited = storable.blocked or storable.hidden
    if not are_limited and not any(draft.masks for draft in drafts.drafts):
        return drafts
    kept = TreeDrafts(skipped=list(drafts.skipped), mends=list(drafts.mends))
    for draft in drafts.drafts:
        owner_id = find_origin(draft.record).owner_id
        if owner_id is not None and owner_id in storable.blocked:
            reason = f"its owner {owner_id} is left out ({storable.blocked[owner_id]})"
            kept.skipped.append(Skip(draft.image_id, reason))
        elif draft.image_id in storable.hidden and not draft.is_blind:
            kept.skipped.append(Skip(draft.image_id, _RECORDED_BLIND))
        elif draft.masks and draft.image_id not in storable.releasable:
            kept.drafts.append(draft._replace(masks={}))
        else:
            kept.drafts.append(draft)
    return kept


_RECORDED_BLIND = (
    "the release is recorded without its annotation; import the tree with another --name"
)


def settle_words(drafts: TreeDrafts, known: KnownWords | None) -> TreeDrafts:
    """The drafts that have an object, and nothing but words that are known where that matters."""
    settled = TreeDrafts(skipped=list(drafts.skipped), mends=list(drafts.mends))
    for draft in drafts.drafts:
        kept, left_out = _keep_known(draft, known) if known else (draft, [])
        settled.mends += [Mend(draft.annotation, 1, "unknown", f"left out {it}") for it in left_out]
        if kept.record.objects or draft.is_blind:
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
    return draft._replace(record=record, find_places=lambda: Places(places.lines, lines)), left_out


def _read(
    root: str, files: TreeFiles, masks: TreeMasks, image_id: str, year: int, drafts: TreeDrafts
) -> None:
    path = f"{root}/{tree.annotation_path(image_id)}"
    data = read_bytes(path, MOST_ANNOTATION_BYTES)
    if isinstance(data, str):
        drafts.skipped.append(Skip(image_id, f"its annotation: {data}"))
        return
    reading = read_annotation(data, year=year)
    if reading.image is None:
        drafts.skipped.append(Skip(image_id, _describe_unreadable(reading)))
        return
    normaliser = Normaliser(path, year, reading)
    record = normaliser.normalise(reading.image)
    if reading.style is None or reading.image.filename != f"{image_id}.jpg":
        drafts.mends += _find_mends(path, image_id, reading, data)
    drafts.mends += normaliser.mends
    drafts.drafts.append(
        Draft(
            image_id,
            path,
            files.picture(image_id),
            record,
            _STYLES[reading.style] if reading.style else find_style(year),
            masks.paths_of(root, image_id) if masks.names else {},
            masks.most_classes,
            reading.style is not None,
            partial(find_places, path),
        )
    )


def _make_blind(files: TreeFiles, image_id: str, year: int) -> Draft:
    """An image of a test set that is not released: its picture alone."""
    picture, record = files.picture(image_id), VocImage(f"{image_id}.jpg", ())
    style = find_style(year)
    return Draft(image_id, picture, picture, record, style, {}, 0, True, Places, is_blind=True)


def find_places(path: str) -> Places:
    """The lines of the file, read once more: to keep them would take more than the records."""
    data = read_bytes(path, MOST_ANNOTATION_BYTES)
    return Places() if isinstance(data, str) else read_annotation(data).find_places()


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
