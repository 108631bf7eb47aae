"""A VOC tree's files: finding and reading them, and what one image's files say."""

from __future__ import annotations

import hashlib
import signal
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from multiprocessing import get_context

from vockit.foreign.tree_files import (
    MASK_FOLDERS,
    MOST_ANNOTATION_BYTES,
    MOST_BYTES,
    Tree,
    list_files,
    read_bytes,
)
from vockit.format import tree
from vockit.format.jpeg import BITS, COMPONENTS, UPRIGHT, JpegError, JpegHeader, read_jpeg_file
from vockit.format.metadata import find_metadata, list_naming
from vockit.format.read import Reading, read_annotation
from vockit.format.records import VocObject
from vockit.format.shortage import refuse_shortage
from vockit.format.threads import ProcessPool

RULES_OF_VOC_WORDS = frozenset({"pose", "part-name", "part-count", "actions"})
"""What a tree with labelmap.txt need not keep: its makers chose its words."""


@dataclass(frozen=True, order=True)
class Violation:
    """One violation; a warning is what real trees have too."""

    file: str
    line: int
    rule: str
    message: str
    is_warning: bool = False

    def __str__(self) -> str:
        kind = "warning: " if self.is_warning else ""
        return f"{self.file}:{self.line}: {kind}{self.rule}: {self.message}"


@dataclass(frozen=True)
class ImageFacts:
    """What the rest of a tree must agree with; None where no annotation or picture is readable."""

    is_annotated: bool
    objects: tuple[VocObject, ...] | None = None
    size_wh: tuple[int, int] | None = None
    digest: bytes | None = None
    violations: tuple[Violation, ...] = ()

    @cached_property
    def labels(self) -> Mapping[str, int]:
        """The label of each class that an object has."""
        return label_classes(self.objects or ())


def label_classes(objects: Iterable[VocObject]) -> dict[str, int]:
    """The label of each class of these objects: 1, or 0 with difficult objects alone."""
    labels: dict[str, int] = {}
    for item in objects:
        labels[item.name] = max(labels.get(item.name, 0), int(not item.difficult))
    return labels


PROCESSES_FROM_IMAGES = 4000
"""From this number on, processes save more than twice the second that starting them takes."""


def read_images(tree_: Tree) -> dict[str, ImageFacts]:
    """The facts of every image that has an annotation or a picture, by its id."""
    files = list_files(tree_.root)
    names = (files.get(name, ()) for name in (tree.ANNOTATIONS, tree.JPEG_IMAGES))
    ids = sorted(set[str]().union(*names))
    folders_of = [{name for name, held in files.items() if image_id in held} for image_id in ids]
    read = partial(_read_image, tree_, not files.keys().isdisjoint(MASK_FOLDERS))
    if len(ids) >= PROCESSES_FROM_IMAGES:
        context = get_context("spawn")  # a fork takes threads along
        ignored = signal.SIGINT, signal.SIG_IGN  # the command alone reports Ctrl-C
        with (
            suppress(BrokenProcessPool),  # one was killed, as for want of memory: read alone
            ProcessPool(None, context, signal.signal, ignored) as pool,
        ):
            return dict(zip(ids, pool.map(read, ids, folders_of, chunksize=256), strict=True))
    return dict(zip(ids, map(read, ids, folders_of), strict=True))


def _read_image(
    tree_: Tree, has_mask_folders: bool, image_id: str, folders: set[str]
) -> ImageFacts:
    violations: list[Violation] = []
    reading = size_wh = digest = None
    path = tree.annotation_path(image_id)
    is_annotated = tree.ANNOTATIONS in folders
    if is_annotated:
        data = read_bytes(tree_.root / path, MOST_ANNOTATION_BYTES)
        if isinstance(data, str):
            violations.append(Violation(path, 1, "unreadable", data))
        else:
            reading = read_annotation(data, year=tree_.kit_year)
            has_own_words = (tree_.root / tree.LABEL_MAP).is_file()
            violations += [
                Violation(path, remark.line, remark.rule, remark.message)
                for remark in reading.remarks
                if not (has_own_words and remark.rule in RULES_OF_VOC_WORDS)
            ]
    if tree.JPEG_IMAGES in folders:
        picture = tree.jpeg_path(image_id)
        try:
            header, data = read_jpeg_file(tree_.root / picture, MOST_BYTES)
        except OSError as error:
            refuse_shortage(error)
            message = f"expected a file that can be read: {error.strerror}"
            violations.append(Violation(picture, 1, "unreadable", message))
        except JpegError as error:
            violations.append(Violation(picture, 1, "jpeg", f"expected a whole JPEG: {error}"))
        else:
            size_wh = (header.width, header.height)
            digest = hashlib.sha256(data).digest()
            violations += _check_picture(picture, header, data)
    if reading is not None:
        has_masks = folders >= {*MASK_FOLDERS} if has_mask_folders else None
        violations += _check_annotation(tree_, image_id, reading, size_wh, has_masks)
    objects = reading.image.objects if reading and reading.image else None
    return ImageFacts(is_annotated, objects, size_wh, digest, tuple(violations))


def _check_picture(picture: str, header: JpegHeader, data: bytes) -> Iterator[Violation]:
    """A picture is 8-bit colour, upright as it is, and names no people or places."""
    if not header.fits_voc:
        message = f"expected a JPEG of {COMPONENTS} components of {BITS} bits in a common "
        message += f"coding, got {header.components} of {header.bits}"
        yield Violation(picture, 1, "jpeg-colour", message)
    if header.orientation != UPRIGHT:
        message = "expected upright pixels, got a picture that EXIF asks to be turned "
        message += f"({header.orientation}), which some readers do and others do not"
        yield Violation(picture, 1, "orientation", message)
    elif header.is_turned_by_some:
        message = "expected upright pixels, got a picture that XMP asks to be turned, which some "
        yield Violation(picture, 1, "orientation", f"{message}readers do and others do not")
    if kinds := list_naming(find_metadata(data)):
        message = f"expected nothing that may name people or places, got {', '.join(kinds)}"
        yield Violation(picture, 1, "metadata", message, is_warning=True)


def _check_annotation(
    tree_: Tree,
    image_id: str,
    reading: Reading,
    size_wh: tuple[int, int] | None,
    has_masks: bool | None,
) -> Iterator[Violation]:
    """What the annotation says agrees with the image's other files."""
    path = tree.annotation_path(image_id)
    image = reading.image
    if image is None:
        return
    if image.size and size_wh:
        declared = image.size.width, image.size.height, image.size.depth
        measured = *size_wh, COMPONENTS
        if declared != measured:
            message = f"expected the size of the picture, {_by(measured)}, got {_by(declared)}"
            yield Violation(path, reading.places.find_line("size"), "size", message)
    if image.filename != f"{image_id}.jpg":
        message = f"expected {image_id}.jpg as the file name, got {image.filename!r}"
        yield Violation(path, reading.places.find_line("filename"), "filename", message)
    if image.folder and not is_release_folder(image.folder, tree_.year):
        message = f"expected {tree_.root.resolve().name} as the folder, got {image.folder!r}"
        yield Violation(path, reading.places.find_line("folder"), "folder", message)
    if has_masks is not None and image.segmented not in (None, has_masks):
        message = f"expected {int(has_masks)}, which says whether the two mask files exist"
        yield Violation(path, reading.places.find_line("segmented"), "segmented", message)
    first: dict[VocObject, int] = {}
    for number, item in enumerate(image.objects, start=1):
        if first.setdefault(item, number) != number:
            message = f"expected each object once; {number} is the same as {first[item]}"
            line = reading.places.find_line("object", number)
            yield Violation(path, line, "object-twice", message)


def _by(values: tuple[object, ...]) -> str:
    return " x ".join(map(str, values))


def is_release_folder(folder: str, year: int | None) -> bool:
    """Whether a release of that year may name the folder, or an earlier one since 2005."""
    match = tree.TREE_NAME.fullmatch(folder)
    named = int(match[1]) if match else 0
    return match is not None and (named == year or 2005 <= named <= (year or named))
