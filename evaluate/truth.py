"""The truth in a VOC tree: sets, labels, objects, persons and masks of one image set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from PIL import Image

from voc import tree
from voc.image_sets import (
    IMAGES_FORM,
    LABELS_FORM,
    OBJECT_LABELS_FORM,
    OBJECTS_FORM,
    SetForm,
    SetLine,
    parse_set,
)
from voc.read import read_annotation
from voc.records import VocBox, VocImage, VocObject

from .curves import Rules
from .detection import DetectionTruth
from .errors import EvaluateError
from .layout import Box, PersonTruth
from .segmentation import Labels

LAST_ELEVEN_POINT_YEAR = 2009


@dataclass(frozen=True)
class Truth:
    """One VOC tree and one of its image sets; files are read when a task needs them."""

    root: Path
    image_set: str
    rules: Rules
    year: int
    _annotations: dict[str, VocImage] = field(default_factory=dict, repr=False)

    @cached_property
    def images(self) -> dict[str, int]:
        """The images of Main with their numbers, in the order of the list."""
        lines = self._read_list(tree.set_path(tree.MAIN, self.image_set), IMAGES_FORM)
        return _number(line.image_id for line in lines)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The classes that Main has label files of, in alphabetical order."""
        return self._find_words(tree.MAIN)

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """The actions that Action has label files of, in alphabetical order."""
        return self._find_words(tree.ACTION)

    def class_labels(self, name: str) -> tuple[dict[str, int], np.ndarray]:
        """The images with their numbers, and their labels of a class: 1, 0 or -1."""
        path = tree.label_path(tree.MAIN, name, self.image_set)
        lines = self._read_list(path, LABELS_FORM)
        return _number(it.image_id for it in lines), np.array([it.numbers[0] for it in lines])

    def action_labels(self, name: str) -> tuple[dict[tuple[str, int], int], np.ndarray]:
        """The persons (image, object) with their numbers, and their labels of an action."""
        path = tree.label_path(tree.ACTION, name, self.image_set)
        lines = self._read_list(path, OBJECT_LABELS_FORM)
        keys = {(it.image_id, it.numbers[0]): number for number, it in enumerate(lines)}
        return keys, np.array([it.numbers[1] for it in lines])

    def objects(self, name: str) -> DetectionTruth:
        """The objects of a class in all images of Main."""
        found = [
            (number, item)
            for image_id, number in self.images.items()
            for item in self.annotation(image_id).objects
            if item.name == name
        ]
        boxes = np.array([_xyxy(item.box) for _, item in found], np.float64).reshape(-1, 4)
        return DetectionTruth(
            np.array([number for number, _ in found], np.int64),
            boxes,
            np.array([bool(item.difficult) for _, item in found], np.bool_),
        )

    @cached_property
    def persons(self) -> dict[tuple[str, int], PersonTruth]:
        """The persons that Layout lists by image and object number (since 2008)."""
        path = tree.set_path(tree.LAYOUT, self.image_set)
        found = {}
        for line in self._read_list(path, OBJECTS_FORM):
            number = line.numbers[0]
            objects = self.annotation(line.image_id).objects
            if not 1 <= number <= len(objects):
                raise EvaluateError(
                    f"{self.root / path}:{line.line}: expected an object from 1 to "
                    f"{len(objects)}, got {number}"
                )
            found[line.image_id, number] = _person(objects[number - 1])
        return found

    @cached_property
    def persons_2007(self) -> dict[str, list[PersonTruth]]:
        """All persons of the images that Layout lists (2007)."""
        lines = self._read_list(tree.set_path(tree.LAYOUT, self.image_set), IMAGES_FORM)
        return {
            line.image_id: [
                _person(item)
                for item in self.annotation(line.image_id).objects
                if item.name == "person"
            ]
            for line in lines
        }

    @cached_property
    def segmented(self) -> tuple[str, ...]:
        """The images of Segmentation."""
        path = tree.set_path(tree.SEGMENTATION, self.image_set)
        return tuple(line.image_id for line in self._read_list(path, IMAGES_FORM))

    def class_mask(self, image_id: str) -> Labels:
        """The class of each pixel; raises EvaluateError for a label that is no class or void."""
        path = self.root / tree.mask_path(tree.SEGMENTATION_CLASS, image_id)
        labels = read_labels(path)
        wrong = (labels > len(self.classes)) & (labels != 255)
        if wrong.any():
            raise EvaluateError(
                f"{path}: expected labels from 0 to {len(self.classes)} or 255, "
                f"got {int(labels[wrong][0])}"
            )
        return labels

    def annotation(self, image_id: str) -> VocImage:
        """What the annotation file of an image says; raises EvaluateError where there is none."""
        if image_id not in self._annotations:
            path = self.root / tree.annotation_path(image_id)
            try:
                reading = read_annotation(path.read_bytes(), year=self.year)
            except OSError as error:
                raise EvaluateError(f"{path}: cannot be read: {error.strerror}") from error
            if reading.image is None:
                raise EvaluateError(f"{path}: {reading.remarks[0].message}")
            self._annotations[image_id] = reading.image
        return self._annotations[image_id]

    def has_set(self, folder: str) -> bool:
        """Whether a folder such as tree.LAYOUT has a list of the image set."""
        return (self.root / tree.set_path(folder, self.image_set)).is_file()

    def _find_words(self, folder: str) -> tuple[str, ...]:
        ending = f"_{self.image_set}.txt"
        paths = (self.root / folder).glob(f"*{ending}")
        return tuple(sorted(path.name.removesuffix(ending) for path in paths))

    def _read_list(self, name: str, form: SetForm) -> Sequence[SetLine]:
        path = self.root / name
        try:
            lines, remarks = parse_set(path.read_bytes(), form)
        except OSError as error:
            raise EvaluateError(f"{path}: cannot be read: {error.strerror}") from error
        for remark in remarks:
            if remark.rule in ("columns", "listed-twice", "encoding"):
                raise EvaluateError(f"{path}:{remark.line}: {remark.message}")
        return lines


def open_truth(folder: Path, image_set: str, rules: Rules | None = None) -> Truth:
    """The truth of a set in `VOC2012`, in the folder above it, or in a release's folder.

    Raises EvaluateError where no tree or set is there. Without rules, those of the tree's year.
    """
    found = [
        path
        for path in (folder, *sorted(folder.glob("VOC*")), *sorted(folder.glob("VOC*/VOC*")))
        if tree.TREE_NAME.fullmatch(path.resolve().name) and (path / tree.MAIN).is_dir()
    ]
    if not found:
        raise EvaluateError(f"{folder} holds no VOC tree; name a folder such as VOCdevkit/VOC2012.")
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise EvaluateError(f"{folder} holds several trees ({names}); name one of them.")
    year = int(found[0].resolve().name.removeprefix("VOC"))
    chosen = rules or (Rules.VOC2007 if year <= LAST_ELEVEN_POINT_YEAR else Rules.VOC2012)
    truth = Truth(found[0], image_set, chosen, year)
    if not truth.has_set(tree.MAIN):
        path = found[0] / tree.set_path(tree.MAIN, image_set)
        raise EvaluateError(f"{path} does not exist; choose another set with --set.")
    return truth


def read_labels(path: Path) -> Labels:
    """The label of each pixel of an 8-bit PNG; raises EvaluateError for any other file."""
    try:
        with Image.open(path, formats=["PNG"]) as image:
            if image.mode not in ("P", "L"):
                raise EvaluateError(f"{path}: expected a PNG of 8-bit labels, got {image.mode}")
            return np.asarray(image, np.uint8)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise EvaluateError(f"{path}: expected a whole PNG: {error}") from error


def _number(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}


def _person(item: VocObject) -> PersonTruth:
    parts = tuple((part.name, _xyxy(part.box)) for part in item.parts)
    return PersonTruth(parts, _xyxy(item.box), bool(item.difficult))


def _xyxy(box: VocBox) -> Box:
    return float(box.xmin), float(box.ymin), float(box.xmax), float(box.ymax)
