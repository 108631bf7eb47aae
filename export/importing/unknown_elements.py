"""Elements that no year's releases have, and that an import therefore leaves behind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from export.voc.nodes import Node, NotXmlError, parse_nodes

Known = dict[str, Any]
_BOX: Known = {tag: {} for tag in ("xmin", "ymin", "xmax", "ymax")}
_LEAVES = ("name", "pose", "truncated", "occluded", "difficult")
_KNOWN: Known = {
    "folder": {},
    "filename": {},
    "source": {"database": {}, "annotation": {}, "image": {}, "flickrid": {}},
    "owner": {"flickrid": {}, "name": {}},
    "size": {"width": {}, "height": {}, "depth": {}},
    "segmented": {},
    "object": {
        **{tag: {} for tag in _LEAVES},
        "bndbox": _BOX,
        "part": {"name": {}, "bndbox": _BOX},
        "point": {"x": {}, "y": {}},
        "actions": None,  # whose children are the actions
    },
}


def iterate_unknown(data: bytes) -> Iterator[tuple[int, str]]:
    """The line and the path below the root of every element that the format does not have."""
    try:
        root = parse_nodes(data)
    except NotXmlError:
        return
    yield from _iterate(root, _KNOWN, "")


def _iterate(node: Node, known: Known | None, above: str) -> Iterator[tuple[int, str]]:
    if known is None:
        return
    for child in node.children:
        if child.tag not in known:
            yield child.line, f"{above}{child.tag}"
        else:
            yield from _iterate(child, known[child.tag], f"{above}{child.tag}/")
