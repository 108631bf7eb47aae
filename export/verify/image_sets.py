"""The sets of one folder below ImageSets: each file, and what the sets are to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from export.voc import tree
from export.voc.image_sets import IMAGES_FORM, OBJECTS_FORM, SETS, SetForm, SetLine, parse_set

from .trees import Tree, read_bytes
from .violations import Violations

REQUIRED_SETS = ("train", "val", "trainval")
FIRST_LAYOUT_OF_OBJECTS = 2008


@dataclass(frozen=True)
class ImageSet:
    """One set's file and its lines."""

    path: Path
    lines: tuple[SetLine, ...]

    @cached_property
    def line_of(self) -> dict[str, int]:
        """The first line of each image."""
        return {line.image_id: line.line for line in reversed(self.lines)}

    @cached_property
    def is_ascending(self) -> bool:
        """Whether every image is listed once, in ascending order."""
        ids = [line.image_id for line in self.lines]
        return all(first < second for first, second in pairwise(ids))


def check_sets(tree_: Tree, folder: str, violations: Violations) -> dict[str, ImageSet]:
    """The sets of a folder such as Main, by name; files and unions are held against the format."""
    sets = {
        name: read_set(path, _form(tree_, folder), violations)
        for name in SETS
        if (path := tree_.root / tree.set_path(folder, name)).is_file()
    }
    for name in REQUIRED_SETS:
        if name not in sets:
            path = tree_.root / tree.set_path(folder, name)
            violations.add(path, 1, "set-missing", f"expected the set {name} in {folder}")
    if all(name in sets for name in REQUIRED_SETS):
        _check_union(sets, violations)
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


def _form(tree_: Tree, folder: str) -> SetForm:
    if folder == tree.LAYOUT and tree_.kit_year >= FIRST_LAYOUT_OF_OBJECTS:
        return OBJECTS_FORM
    return IMAGES_FORM


def _check_union(sets: Mapping[str, ImageSet], violations: Violations) -> None:
    keys = {
        name: {(line.image_id, line.numbers): line.line for line in reversed(sets[name].lines)}
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


def _check_disjoint(sets: Mapping[str, ImageSet], violations: Violations) -> None:
    for first, second in (("train", "val"), ("train", "test"), ("val", "test")):
        if first not in sets or second not in sets:
            continue
        later = sets[second].line_of
        for image_id in sets[first].line_of.keys() & later.keys():
            message = f"expected {image_id} in one set, but it is in {first}.txt too"
            violations.add(sets[second].path, later[image_id], "two-sets", message)
