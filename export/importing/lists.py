"""Which lists a VOC tree has, and where each image stands in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from export.image_sets import FIRST_LAYOUT_OF_OBJECTS
from export.label_map import NAME as LABEL_MAP
from export.verify.trees import list_names, read_bytes
from export.voc import tree
from export.voc.image_sets import (
    IMAGES_FORM,
    OBJECT_LABELS_FORM,
    OBJECTS_FORM,
    SETS,
    SetForm,
    SetLine,
    parse_set,
)

TASKS = (tree.MAIN, tree.SEGMENTATION, tree.LAYOUT, tree.ACTION)


@dataclass(frozen=True)
class TreeLists:
    """The list files of a tree below its folder, and for each image the folders that list it.

    With each folder come the numbers of the objects that its lists name.
    """

    paths: tuple[str, ...]
    sets_of: Mapping[str, Mapping[str, tuple[int, ...]]]
    has_label_map: bool


def read_lists(root: Path, year: int) -> TreeLists:
    """The lists of every task as the tree has them; nothing is checked."""
    paths = tuple(
        f"{folder}/{name}.txt" for folder in TASKS for name in list_names(root / folder, ".txt")
    )
    found: dict[str, dict[str, set[int]]] = {}
    for folder, line in _iterate_lines(root, paths, year):
        numbers = found.setdefault(line.image_id, {}).setdefault(folder, set())
        numbers.update(line.numbers[:1])
    sets_of = {
        image_id: {folder: tuple(sorted(numbers)) for folder, numbers in sorted(folders.items())}
        for image_id, folders in found.items()
    }
    return TreeLists(paths, sets_of, (root / LABEL_MAP).is_file())


def _iterate_lines(root: Path, paths: tuple[str, ...], year: int) -> Iterator[tuple[str, SetLine]]:
    """The lines that say which images and objects a folder lists; labels of classes do not."""
    for path in paths:
        folder, _, name = path.rpartition("/")
        form = _find_form(folder, name.removesuffix(".txt"), year)
        data = read_bytes(root / path) if form else ""
        if form and isinstance(data, bytes):
            for line in parse_set(data, form)[0]:
                yield folder, line


def _find_form(folder: str, name: str, year: int) -> SetForm | None:
    if name in SETS:
        is_objects = folder == tree.LAYOUT and year >= FIRST_LAYOUT_OF_OBJECTS
        return OBJECTS_FORM if is_objects else IMAGES_FORM
    is_action = folder == tree.ACTION and name.rpartition("_")[2] in SETS
    return OBJECT_LABELS_FORM if is_action else None
