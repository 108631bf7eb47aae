"""The truth in a VOC tree: sets, labels, objects, persons and masks of one image set."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vockit.foreign.corrections import find_lost_numbers
from vockit.format import image_sets, tree
from vockit.format.label_map import find_renumbering
from vockit.format.masks import VOID
from vockit.format.plain import read_plain
from vockit.format.read import Reading, read_annotation
from vockit.format.records import VocBox, VocImage, VocObject

from .curves import Rules
from .errors import ChoiceError, EvaluateError
from .label_images import read_labels
from .layout import Box, PersonTruth
from .metrics import DetectionTruth, Labels
from .set_lists import SetLists

_NO_RECORD = {"xml", "required", "empty", "number"}
"""The rules of vockit.format.read without which there is no record of a file."""
KIT_STOPS = {
    "bom",
    "xml-declaration",
    "comment",
    "cdata",
    "doctype",
    "tag-name",
    "self-closing",
    "attribute",
    "space-between-tags",
    "text-between-tags",
}
"""The rules of vockit.format.kit_syntax without which the kit's reader reads nothing of a file."""


@dataclass(frozen=True)
class Truth(SetLists):
    """One VOC tree and one of its image sets; files are read when a task needs them."""

    lost_numbers: dict[str, str] = field(default_factory=dict, repr=False)
    """By image that was read what the kit reads otherwise than an annotator meant it."""
    _annotations: dict[str, VocImage] = field(default_factory=dict, repr=False)

    @cached_property
    def _label_of_number(self) -> NDArray[np.uint8] | None:
        return None if self._label_map is None else find_renumbering(self._label_map)

    def read_labels(self, path: Path, size_hw: tuple[int, ...] | None = None) -> Labels:
        """The label of each pixel of a mask in the numbers of the tree's label map.

        Raises EvaluateError as read_labels does.
        """
        labels = read_labels(path, size_hw)
        return labels if self._label_of_number is None else self._label_of_number[labels]

    def number_labels(self, labels: Labels) -> Labels:
        """The mask of these labels, in the numbers that the tree's label map gives its masks."""
        if self._label_of_number is None:
            return labels
        number_of_label = np.argsort(self._label_of_number).astype(np.uint8)
        return number_of_label[labels]

    def objects(self, name: str) -> DetectionTruth:
        """The objects of a class in all images of Main that were asked about it."""
        listed = self.items.get(name, [])
        images = np.array([number for number, _ in listed], np.int64)
        boxes = np.array([_xyxy(item.box) for _, item in listed], np.float64).reshape(-1, 4)
        difficult = np.array([bool(item.difficult) for _, item in listed], np.bool_)
        return DetectionTruth(images, boxes, difficult)

    @cached_property
    def items(self) -> dict[str, list[tuple[int, VocObject]]]:
        """The objects of each class with the numbers of their images, in file order.

        An object of an image that was not asked about its class is left out.
        """
        items: dict[str, list[tuple[int, VocObject]]] = {}
        for image_id, number in self.images.items():
            for item in self.annotation(image_id).objects:
                items.setdefault(item.name, []).append((number, item))
        for name in self.unasked.keys() & items.keys():
            is_left_out = self.unasked[name]
            items[name] = [
                (number, item) for number, item in items[name] if not is_left_out[number]
            ]
        return items

    def size_wh(self, image_id: str) -> tuple[int, int]:
        """Width and height of an image; raises EvaluateError where its annotation has none."""
        size = self.annotation(image_id).size
        if size is None:
            raise EvaluateError(f"{image_id}: expected <size> in its annotation, which has none")
        return int(size.width), int(size.height)

    def size_hw(self, image_id: str) -> tuple[int, int]:
        """Height and width of an image: of its mask, else of its picture, else as annotated.

        Raises EvaluateError where the tree has none of these.
        """
        from PIL import Image  # detections need no Pillow

        paths = (tree.mask_path(tree.SEGMENTATION_CLASS, image_id), tree.jpeg_path(image_id))
        for path in paths:
            with suppress(OSError), Image.open(self.root / path, formats=["PNG", "JPEG"]) as image:
                return image.height, image.width
        width, height = self.size_wh(image_id)
        return height, width

    @property
    def has_objects(self) -> bool:
        """Whether there are annotations; classification is scored from label files alone."""
        return any(map(self.is_annotated, self.images))

    def is_annotated(self, image_id: str) -> bool:
        """Whether the image has an annotation file."""
        if "/" in image_id:  # in a folder of its own
            return (self.root / tree.annotation_path(image_id)).is_file()
        return image_id in self._annotated

    @cached_property
    def _annotated(self) -> frozenset[str]:
        """The images with an annotation file; asking for each file alone takes twice as long."""
        folder = self.root / tree.ANNOTATIONS
        if not folder.is_dir():
            return frozenset()
        with os.scandir(folder) as entries:
            return frozenset(
                entry.name.removesuffix(".xml")
                for entry in entries
                if entry.name.endswith(".xml") and entry.is_file()
            )

    def has_mask(self, image_id: str) -> bool:
        """Whether the image has a mask of classes."""
        return (self.root / tree.mask_path(tree.SEGMENTATION_CLASS, image_id)).is_file()

    def has_labels(self, image_id: str) -> bool:
        """Whether an annotation or the label files say which classes the image shows."""
        return self.is_annotated(image_id) or image_id in self._labelled

    def has_actions(self, image_id: str) -> bool:
        """Whether an annotation or the label files say what the image's people do."""
        return self.is_annotated(image_id) or image_id in self._active

    @cached_property
    def _labelled(self) -> set[str]:
        """The images of which label files say something.

        -1 for every class is what a tree says that holds an annotation back; it counts only where
        the tree has label files alone, and these show objects of other images.
        """
        lines = self._list_labels(tree.MAIN, image_sets.LABELS_FORM)
        showing = {line.image_id for line in lines if line.numbers[-1] >= 0}
        return {line.image_id for line in lines} if showing and not self.has_objects else showing

    @cached_property
    def _active(self) -> set[str]:
        """The images with a person that performs an action."""
        lines = self._list_labels(tree.ACTION, image_sets.OBJECT_LABELS_FORM)
        return {line.image_id for line in lines if line.numbers[-1] > 0}

    @cached_property
    def sizes_wh(self) -> np.ndarray:
        """Width and height of each image of Main in pixels; NaN where the file does not say."""
        sizes = [self.annotation(image_id).size for image_id in self.images]
        return np.array([(size.width, size.height) if size else (np.nan, np.nan) for size in sizes])

    @cached_property
    def persons(self) -> dict[tuple[str, int], PersonTruth]:
        """The persons that Layout lists by image and object number (since 2008)."""
        path = tree.set_path(tree.LAYOUT, self.image_set)
        persons = {}
        for line in self._read_list(path, image_sets.OBJECTS_FORM):
            number = line.numbers[0]
            objects = self.annotation(line.image_id).objects
            if not 1 <= number <= len(objects):
                raise EvaluateError(
                    f"{self.root / path}:{line.line}: expected an object from 1 to "
                    f"{len(objects)}, got {number}"
                )
            persons[line.image_id, number] = _person(objects[number - 1])
        return persons

    @cached_property
    def persons_2007(self) -> dict[str, list[PersonTruth]]:
        """All persons of the images that Layout lists (2007)."""
        return {
            image_id: [
                _person(item) for item in self.annotation(image_id).objects if item.name == "person"
            ]
            for image_id in self.layout_images
        }

    def void_unasked(self, image_id: str, labels: Labels, given: Labels) -> Labels:
        """The mask with void wherever it or the given one has a class that was not asked there."""
        if not self.unasked or image_id not in self.images:
            return labels
        number = self.images[image_id]
        unasked = [
            label
            for label, name in enumerate(self.classes, 1)
            if name in self.unasked and self.unasked[name][number]
        ]
        is_left_out = np.isin(labels, unasked) | np.isin(given, unasked)
        return np.where(is_left_out, np.uint8(VOID), labels)

    def class_mask(self, image_id: str) -> Labels:
        """The class of each pixel; raises EvaluateError for a label that is no class or void."""
        path = self.root / tree.mask_path(tree.SEGMENTATION_CLASS, image_id)
        labels = self.read_labels(path)
        first = len(self.classes) + 1
        wrong = labels - np.uint8(first) < 255 - first  # below `first` the bytes wrap around
        if wrong.any():
            raise EvaluateError(
                f"{path}: expected labels from 0 to {len(self.classes)} or 255, "
                f"got {int(labels[wrong][0])}"
            )
        return labels

    def object_mask(self, image_id: str) -> Labels:
        """The object number of each pixel, 255 for void; raises EvaluateError."""
        return read_labels(self.root / tree.mask_path(tree.SEGMENTATION_OBJECT, image_id))

    def annotation(self, image_id: str) -> VocImage:
        """What the annotation file of an image says; raises EvaluateError where there is none."""
        if image_id not in self._annotations:
            path = f"{self.root}/{tree.annotation_path(image_id)}"
            try:
                with open(path, "rb") as file:  # noqa: PTH123  a Path costs as much as reading
                    data = file.read()
            except OSError as error:
                raise EvaluateError(f"{path}: cannot be read: {error.strerror}") from error
            plain = None if self.is_like_kit else read_plain(data)
            if plain is not None:
                self._annotations[image_id] = plain
                return plain
            reading = read_annotation(data, year=self.year)
            stops = [
                remark
                for remark in reading.remarks
                if self.is_like_kit and remark.rule in KIT_STOPS
            ]
            if reading.image is None or stops:
                reasons = stops or [
                    remark for remark in reading.remarks if remark.rule in _NO_RECORD
                ]
                first = (reasons or reading.remarks)[0]
                raise EvaluateError(f"{path}:{first.line}: {first.message}")
            if self.is_like_kit and not reading.image.objects:
                raise EvaluateError(f"{path}: expected an <object>, without which the kit stops")
            if reading.root is not None and (lost := find_lost_numbers(reading.root)):
                self.lost_numbers[image_id] = lost
            self._annotations[image_id] = _with_kit_flags(reading.image, reading)
        return self._annotations[image_id]

    @property
    def read_so_far(self) -> Mapping[str, VocImage]:
        """The annotations that some task needed, by image."""
        return self._annotations


def open_truth(
    folder: Path, image_set: str, rules: Rules | None = None, *, is_like_kit: bool = False
) -> Truth:
    """The truth of a set in `VOC2012` or above it, by the rules of its year; EvaluateError."""
    root = find_root(folder)
    year = int(root.resolve().name.removeprefix("VOC"))
    by_year = Rules.VOC2008 if year in (2008, 2009) else Rules.VOC2012
    chosen = rules or (by_year if year > 2007 else Rules.VOC2007)
    stems = {path.stem for path in (root / tree.IMAGE_SETS).glob("*/*.txt")}
    listed = stems | {stem.rpartition("_")[2] for stem in stems}  # label files alone are enough
    if image_set not in listed:
        there = ", ".join(name for name in sorted(listed) if name in image_sets.SETS) or "none"
        raise ChoiceError(
            f"{root} has no list of the set {image_set}; choose another set with --set "
            f"(there: {there})."
        )
    return Truth(root, image_set, chosen, year, is_like_kit)


def find_root(folder: Path) -> Path:
    """The only tree in `VOC2012` or above it; raises ChoiceError where there is none."""
    roots = [
        path
        for path in (folder, *sorted(folder.glob("VOC*")), *sorted(folder.glob("VOC*/VOC*")))
        if tree.TREE_NAME.fullmatch(path.resolve().name) and (path / tree.IMAGE_SETS).is_dir()
    ]
    if not roots:
        raise ChoiceError(f"{folder} holds no VOC tree; name a folder such as VOCdevkit/VOC2012.")
    if len(roots) > 1:
        names = ", ".join(path.name for path in roots)
        raise ChoiceError(f"{folder} holds several trees ({names}); name one of them.")
    return roots[0]


def _with_kit_flags(image: VocImage, reading: Reading) -> VocImage:
    """The record with `difficult` as the kits read it: set by the text 1 alone, not by "true"."""
    if reading.root is None or all(remark.rule != "flag" for remark in reading.remarks):
        return image
    flags = [node.find("difficult") for node in reading.root.find_all("object")]
    objects = (
        replace(item, difficult=flag is not None and flag.text == "1")
        for item, flag in zip(image.objects, flags, strict=True)
    )
    return replace(image, objects=tuple(objects))


def _person(item: VocObject) -> PersonTruth:
    parts = tuple((part.name, _xyxy(part.box)) for part in item.parts)
    return PersonTruth(parts, _xyxy(item.box), bool(item.difficult))


def _xyxy(box: VocBox) -> Box:
    return float(box.xmin), float(box.ymin), float(box.xmax), float(box.ymax)
