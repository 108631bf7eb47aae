"""The sets of one folder below ImageSets: each file, the sets among each other, their images."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from voc import tree
from voc.image_sets import (
    IMAGES_FORM,
    OBJECTS_FORM,
    SETS,
    SetForm,
    SetLine,
    find_set_form,
    parse_set,
)

from .facts import Digests, Facts, check_picture
from .trees import Tree, Violations, list_names, read_bytes

REQUIRED_SETS = ("train", "val", "trainval")


@dataclass(frozen=True)
class ImageSet:
    """One set's file and its lines."""

    path: Path
    lines: tuple[SetLine, ...]

    @cached_property
    def line_of(self) -> dict[str, int]:
        """The first line of each image."""
        return {line.image_id: line.line for line in reversed(self.lines)}


Sets = Mapping[str, ImageSet]
"""The sets of a folder by their names."""


def check_sets(tree_: Tree, folder: str, violations: Violations) -> dict[str, ImageSet]:
    """The sets of a folder such as Main, by name; each file is held against the format."""
    sets = {
        name: read_set(path, find_set_form(folder, tree_.kit_year), violations)
        for name in SETS
        if (path := tree_.root / tree.set_path(folder, name)).is_file()
    }
    for name in REQUIRED_SETS:
        if name not in sets:
            path = tree_.root / tree.set_path(folder, name)
            violations.add(path, 1, "set-missing", f"expected the set {name} in {folder}")
    _check_disjoint(sets, violations)
    return sets


def read_set(path: Path, form: SetForm, violations: Violations) -> ImageSet:
    """A set file of that form; empty where it cannot be read."""
    data = read_bytes(path)
    if isinstance(data, str):
        violations.add(path, 1, "unreadable", data)
        return ImageSet(path, ())
    lines, remarks = parse_set(data, form)
    violations.add_remarks(path, remarks)
    return ImageSet(path, tuple(lines))


def read_listed(path: Path) -> tuple[SetLine, ...] | str:
    """The lines of a list where it is one, or why it cannot be read; nothing is checked.

    Those of Layout since 2008 have an object's number behind the image.
    """
    data = read_bytes(path) if path.is_file() else b""
    if isinstance(data, str):
        return data
    return next(filter(None, (tuple(parse_set(data, it)[0]) for it in _FORMS)), ())


_FORMS = (IMAGES_FORM, OBJECTS_FORM)


def check_union(sets: Sets, told: Container[str], violations: Violations) -> None:
    """Trainval is train and val together; of the images in `told` that is said already."""
    if any(name not in sets for name in REQUIRED_SETS):
        return
    keys = {
        name: {
            (line.image_id, line.numbers): line.line
            for line in reversed(sets[name].lines)
            if line.image_id not in told
        }
        for name in REQUIRED_SETS
    }
    for key, line in keys["trainval"].items():
        if key not in keys["train"] and key not in keys["val"]:
            message = f"expected {key[0]} in train.txt or val.txt too"
            violations.add(sets["trainval"].path, line, "trainval", message)
    for name in ("train", "val"):
        for key, line in keys[name].items():
            if key not in keys["trainval"]:
                message = f"expected {key[0]} in trainval.txt too"
                violations.add(sets[name].path, line, "trainval", message)


def _check_disjoint(sets: Sets, violations: Violations) -> None:
    for first, second in (("train", "val"), ("train", "test"), ("val", "test")):
        if first not in sets or second not in sets:
            continue
        later = sets[second].line_of
        for image_id in sets[first].line_of.keys() & later.keys():
            message = f"expected {image_id} in one set, but it is in {first}.txt too"
            violations.add(sets[second].path, later[image_id], "two-sets", message)


@dataclass(frozen=True)
class _Listing:
    """The first line that lists an image; `is_blind` where its annotation is not released."""

    image_id: str
    path: Path
    line: int
    is_blind: bool


def check_listed(
    tree_: Tree,
    folders: Mapping[str, Sets],
    facts: Facts,
    violations: Violations,
    digests: Digests,
) -> None:
    """Check each listed image once, at the first line that lists it; see `check_images`."""
    pictures = _Pictures(list_names(tree_.root / tree.JPEG_IMAGES, ""))
    listings = _first_listings(folders, facts)
    _check_unlisted(tree_, pictures.ids, listings, violations)
    for listing in listings.values():
        _check_id(tree_, listing, violations)
        pictures.check(listing, violations)
        if listing.image_id in facts:
            continue
        if not listing.is_blind:
            message = f"expected {tree.annotation_path(listing.image_id)}"
            violations.add(listing.path, listing.line, "annotation-missing", message)
        if pictures.has(listing.image_id):
            check_picture(tree_, listing.image_id, violations, digests)


def is_blind(set_name: str, image_set: ImageSet, annotated: Container[str]) -> bool:
    """Whether it is a test set whose annotations are not released: none of them is there."""
    return set_name == "test" and not any(it.image_id in annotated for it in image_set.lines)


def _first_listings(folders: Mapping[str, Sets], annotated: Container[str]) -> dict[str, _Listing]:
    listings: dict[str, _Listing] = {}
    for sets in folders.values():
        for name, image_set in sets.items():
            blind = is_blind(name, image_set, annotated)
            for image_id, line in image_set.line_of.items():
                listings.setdefault(image_id, _Listing(image_id, image_set.path, line, blind))
    return listings


def _check_unlisted(
    tree_: Tree, image_ids: Iterable[str], listings: Container[str], violations: Violations
) -> None:
    for image_id in image_ids:
        if image_id not in listings:
            path = tree_.root / tree.jpeg_path(image_id)
            violations.add(path, 1, "unlisted", "expected a set that lists the picture")


def _check_id(tree_: Tree, listing: _Listing, violations: Violations) -> None:
    image_id = listing.image_id
    if not tree.is_kit_id(image_id, tree_.kit_year):
        message = f"expected an id like 2008_000001, of which the kit makes a number: {image_id!r}"
        violations.add(listing.path, listing.line, "id", message)


class _Pictures:
    """The names in JPEGImages, and how they are spelled where their endings differ."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)
        self._spellings = {
            name.lower().replace(".jpeg", ".jpg"): name for name in sorted(self._names)
        }

    @property
    def ids(self) -> list[str]:
        """The images that have a picture, in ascending order."""
        return sorted(it.removesuffix(".jpg") for it in self._names if it.endswith(".jpg"))

    def has(self, image_id: str) -> bool:
        """Whether the image's picture is there."""
        return f"{image_id}.jpg" in self._names

    def check(self, listing: _Listing, violations: Violations) -> None:
        """Add a violation where the picture is missing."""
        if not self.has(listing.image_id):
            found = self._spellings.get(f"{listing.image_id}.jpg".lower())
            message = f"expected {tree.jpeg_path(listing.image_id)}"
            message += f", found {found}" if found else ""
            violations.add(listing.path, listing.line, "picture-missing", message)
