"""The classes of a tree, in the order of their labels."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

from vockit.errors import LabelMapError
from vockit.format import tree
from vockit.format.label_map import parse_label_map
from vockit.format.text import NotTextError
from vockit.format.tree import VOC_CLASSES

from .tree_files import read_bytes


def find_classes(root: Path, held: Set[str]) -> tuple[str, ...] | None:
    """The classes of a tree in label order: of its own label map, else VOC's.

    None where these do not name all classes that are held.
    """
    classes = tuple(read_label_map(root)) or VOC_CLASSES
    return classes if held <= set(classes) else None


def read_label_map(root: Path) -> dict[str, tuple[str, ...]]:
    """The classes in label order, each with its actions; empty where the tree has no label map.

    Raises LabelMapError for one that cannot be read: without it every label may be another class.
    """
    path = root / tree.LABEL_MAP
    if not path.exists() and not path.is_symlink():
        return {}
    data = read_bytes(path)
    if isinstance(data, str):
        raise LabelMapError(f"{path} gives the classes their labels: {data}.")
    try:
        return parse_label_map(data)
    except NotTextError as error:
        raise LabelMapError(f"{path} gives the classes their labels, but it is {error}.") from error
