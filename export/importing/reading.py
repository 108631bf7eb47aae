"""One image of a tree is read: first its annotation, and when all are read its picture and masks.

Readers of VOC trees do not turn pictures by their EXIF orientation, browsers do: a picture is
stored with the pixels that its boxes were drawn on, and without that request.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
from PIL import Image, ImageOps
from sqlalchemy.orm import Session

from catalog.errors import ImageMissingError
from catalog.group_limits import describe_too_many
from catalog.image_store import ImageStore, digest_of
from catalog.party import Party
from catalog.preset import AnnotationStyle
from catalog.session import Lock, hold
from catalog.states import ImageState, View, WordKind
from export.drawings import find_outlines
from export.forms import FileForm
from export.recipe import STYLES
from vockit.foreign.corrections import UncorrectableError, find_refusal
from vockit.foreign.tree_files import (
    MASK_FOLDERS,
    MOST_ANNOTATION_BYTES,
    read_bytes,
)
from vockit.format import jpeg
from vockit.format.masks import Labels, format_mask
from vockit.format.metadata import find_metadata, list_naming
from vockit.format.nodes import iterate_unknown_elements
from vockit.format.pictures import PictureError, make_jpeg
from vockit.format.read import Places, Reading, read_annotation
from vockit.format.records import Number, VocImage, VocObject, VocSize
from vockit.format.rings import MOST_CORNERS
from vockit.format.shortage import refuse_shortage
from vockit.verify.masks import Mask, read_masks
from vockit.verify.trees import Violation

from .corrections import CORRECTED_RULES, fit, make_objects, normalise
from .dataset_words import suggest_map
from .import_run import Import
from .known_images import describe_twin
from .tree_image import Correction, ImportTreeError, StoredFile, TreeImage


def read_draft(run: Import, image: TreeImage) -> None:
    """Give the image what its annotation says, or the reason why it is left out."""
    record = VocImage(f"{image.image_id}.jpg", ())
    image.form = FileForm(find_style(run.year), record, is_blind=image.is_blind)
    image.licence = run.licence
    image.has_owner = run.has_owners
    if image.is_blind:
        return
    data = read_bytes(run.root / image.annotation, MOST_ANNOTATION_BYTES)
    if isinstance(data, str):
        image.reason = f"its annotation: {data}"
        return
    reading = read_annotation(data, year=run.year)
    if (refusal := find_refusal(reading)) is not None or reading.image is None:
        image.reason = f"its annotation cannot be read: {refusal}"
        return
    image.places = reading.places
    _tell_remarks(image, reading)
    is_canonical = reading.style is not None
    record = normalise(image, reading.image, run.year, is_canonical=is_canonical)
    style = _STYLES[reading.style] if reading.style else image.form.style
    image.form = FileForm(style, record)
    image.reason = run.blocked.get(image.origin["owner_id"]) or _settle_words(run, image)


def refuse_unknown(images: Sequence[TreeImage], party: Party) -> None:
    """Raise ImportTreeError, naming all of them, where there are words that the preset lacks."""
    if unknown := Counter(word for image in images for word in image.unknown):
        listed = ", ".join(f"{word} ({count})" for word, count in sorted(unknown.items()))
        kinds = (word.partition(" ") for word in sorted(unknown))
        classes = [name for kind, _, name in kinds if kind == WordKind.CLASS]
        advice = f" {suggest_map(party, classes)}" if classes else ""
        raise ImportTreeError(
            f"The preset {party.preset.name} does not know these words of the tree: {listed}; make "
            "the party with a preset that has them, or leave such objects, parts and actions out "
            f"with --only-known.{advice}"
        )


def find_style(year: int) -> AnnotationStyle:
    """The style of a year's own images."""
    if year <= 2007:
        return AnnotationStyle.VOC2007
    return AnnotationStyle.VOC2008 if year == 2008 else AnnotationStyle.VOC2012


_STYLES = {order: style for style, order in STYLES.items()}


def _settle_words(run: Import, image: TreeImage) -> str | None:
    """Give words today's names and note unknown ones, or return why the image is left out."""
    record = image.form.record
    image.class_words = frozenset(item.name for item in record.objects)
    objects = [
        _name_today(run, image, number, item) for number, item in enumerate(record.objects, start=1)
    ]
    is_kept = [run.renamed.get(item.name, item.name) != "" for item in record.objects]
    for number, item in enumerate(record.objects, start=1):
        if not is_kept[number - 1]:
            image.tell("left-out", f"left out {item.name}, which is mapped to nothing", number)
    image.unknown = _list_unknown(run, compress(objects, is_kept))
    if image.unknown and run.only_known:
        for word in image.unknown:
            image.tell("unknown", f"left out {word}")
        pairs = zip(objects, is_kept, strict=True)
        is_kept = [kept and f"class {item.name}" in run.words for item, kept in pairs]
        objects = [_keep_known(run, item) for item in objects]
    _keep_objects(image, objects, is_kept)
    if any(is_kept):
        return None
    if objects:
        return "it has no object of the preset's classes"
    return "it has no object, and no release can hold such an image"


def _list_unknown(run: Import, objects: Iterable[VocObject]) -> list[str]:
    """The words of these objects that the preset lacks, each with its kind."""
    unknown: list[str] = []
    for item in objects:
        used = [f"class {item.name}", *(f"part {part.name}" for part in item.parts)]
        used += [f"action {action.name}" for action in item.actions or () if action.is_performed]
        unknown += [word for word in used if word not in run.words]
    return unknown


def _keep_known(run: Import, item: VocObject) -> VocObject:
    """The object with the parts and actions that the preset has."""
    return replace(
        item,
        parts=tuple(part for part in item.parts if f"part {part.name}" in run.words),
        actions=item.actions
        and tuple(action for action in item.actions if f"action {action.name}" in run.words),
    )


def _keep_objects(image: TreeImage, objects: Sequence[VocObject], is_kept: Sequence[bool]) -> None:
    """Give the image those of these objects that are kept."""
    if not all(is_kept):  # object k of a mask would be another one
        image.masks = {}
    image.places = Places(image.places.lines, tuple(compress(image.places.objects, is_kept)))
    record = replace(image.form.record, objects=tuple(compress(objects, is_kept)))
    image.form = replace(image.form, record=record)


def _name_today(run: Import, image: TreeImage, number: int, item: VocObject) -> VocObject:
    """The object with today's names of its class, view, parts and actions."""

    def name(kind: WordKind, word: str) -> str:
        if kind is WordKind.CLASS and (ours := run.renamed.get(word)) is not None:
            if ours not in ("", word):
                image.tell(kind, f"{word} became {ours}, as --map says", number)
            return ours or word
        spec = run.party.find_word(kind, word)
        if spec is None or spec.name == word:
            return word
        image.tell(kind, f"{word} became {spec.name}, as the {kind} is called now", number)
        return spec.name

    parts = (replace(part, name=name(WordKind.PART, part.name)) for part in item.parts)
    actions = (
        replace(action, name=name(WordKind.ACTION, action.name)) for action in item.actions or ()
    )
    return replace(
        item,
        name=name(WordKind.CLASS, item.name),
        pose=item.pose and name(WordKind.VIEW, item.pose),
        parts=tuple(parts),
        actions=None if item.actions is None else tuple(actions),
    )


def _tell_remarks(image: TreeImage, reading: Reading) -> None:
    """Report what a release writes differently from the file, apart from the corrections."""
    changes = [(remark.line, remark.rule, remark.message) for remark in reading.remarks]
    changes = [change for change in changes if change[1] not in CORRECTED_RULES]
    filename = reading.image.filename if reading.image else ""
    if filename != f"{image.image_id}.jpg":
        message = f"<filename> says {filename[:100]!r}; taken as {image.image_id}.jpg"
        changes.append((reading.places.find_line("filename"), "filename", message))
    root = None if reading.style else reading.root
    unknown = list(iterate_unknown_elements(root)) if root else []
    for line, tag in unknown:
        changes.append((line, "unknown-element", f"<{tag}> is left behind; no release has it"))
    if reading.style is None and not reading.remarks and not unknown:
        message = "it is written again in the order of its year, as releases write it"
        changes.append((1, "layout", message))
    image.corrections += [Correction(image.annotation, *change) for change in changes]


@dataclass(frozen=True)
class TreePicture:
    """A file to be stored; `release_data` is what releases hold of one that is no colour JPEG."""

    data: bytes
    size_wh: tuple[int, int]
    original_sha256: str | None = None
    release_data: bytes | None = None


def read_picture(
    data: bytes, size: VocSize | None, max_pixels: int, *, as_seen: bool = False
) -> TreePicture:
    """The picture of a JPEG whose annotation says this size, if any; raises UncorrectableError.

    Where the size does not tell whether the annotation speaks of the pixels as they lie or as EXIF
    asks to turn them, it is as they lie, or `as_seen`.
    """
    lying = 0, 0
    try:
        header = jpeg.read_jpeg_header(data)
        lying = header.width, header.height
        if header.width * header.height > max_pixels:
            raise UncorrectableError(f"its picture has {header.width} x {header.height} pixels")
        with Image.open(io.BytesIO(data), formats=["JPEG"]) as image:
            image.draft(None, (1, 1))  # all bytes are read, an eighth of each side is computed
            image.load()
        seen = lying[::-1] if header.orientation in jpeg.SIDEWAYS else lying
        likely = seen if as_seen else lying
        said = (size.width, size.height) if size and size.width and size.height else likely
        is_turned = as_seen and header.orientation != jpeg.UPRIGHT and said == seen
        if is_turned or said != lying:
            stored = _turn_upright(data, said, lying)
            header = jpeg.read_jpeg_header(stored)
        else:
            asks = header.orientation != jpeg.UPRIGHT or header.is_turned_by_some
            stored = jpeg.strip_jpeg(data) if asks else data
        release_data = None if header.fits_voc else jpeg.to_rgb_jpeg(stored)
    except jpeg.UNDECODABLE as error:
        refuse_shortage(error, lying[0] * lying[1])
        raise UncorrectableError(f"its picture is no whole JPEG: {error}") from error
    original = None if stored is data else digest_of(data)
    return TreePicture(stored, (header.width, header.height), original, release_data)


def _turn_upright(data: bytes, said: tuple[Number, Number], lying: tuple[int, int]) -> bytes:
    with Image.open(io.BytesIO(data), formats=["JPEG"]) as image:
        upright = ImageOps.exif_transpose(image)
        profile = image.info.get("icc_profile")
    if said != upright.size:
        raise UncorrectableError(
            f"its annotation says {said[0]} x {said[1]} pixels, "
            f"but its picture has {lying[0]} x {lying[1]}"
        )
    upright.info.pop("exif", None)
    target = io.BytesIO()
    upright.save(target, "JPEG", quality=jpeg.QUALITY, subsampling=0, icc_profile=profile)
    return target.getvalue()


IMAGES_AT_ONCE = 500
"""Images that share a transaction."""


def store_files(run: Import, image: TreeImage) -> None:
    """Store the files of the image, or note why it is left out; raises ImageStoreError."""
    try:
        _store(run, image)
    except UncorrectableError as error:
        image.reason = str(error)


def _store(run: Import, image: TreeImage) -> None:
    def put(data: bytes) -> str:
        down = run.taken_down
        if down and (image_id := down.get(digest_of(data))) is not None:
            raise UncorrectableError(describe_twin(image_id, ImageState.TAKEN_DOWN))
        return digest_of(data) if run.is_dry else run.party.store.put(data)

    data = read_bytes(run.root / image.picture)
    if isinstance(data, str):
        raise UncorrectableError(f"its picture: {data}")
    max_pixels = run.party.settings.collect.max_pixels
    try:
        data, made_of = make_jpeg(data, max_pixels)
    except PictureError as error:
        raise UncorrectableError(f"its picture is {error}") from error
    if made_of:
        message = f"it is a {made_of} and became a JPEG, as all pictures of releases are"
        image.tell_file(image.picture, "picture-format", message)
    picture = read_picture(data, image.form.record.size, max_pixels)
    record = fit(image, image.form.record, picture.size_wh, _list_poses(run))
    record = replace(record, filename=f"{image.image_id}.jpg")
    image.objects = make_objects(record)
    columns = *picture.size_wh, len(picture.data), picture.original_sha256
    image.file = StoredFile(put(picture.data), *columns)
    most = run.most_classes, len(image.objects)
    masks, violations = read_masks(run.root, image.masks, most, picture.size_wh)
    masks, relabelling = _relabel(run, image, masks)
    violations += relabelling
    faults = {violation.file: violation for violation in reversed(violations)}
    kept = {kind: put(mask.data) for kind, mask in masks.items() if image.masks[kind] not in faults}
    if picture.release_data is not None:
        image.encoded_sha256 = put(picture.release_data)
    image.metadata = list_naming(find_metadata(picture.release_data or picture.data))
    _tell_picture(image, picture)
    for violation in faults.values():
        image.tell_file(
            violation.file, violation.rule, f"the mask is left behind: {violation.message}"
        )
    image.form = replace(image.form, record=record, masks=kept)
    if len(kept) == len(MASK_FOLDERS):
        _outline(image, masks[MASK_FOLDERS[1]].labels)


def _relabel(
    run: Import, image: TreeImage, masks: Mapping[str, Mask]
) -> tuple[dict[str, Mask], list[Violation]]:
    """The masks with the mask of classes in the party's labels, and why it is left behind."""
    folder = MASK_FOLDERS[0]
    mask = masks.get(folder)
    labels = run.party_labels
    if mask is None:
        return dict(masks), []
    path = image.masks[folder]
    if reason := describe_too_many(run.party.preset):
        return dict(masks), [Violation(path, 1, "mask", reason)]
    values = np.unique(mask.labels)
    if labels is not None and (missing := values[labels[values] < 0]).size:
        message = f"the party has no class for its label {missing[0]}"
        return dict(masks), [Violation(path, 1, "mask", message)]
    if labels is not None and not np.array_equal(labels[values], values):
        relabelled = labels[mask.labels].astype(np.uint8)
        mask = Mask(relabelled, format_mask(relabelled), is_renumbered=True)
    if mask.is_renumbered:
        message = "its labels are those of the party's classes now, not those of the tree"
        image.tell_file(path, "mask", message)
    return {**masks, folder: mask}, []


def _outline(image: TreeImage, labels: Labels) -> None:
    """Give the image the outlines of its mask of objects, for people to go on from."""
    image.outlines = find_outlines(labels, [item.key for item in image.objects])
    corners = sum(len(ring) for outline in image.outlines for ring in outline.rings)
    if corners > MOST_CORNERS:
        image.outlines = ()
        message = f"its outlines have {corners:,} corners, more than the {MOST_CORNERS:,} that can "
        message += "be edited; releases keep the mask, and people who edit it begin anew"
        image.tell_file(image.masks[MASK_FOLDERS[1]], "mask", message)


def check_stored(session: Session, store: ImageStore, images: Sequence[TreeImage]) -> None:
    """Raise ImageMissingError where a file was deleted meanwhile; none goes until the commit."""
    if store.folder is None:
        return
    hold(session, Lock.FILES)
    for image in images:
        if not all(map(store.has, filter(None, (image.file.sha256, image.encoded_sha256)))):
            raise ImageMissingError(
                f"The picture of {image.image_id} was deleted from the image store by another "
                "command; what is recorded stays, and the same command goes on from there."
            )


def _tell_picture(image: TreeImage, picture: TreePicture) -> None:
    """Report how the picture of a release will differ from the file of the tree."""
    name = image.picture
    if not name.endswith(f"{image.image_id}.jpg"):
        image.tell_file(name, "picture-name", f"it is called {image.image_id}.jpg from now on")
    if picture.original_sha256 is not None:
        message = (
            "its EXIF or XMP asks to turn it; it is kept with the pixels that its boxes speak of"
        )
        image.tell_file(name, "orientation", f"{message}, and without that request")
    if picture.release_data is not None:
        message = "it is no JPEG of three components of 8 bits; releases hold one made of it"
        image.tell_file(name, "jpeg-colour", message)


def _list_poses(run: Import) -> tuple[str, ...]:
    """What objects may be called by their view: the words of the preset, and VOC's."""
    return *(view.name for view in run.party.preset.views), *View
