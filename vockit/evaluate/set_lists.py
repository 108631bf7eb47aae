"""What the lists of a VOC tree say of one image set: images, classes, labels, persons, tasks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np

from vockit.foreign.identity import Identity, identify
from vockit.foreign.listed_images import PICTURE_SUFFIXES, read_spelling
from vockit.foreign.tree_files import is_apple_double
from vockit.format import image_sets, tree
from vockit.format.asked import find_unasked
from vockit.format.given_persons import (
    GIVING,
    GivenPerson,
    PersonsError,
    boxes_path,
    parse_persons,
)
from vockit.format.label_map import parse_label_map
from vockit.format.text import NotTextError, split_mark

from .curves import Flags, Ints, Rules
from .errors import EvaluateError

_Key = TypeVar("_Key")


@dataclass(frozen=True)
class SetLists:
    """One VOC tree and one of its image sets, as its lists have them; read when a task needs them.

    Annotations and masks are Truth's, which adds them.
    """

    root: Path
    image_set: str
    rules: Rules
    year: int
    is_like_kit: bool = False
    """Whether what only the kit's own reader refuses is refused too."""

    @property
    def name(self) -> str:
        """The tree and the set, such as `VOC2012 val`."""
        return f"{self.root.resolve().name} {self.image_set}"

    @cached_property
    def identity(self) -> Identity:
        """Which release it is, and which of its images were withdrawn."""
        return identify(self.root)

    @cached_property
    def images(self) -> dict[str, int]:
        """The images of Main with their numbers, in order; without its list of all label files."""
        words = self._find_words(tree.MAIN)
        if words and not self.has_set(tree.MAIN):
            paths = [tree.label_path(tree.MAIN, word, self.image_set) for word in words]
            lines = [self._read_list(path, image_sets.LABELS_FORM) for path in paths]
            return _number(dict.fromkeys(line.image_id for some in lines for line in some))
        return _number(self._list_images(tree.MAIN))

    @cached_property
    def unasked(self) -> dict[str, Flags]:
        """By class which images of Main, by number, its list lacks: nobody asked for it there.

        Empty where everything was asked, and as the kit reads a tree. Raises EvaluateError.
        """
        if self.is_like_kit:
            return {}
        try:
            lacking = find_unasked(self.root, self.image_set)
        except OSError as error:
            raise EvaluateError(f"{error.filename}: cannot be read: {error.strerror}") from error
        return {
            name: np.array([image_id in ids for image_id in self.images], np.bool_)
            for name, ids in lacking.items()
            if name in self.classes  # other lists may have such names, too
        }

    def was_asked(self, name: str, images: Ints) -> Flags:
        """Whether each image, by its number in Main, was asked about the class; -1 never was."""
        if name not in self.unasked:
            return np.asarray(images >= 0)
        return (images >= 0) & ~self.unasked[name][images]

    @cached_property
    def tasters(self) -> frozenset[str]:
        """The images of Layout, Action and Segmentation that Main does not list.

        Nobody asked which objects they show. None as the kit reads a tree.
        """
        folders = () if self.is_like_kit else (tree.LAYOUT, tree.ACTION, tree.SEGMENTATION)
        listed = (image_id for folder in folders for image_id in self.list_images(folder))
        return frozenset(listed) - self.images.keys()

    @cached_property
    def images_and_tasters(self) -> frozenset[str]:
        """The images that a class may not have been asked of; none as the kit reads a tree."""
        return frozenset() if self.is_like_kit else self.tasters.union(self.images)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The classes in the order of their labels in masks.

        They are those of labelmap.txt. Without it a tree until 2012 has VOC's twenty, unless Main
        has label files of others; any other tree has those of Main, in alphabetical order. A set
        whose label files are held back has the classes of the other sets.
        """
        if (data := self._label_map) is not None:
            return tuple(parse_label_map(data))
        words = self._find_words(tree.MAIN) or self._find_all_words(tree.MAIN)
        is_voc = set(words) <= set(tree.VOC_CLASSES) and self.year <= 2012
        return tree.VOC_CLASSES if is_voc or not words else words

    @cached_property
    def _label_map(self) -> bytes | None:
        """The tree's own label map, which can be parsed; raises EvaluateError where it cannot."""
        path = self.root / tree.LABEL_MAP
        if not path.is_file():
            return None
        try:
            data = path.read_bytes()
            parse_label_map(data)
        except NotTextError as error:
            raise EvaluateError(f"{path} is {error}.") from error
        except OSError as error:
            raise EvaluateError(f"{path}: cannot be read: {error.strerror}") from error
        return data

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """The actions that Action has label files of, in alphabetical order.

        Where the set lists persons and holds their labels back, they are those of the other sets.
        """
        words = self._find_words(tree.ACTION)
        if words or not self._listed_persons:
            return words
        return self._find_all_words(tree.ACTION)

    @cached_property
    def _listed_persons(self) -> dict[tuple[str, int], int]:
        """The persons of Action's list with their numbers; empty where it lists images alone."""
        path = self.root / tree.set_path(tree.ACTION, self.image_set)
        if not path.is_file():
            return {}
        lines, remarks = image_sets.parse_set(path.read_bytes(), image_sets.OBJECTS_FORM)
        if any(remark.rule == "columns" for remark in remarks):
            return {}
        return _number(dict.fromkeys((line.image_id, line.numbers[0]) for line in lines))

    @cached_property
    def given_persons(self) -> dict[tuple[str, int], GivenPerson]:
        """The persons of a blind set whose boxes are given; raises EvaluateError."""
        persons = dict[tuple[str, int], GivenPerson]()
        for folder in GIVING:
            path = self.root / boxes_path(folder, self.image_set)
            if not path.is_file():
                continue
            try:
                persons |= {person.key: person for person in parse_persons(path.read_bytes())}
            except PersonsError as error:
                raise EvaluateError(f"{path}:{error.line}: {error}") from error
            except OSError as error:
                raise EvaluateError(f"{path}: cannot be read: {error.strerror}") from error
        return persons

    def class_labels(self, name: str) -> tuple[dict[str, int], np.ndarray]:
        """The images with their numbers, and their labels of a class: 1, 0 or -1."""
        path = tree.label_path(tree.MAIN, name, self.image_set)
        lines = self._read_list(path, image_sets.LABELS_FORM)
        for line in lines:
            if line.image_id not in self.images or line.numbers[0] not in image_sets.LABELS:
                raise EvaluateError(
                    f"{self.root / path}:{line.line}: expected an image of {self.image_set}.txt "
                    f"and 1, 0 or -1, got {line.image_id} {line.numbers[0]}"
                )
        return _number(line.image_id for line in lines), np.array(
            [line.numbers[0] for line in lines]
        )

    def class_items(self, name: str) -> tuple[dict[str, int], np.ndarray | None]:
        """As class_labels; all images and None where the class has no label file."""
        path = self.root / tree.label_path(tree.MAIN, name, self.image_set)
        return self.class_labels(name) if path.is_file() else (self.images, None)

    def action_items(self, name: str) -> tuple[dict[tuple[str, int], int], np.ndarray | None]:
        """As action_labels; the persons of Action's list and None without a label file."""
        path = self.root / tree.label_path(tree.ACTION, name, self.image_set)
        return self.action_labels(name) if path.is_file() else (self._listed_persons, None)

    def action_labels(self, name: str) -> tuple[dict[tuple[str, int], int], np.ndarray]:
        """The persons (image, object) with their numbers, and their labels of an action."""
        path = tree.label_path(tree.ACTION, name, self.image_set)
        lines = self._read_list(path, image_sets.OBJECT_LABELS_FORM)
        keys = {(line.image_id, line.numbers[0]): number for number, line in enumerate(lines)}
        return keys, np.array([line.numbers[1] for line in lines])

    def _list_labels(self, folder: str, form: image_sets.SetForm) -> list[image_sets.SetLine]:
        """The lines of all label files of the folder in this set, without judging them."""
        return [
            line
            for path in self._list_label_files(folder)
            for line in image_sets.parse_set(path.read_bytes(), form)[0]
        ]

    @cached_property
    def action_persons(self) -> frozenset[tuple[str, int]]:
        """The persons (image, object) that any action lists; none as the kit reads a tree."""
        names = () if self.is_like_kit else self.actions
        return frozenset().union(*(self.action_items(name)[0] for name in names))

    @cached_property
    def action_images(self) -> dict[str, int]:
        """The images whose persons any action lists, with their numbers."""
        keys = [key for name in self.actions for key in self.action_labels(name)[0]]
        return _number(dict.fromkeys(image for image, _ in keys))

    @cached_property
    def layout_persons(self) -> frozenset[tuple[str, int]]:
        """The persons that Layout lists by image and object number (since 2008)."""
        path = tree.set_path(tree.LAYOUT, self.image_set)
        lines = self._read_list(path, image_sets.OBJECTS_FORM)
        return frozenset((line.image_id, line.numbers[0]) for line in lines)

    @cached_property
    def layout_images(self) -> tuple[str, ...]:
        """The images that Layout lists (2007)."""
        return tuple(self._list_images(tree.LAYOUT))

    @cached_property
    def segmented(self) -> tuple[str, ...]:
        """The images of Segmentation."""
        return tuple(self._list_images(tree.SEGMENTATION))

    def list_images(self, folder: str) -> tuple[str, ...]:
        """The first word of each line of the folder's set; without it of all its label files."""
        path = self.root / tree.set_path(folder, self.image_set)
        paths = [path] if path.is_file() else self._list_label_files(folder)
        texts = []
        for place in paths:
            content, encoding, _ = split_mark(place.read_bytes())
            texts.append(content.decode(encoding, "replace"))
        lines = (line for text in texts for line in text.splitlines() if line.strip())
        return tuple(dict.fromkeys(line.split()[0] for line in lines))

    def _list_label_files(self, folder: str) -> list[Path]:
        """The label files of the folder in this set, by word."""
        return [
            self.root / tree.label_path(folder, word, self.image_set)
            for word in self._find_words(folder)
        ]

    def has_set(self, folder: str) -> bool:
        """Whether a folder such as tree.SEGMENTATION has a list of the image set."""
        return (self.root / tree.set_path(folder, self.image_set)).is_file()

    def _find_words(self, folder: str, image_set: str | None = None) -> tuple[str, ...]:
        ending = f"_{image_set or self.image_set}.txt"
        paths = (self.root / folder).glob(f"*{ending}")
        names = (path.name.removesuffix(ending) for path in paths if path.is_file())
        return tuple(sorted(name for name in names if name and not is_apple_double(name)))

    def _find_all_words(self, folder: str) -> tuple[str, ...]:
        """The words that the folder has label files of in any set, in alphabetical order."""
        by_set = (self._find_words(folder, name) for name in image_sets.SETS)
        return tuple(sorted({word for words in by_set for word in words}))

    def _list_images(self, folder: str) -> list[str]:
        lines = self._read_list(tree.set_path(folder, self.image_set), image_sets.IMAGES_FORM)
        return [line.image_id for line in lines]

    def _read_list(self, name: str, form: image_sets.SetForm) -> Sequence[image_sets.SetLine]:
        path = self.root / name
        try:
            lines, remarks = image_sets.parse_set(path.read_bytes(), form)
        except OSError as error:
            raise EvaluateError(f"{path}: cannot be read: {error.strerror}") from error
        for remark in remarks:
            if remark.rule in ("columns", "listed-twice", "encoding"):
                raise EvaluateError(f"{path}:{remark.line}: {remark.message}")
        if self.is_like_kit:
            for line in lines:
                if not tree.is_kit_id(line.image_id, int(self.rules)):
                    raise EvaluateError(
                        f"{path}:{line.line}: expected an id such as 2012_000001, of which the kit "
                        f"makes a number, got {line.image_id!r}"
                    )
        elif any(line.image_id.endswith(PICTURE_SUFFIXES) for line in lines):
            spelling = read_spelling(self.root)
            lines = [line._replace(image_id=spelling.find(line.image_id)) for line in lines]
        return lines


def _number(names: Iterable[_Key]) -> dict[_Key, int]:
    return {name: number for number, name in enumerate(names)}
