"""The classes of a tree, in the order of their labels."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

from vockit.foreign.tree_files import read_bytes
from vockit.format import tree
from vockit.format.tree import VOC_CLASSES


def find_classes(root: Path, held: Set[str]) -> tuple[str, ...] | None:
    """The classes of a tree in label order; None where neither VOC nor a label map names them."""
    if held <= set(VOC_CLASSES):
        return VOC_CLASSES
    listed = tuple(read_label_map(root))
    return listed if held <= set(listed) else None


def read_label_map(root: Path) -> dict[str, tuple[str, ...]]:
    """The classes in label order, each with its actions; empty where the tree has no label map."""
    path = root / tree.LABEL_MAP
    data = read_bytes(path) if path.exists() else b""
    lines = data.decode("utf-8", "replace").splitlines() if isinstance(data, bytes) else []
    rows = [line.split(":") for line in lines if line and not line.startswith("#")]
    found = {row[0]: tuple(filter(None, row[-1].split(","))) for row in rows}
    return {name: actions for name, actions in found.items() if name != "background"}
