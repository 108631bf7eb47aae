"""What one image's annotation and picture say, as far as other files must agree with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from export.portions import in_portions
from voc import tree
from voc.jpeg import BITS, COMPONENTS, UPRIGHT, JpegError, read_jpeg_file
from voc.read import Reading, read_annotation
from voc.records import VocObject

from .trees import (
    MOST_ANNOTATION_BYTES,
    MOST_BYTES,
    Tree,
    Violation,
    Violations,
    list_names,
    read_bytes,
)

FIRST_YEAR = 2005
"""Of the first VOC challenge; no folder is older."""


@dataclass(frozen=True)
class ImageFacts:
    """What the rest of a tree must agree with; `objects` is None where the file is unreadable.

    `size_wh` is that of the picture, None where there is none.
    """

    objects: tuple[VocObject, ...] | None
    size_wh: tuple[int, int] | None = None

    def label(self, class_name: str) -> int | None:
        """The label of the class: 1, 0 with only difficult objects, -1 with none; None unknown."""
        return None if self.objects is None else self.labels.get(class_name, -1)

    @cached_property
    def labels(self) -> Mapping[str, int]:
        """The label of each class that the image shows."""
        found: dict[str, int] = {}
        for item in self.objects or ():
            found[item.name] = max(found.get(item.name, 0), int(not item.difficult))
        return found


Facts = Mapping[str, ImageFacts]
"""What is known of each annotated image, by its id."""

Digests = dict[str, bytes]
"""Of the pictures, by image."""
Checked = tuple[dict[str, ImageFacts], list[Violation], Digests]


def check_images(tree_: Tree, violations: Violations, digests: Digests) -> dict[str, ImageFacts]:
    """The facts of every annotated image, by id; each file is held against the format.

    The pictures' digests are added to `digests`.
    """
    ids = list_names(tree_.root / tree.ANNOTATIONS, ".xml")
    present = _Present(
        pictures=frozenset(list_names(tree_.root / tree.JPEG_IMAGES, ".jpg")),
        masks=_find_masks(tree_),
    )
    facts: dict[str, ImageFacts] = {}
    with in_portions(partial(_check_images, tree_, present), ids) as checked:
        for some, found, theirs in checked:
            facts |= some
            digests |= theirs
            violations.extend(found)
    return facts


def check_picture(
    tree_: Tree,
    image_id: str,
    violations: Violations,
    digests: Digests,
    reading: Reading | None = None,
) -> tuple[int, int] | None:
    """The size of an image's picture, which is held against the format, as `reading` against it.

    Its digest is added to `digests`.
    """
    name = f"{tree_.root}/{tree.jpeg_path(image_id)}"
    try:
        header, digests[image_id] = read_jpeg_file(name, MOST_BYTES)
    except OSError as error:
        message = f"expected a file that can be read: {error.strerror}"
        violations.add(name, 1, "unreadable", message)
        return None
    except JpegError as error:
        violations.add(name, 1, "jpeg", f"expected a whole JPEG: {error}")
        return None
    if not header.fits_voc:
        message = (
            f"expected a JPEG of {COMPONENTS} components of {BITS} bits in a common coding, "
            f"got {header.components} of {header.bits}"
        )
        violations.add(name, 1, "jpeg-colour", message)
    if header.orientation != UPRIGHT:
        message = (
            "expected upright pixels, got a picture that EXIF asks to be turned "
            f"({header.orientation}), which some readers do and others do not"
        )
        violations.add(name, 1, "orientation", message)
    size = reading.image.size if reading and reading.image else None
    if reading is None or size is None:
        return header.width, header.height
    declared = (size.width, size.height, size.depth)
    found = (header.width, header.height, COMPONENTS)
    if declared != found:
        message = f"expected the size of the picture, {_by(found)}, got {_by(declared)}"
        file = tree_.root / tree.annotation_path(image_id)
        violations.add(file, reading.line_of("size"), "size", message)
    return header.width, header.height


@dataclass(frozen=True)
class _Present:
    """Which images have a picture, and which both masks; None in a tree without masks."""

    pictures: frozenset[str]
    masks: frozenset[str] | None


def _find_masks(tree_: Tree) -> frozenset[str] | None:
    folders = [tree_.root / name for name in (tree.SEGMENTATION_CLASS, tree.SEGMENTATION_OBJECT)]
    if not any(folder.is_dir() for folder in folders):
        return None
    first, second = (frozenset(list_names(folder, ".png")) for folder in folders)
    return first & second


def _by(values: tuple[object, ...]) -> str:
    return " x ".join(map(str, values))


def _check_images(tree_: Tree, present: _Present, ids: Sequence[str]) -> Checked:
    violations, digests = Violations(), Digests()
    facts = {it: _check_image(tree_, it, present, violations, digests) for it in ids}
    return facts, violations.sorted(), digests


def _check_image(
    tree_: Tree, image_id: str, present: _Present, violations: Violations, digests: Digests
) -> ImageFacts:
    path = f"{tree_.root}/{tree.annotation_path(image_id)}"
    data = read_bytes(path, MOST_ANNOTATION_BYTES)
    if isinstance(data, str):
        violations.add(path, 1, "unreadable", data)
        return ImageFacts(None)
    reading = read_annotation(data, year=tree_.kit_year)
    violations.add_remarks(path, reading.remarks)
    size_wh = None
    if image_id in present.pictures:
        size_wh = check_picture(tree_, image_id, violations, digests, reading)
    if reading.image is None:
        return ImageFacts(None, size_wh)
    _check_names(tree_, path, image_id, reading, violations)
    _check_segmented(path, image_id, reading, present.masks, violations)
    _check_objects_twice(path, reading, violations)
    return ImageFacts(reading.image.objects, size_wh)


def _check_names(
    tree_: Tree, path: str, image_id: str, reading: Reading, violations: Violations
) -> None:
    """A later release may keep the folder of an earlier one (the action images of 2011 do)."""
    image = reading.image
    assert image is not None
    if image.filename != f"{image_id}.jpg":
        message = f"expected {image_id}.jpg as the file name, got {image.filename!r}"
        violations.add(path, reading.line_of("filename"), "filename", message)
    if image.folder and not is_release_folder(image.folder, tree_.year):
        message = f"expected {tree_.root.resolve().name} as the folder, got {image.folder!r}"
        violations.add(path, reading.line_of("folder"), "folder", message)


def is_release_folder(folder: str, year: int | None) -> bool:
    """Whether an annotation file of a release of that year may name the folder."""
    match = tree.TREE_NAME.fullmatch(folder)
    named = int(match[1]) if match else 0
    return match is not None and (named == year or FIRST_YEAR <= named <= (year or named))


def _check_segmented(
    path: str, image_id: str, reading: Reading, masks: frozenset[str] | None, violations: Violations
) -> None:
    """Only in a tree that has masks at all."""
    image = reading.image
    if image is None or image.segmented is None or masks is None:
        return
    if image.segmented != (image_id in masks):
        message = f"expected {int(image_id in masks)}, which says whether the two mask files exist"
        violations.add(path, reading.line_of("segmented"), "segmented", message)


def _check_objects_twice(path: str, reading: Reading, violations: Violations) -> None:
    objects = reading.image.objects if reading.image else ()
    if len(set(objects)) == len(objects):
        return
    lines = reading.places.objects
    for place, item in enumerate(objects):
        if (first := objects.index(item)) != place:
            message = f"expected each object once; {place + 1} is the same as {first + 1}"
            violations.add(path, lines[place], "object-twice", message)
