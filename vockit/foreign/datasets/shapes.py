"""What several readers share: flags among attributes, masks as rings, numbers of corners."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vockit.format.rings import trace

from .picture_files import PictureFiles
from .values import Corner, ForeignDataset

FLAGS = ("truncated", "occluded", "difficult")
_ANSWERS = {
    **dict.fromkeys(("1", "1.0", "true", "yes"), True),
    **dict.fromkeys(("0", "0.0", "false", "no"), False),
}


class Attributes(NamedTuple):
    """What VOC has a field for, and the rest as text; `stated` names the flags that are given."""

    flags: dict[str, bool]
    view: str
    others: dict[str, str]
    stated: frozenset[str]


def sort_attributes(attributes: Mapping[str, Any]) -> Attributes:
    """The flags and the view among attributes; what is empty is none.

    Where a flag is neither yes nor no, and the view no word, it is an attribute like the others.
    """
    others = {name: value for name, value in attributes.items() if value not in (None, "", [], {})}
    flags = {flag: read_flag(others.get(flag)) for flag in FLAGS}
    stated = frozenset(flag for flag, answer in flags.items() if answer is not None)
    view = others.get("pose")
    taken = stated | {"pose"} if isinstance(view, str) else stated
    return Attributes(
        flags={flag: bool(answer) for flag, answer in flags.items()},
        view=view if isinstance(view, str) else "",
        others={name: _write_text(value) for name, value in others.items() if name not in taken},
        stated=stated,
    )


def _write_text(value: object) -> str:
    """The value as its file has it: text, or what is no text as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def read_flag(value: object) -> bool | None:
    """Whether a flag is on, as a number, a boolean or a word; None where that is not said."""
    return _ANSWERS.get(str(value).strip().casefold())


def trace_part(mask: NDArray[np.bool_], left: int, top: int) -> tuple[tuple[Corner, ...], ...]:
    """The rings of a mask that begins at that pixel of the picture."""
    return tuple(tuple((x + left, y + top) for x, y in ring) for ring in trace(mask))


def read_corners(points: Sequence[Sequence[Any]], least: int) -> tuple[Corner, ...]:
    """The corners of pairs x, y; ValueError where there are fewer, or one is no number."""
    try:
        corners = tuple((float(x), float(y)) for x, y in points)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"expected pairs of numbers, got {str(points)[:60]}") from error
    if len(corners) < least:
        raise ValueError(f"expected {least} corners or more, got {len(corners)}")
    if not all(math.isfinite(value) for corner in corners for value in corner):
        raise ValueError("a corner is no number")
    return corners


def find_edges(corners: Sequence[Corner]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of these corners, in any order of them."""
    xs = [x for x, _y in corners]
    ys = [y for _x, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def turn(corners: Sequence[Corner], centre: Corner, degrees: float) -> tuple[Corner, ...]:
    """The corners turned clockwise around a place, as the picture is seen."""
    cosine = math.cos(math.radians(degrees))
    sine = math.sin(math.radians(degrees))
    return tuple(
        (
            centre[0] + (x - centre[0]) * cosine - (y - centre[1]) * sine,
            centre[1] + (x - centre[0]) * sine + (y - centre[1]) * cosine,
        )
        for x, y in corners
    )


def list_corners(edges: tuple[float, float, float, float]) -> tuple[Corner, ...]:
    """The four corners of a box."""
    left, top, right, bottom = edges
    return (left, top), (right, top), (right, bottom), (left, bottom)


def draw_ellipse(centre: Corner, across: float, down: float) -> tuple[Corner, ...]:
    """An ellipse with these half axes, as 64 corners."""
    angles = (step * math.pi / 32 for step in range(64))
    return tuple(
        (centre[0] + across * math.cos(angle), centre[1] + down * math.sin(angle))
        for angle in angles
    )


class TwiceReadDataset(ForeignDataset):
    """A dataset whose images are read once to count them, and once more to take them.

    `_is_noting` says that it is the first time: what the reading notes of files is noted once.
    """

    def __init__(self, root: Path, paths: Sequence[Path]) -> None:
        super().__init__()
        self.root = root
        self._paths = paths
        self._pictures = PictureFiles(root)
        self._images = 0
        self._is_noting = True
        for image in self.iterate_images():
            self._images += 1
            self.words.update(item.class_name for item in image.objects)
        self._is_noting = False

    def count_images(self) -> int:
        """The images that the files list."""
        return self._images
