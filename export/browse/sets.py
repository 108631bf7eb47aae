"""The lists of a tree: those of Main by their names, others with their folder's in front."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from export.formats.tree_images import UNLISTED
from export.verify.trees import read_bytes
from export.voc import tree
from export.voc.image_sets import IMAGES_FORM, OBJECTS_FORM, SETS, parse_set

_FOLDERS = (tree.MAIN, tree.LAYOUT, tree.ACTION, tree.SEGMENTATION)
Sets = Mapping[str, frozenset[str]]


def load_sets(root: Path, image_ids: Iterable[str]) -> Sets:
    """The images of each list that names any; last those of `image_ids` that no list names."""
    sets = {
        _name(folder, name): members
        for folder in _FOLDERS
        for name in SETS
        if (members := _read(root / tree.set_path(folder, name)))
    }
    unlisted = frozenset(image_ids).difference(*sets.values())
    return sets | ({UNLISTED: unlisted} if unlisted else {})


def _name(folder: str, set_name: str) -> str:
    return set_name if folder == tree.MAIN else f"{Path(folder).name}/{set_name}"


def _read(path: Path) -> frozenset[str]:
    """The images of a list; those of Layout since 2008 have an object's number behind them."""
    data = read_bytes(path) if path.is_file() else b""
    if isinstance(data, str):
        return frozenset()
    lines, _remarks = parse_set(data, IMAGES_FORM)
    if not lines:
        lines, _remarks = parse_set(data, OBJECTS_FORM)
    return frozenset(line.image_id for line in lines)
