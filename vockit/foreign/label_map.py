"""The classes of a tree, in the order of their labels."""

from __future__ import annotations

from collections.abc import Callable, Set
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from vockit.errors import LabelMapError
from vockit.format import tree
from vockit.format.label_map import find_renumbering, parse_label_map
from vockit.format.text import NotTextError
from vockit.format.tree import VOC_CLASSES

from .tree_files import read_bytes

Parsed = TypeVar("Parsed")


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
    return _read(root, parse_label_map) or {}


def read_renumbering(root: Path) -> NDArray[np.uint8] | None:
    """By each number of the tree's masks its label; None where they are the same.

    Raises LabelMapError for a label map that cannot be read.
    """
    return _read(root, find_renumbering)


def _read(root: Path, parse: Callable[[bytes], Parsed]) -> Parsed | None:
    """What the tree's label map says; None where there is none."""
    path = root / tree.LABEL_MAP
    if not path.exists() and not path.is_symlink():
        return None
    data = read_bytes(path)
    if isinstance(data, str):
        raise LabelMapError(f"{path} gives the classes their labels: {data}.")
    try:
        return parse(data)
    except NotTextError as error:
        raise LabelMapError(f"{path} gives the classes their labels, but it is {error}.") from error
