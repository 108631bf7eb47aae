"""The sets of one folder below ImageSets: each file, the sets among each other, their images."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path

from vockit.foreign.listed_images import SET_FOLDERS
from vockit.foreign.manifest import read_asked
from vockit.foreign.tree_files import Tree, list_names, read_bytes
from vockit.format import image_sets, tree
from vockit.format.given_persons import boxes_path
from vockit.format.records import VocObject

from .trees import ImageFacts, Violation, read_images

REQUIRED_SETS = ("train", "val", "trainval")
DISJOINT_SETS = tuple(map(str, image_sets.Split))


@dataclass(frozen=True)
class ImageSet:
    """One set's file, its lines, and the violations in the file itself."""

    path: str
    lines: tuple[image_sets.SetLine, ...]
    violations: tuple[Violation, ...] = ()

    @cached_property
    def line_of(self) -> dict[str, int]:
        """The first line of each image."""
        return {line.image_id: line.line for line in reversed(self.lines)}

    def breaks(self, line: int, rule: str, message: str) -> Violation:
        """A violation in that line."""
        return Violation(self.path, line, rule, message)


Sets = Mapping[str, ImageSet]


@dataclass(frozen=True)
class Content:
    """A tree as it was read once: its images, and the sets of each folder below ImageSets."""

    tree: Tree
    images: Mapping[str, ImageFacts]
    folders: Mapping[str, Sets]

    @cached_property
    def asked(self) -> Mapping[str, frozenset[str]]:
        """By image the classes that it was asked about, where the release says that not all were.

        That is what release.json around the tree says, and nothing else does.
        """
        return read_asked(self.tree.root.resolve().parent.parent)

    @cached_property
    def class_names(self) -> frozenset[str]:
        """The classes of all objects."""
        return frozenset(
            item.name for known in self.images.values() for item in known.objects or ()
        )

    @cached_property
    def listed(self) -> frozenset[str]:
        """The images of all sets."""
        all_sets = (image_set for sets in self.folders.values() for image_set in sets.values())
        return frozenset().union(*(image_set.line_of for image_set in all_sets))

    def objects_of(self, image_id: str) -> tuple[VocObject, ...] | None:
        """The objects of an image, None where no annotation can be read."""
        return self.images[image_id].objects if image_id in self.images else None

    def is_annotated(self, image_id: str) -> bool:
        """Whether the image has an annotation file."""
        return image_id in self.images and self.images[image_id].is_annotated

    @cached_property
    def held_back(self) -> frozenset[str]:
        """The images of all test sets whose annotations are not released."""
        all_sets = (item for sets in self.folders.values() for item in sets.items())
        return frozenset().union(
            *(image_set.line_of for name, image_set in all_sets if self.is_blind(name, image_set))
        )

    def is_blind(self, set_name: str, image_set: ImageSet) -> bool:
        """Whether it is a test set whose annotations are not released: none of them is there."""
        return set_name in image_sets.TESTS and not any(map(self.is_annotated, image_set.line_of))


def read_content(tree_: Tree) -> Content:
    """The images and the sets of a tree."""

    def find_form(folder: str, name: str) -> image_sets.SetForm:
        gives_people = (tree_.root / boxes_path(folder, name)).is_file()
        return image_sets.find_set_form(folder, tree_.kit_year, gives_people=gives_people)

    folders = {
        folder: {
            name: read_set(tree_.root, path, find_form(folder, name))
            for name in image_sets.SETS
            if (tree_.root / (path := tree.set_path(folder, name))).is_file()
        }
        for folder in SET_FOLDERS
        if (tree_.root / folder).is_dir()
    }
    return Content(tree_, read_images(tree_), folders)


def read_set(root: Path, path: str, form: image_sets.SetForm) -> ImageSet:
    """A set file of that form; without lines where it cannot be read."""
    data = read_bytes(root / path)
    if isinstance(data, str):
        return ImageSet(path, (), (Violation(path, 1, "unreadable", data),))
    lines, remarks = image_sets.parse_set(data, form)
    violations = (Violation(path, remark.line, remark.rule, remark.message) for remark in remarks)
    return ImageSet(path, tuple(lines), tuple(violations))


def check_sets(content: Content) -> Iterator[Violation]:
    """Each folder has its sets, no two of which share an image."""
    for folder, sets in content.folders.items():
        for image_set in sets.values():
            yield from image_set.violations
        for name in REQUIRED_SETS:
            if name not in sets:
                path = tree.set_path(folder, name)
                message = f"expected the set {name} in {folder}"
                yield Violation(path, 1, "set-missing", message)
        for first, second in combinations(DISJOINT_SETS, 2):
            if first in sets and second in sets:
                later = sets[second].line_of
                for image_id in sets[first].line_of.keys() & later.keys():
                    message = f"expected {image_id} in one set, but it is in {first}.txt too"
                    yield sets[second].breaks(later[image_id], "two-sets", message)


def check_union(sets: Sets, reported: Container[str]) -> Iterator[Violation]:
    """Trainval is train and val together; images in `reported` are reported already."""
    if any(name not in sets for name in REQUIRED_SETS):
        return
    keys = {
        name: {
            (line.image_id, line.numbers): line.line
            for line in reversed(sets[name].lines)
            if line.image_id not in reported
        }
        for name in REQUIRED_SETS
    }
    parts = "train.txt or val.txt", keys["train"] | keys["val"]
    whole = "trainval.txt", keys["trainval"]
    for name, (files, others) in {"trainval": parts, "train": whole, "val": whole}.items():
        for key in keys[name].keys() - others.keys():
            message = f"expected {key[0]} in {files} too"
            yield sets[name].breaks(keys[name][key], "trainval", message)


def check_listed(content: Content) -> Iterator[Violation]:
    """Each listed image has its files, or its first line is named; each picture is listed."""
    names = list_names(content.tree.root / tree.JPEG_IMAGES, "")
    spellings = {name.lower().replace(".jpeg", ".jpg"): name for name in names}
    pictured = {name.removesuffix(".jpg") for name in names if name.endswith(".jpg")}
    listed = set[str]()
    for name, image_set in (item for sets in content.folders.values() for item in sets.items()):
        is_blind = content.is_blind(name, image_set)
        for image_id in image_set.line_of.keys() - listed:
            line = image_set.line_of[image_id]
            if not tree.is_kit_id(image_id, content.tree.kit_year):
                message = "expected an id like 2008_000001, of which the kit makes a number: "
                yield image_set.breaks(line, "id", f"{message}{image_id!r}")
            if image_id not in pictured:
                message = f"expected {tree.jpeg_path(image_id)}"
                other = spellings.get(f"{image_id}.jpg".lower())
                message += f", other {other}" if other else ""
                yield image_set.breaks(line, "picture-missing", message)
            if not content.is_annotated(image_id) and not is_blind:
                message = f"expected {tree.annotation_path(image_id)}"
                yield image_set.breaks(line, "annotation-missing", message)
        listed |= image_set.line_of.keys()
    for image_id in pictured - content.listed:
        path = tree.jpeg_path(image_id)
        yield Violation(path, 1, "unlisted", "expected a set that lists the picture")
