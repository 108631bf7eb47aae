"""The views of an image that are hashed: which part of it each one shows, turned how.

A view of one image that shows what a view of another shows has nearly the same hash. `WINDOWS` are
what may be left of an image that was cropped; they were chosen greedily, on photographs
that serve for nothing else, to come within 10 bits of as many random crops as possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache

import numpy as np
from numpy.typing import NDArray

from .maps import (
    IDENTITY,
    OTHER_TURNS,
    UPRIGHT,
    Map,
    Turn,
    box_map,
    compose,
    rotation_map,
    turn_map,
)

Codes = NDArray[np.uint8]
BOX_UNITS = 128
"""The rectangles of a layout are in 128ths of the image's sides."""


class Kind(Enum):
    """What a view is for, which decides what its hash is compared with."""

    WHOLE = "whole"
    WINDOW = "window"
    TILTED = "tilted"
    TURNED = "turned"
    PART = "part"
    TRIMMED = "trimmed"
    TURNED_TRIMMED = "turned trimmed"
    CELL = "cell"
    CLIPPED = "clipped"


@dataclass(frozen=True)
class Cut:
    """What is cut off a picture's sides, in twentieths of its width or height."""

    left: float = 0
    right: float = 0
    top: float = 0
    bottom: float = 0

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of what is left, from 0 to 1."""
        return self.left / 20, self.top / 20, 1 - self.right / 20, 1 - self.bottom / 20


# Across and down; each stands for itself, its mirror images and the same with the axes swapped.
# New ones are added at the end, since codes are given in this order.
_PATTERNS: tuple[tuple[tuple[float, float], tuple[float, float]], ...] = (
    ((1, 1), (1, 1)),
    ((2, 2), (2, 2)),
    ((4, 4), (4, 4)),
    ((2, 0), (2, 0)),
    ((4, 0), (4, 0)),
    ((2, 1), (0, 0)),
    ((3, 2), (0, 0)),
    ((4, 0), (0, 0)),
    ((4, 1), (0, 0)),
    ((3, 0), (1, 1)),
    ((3, 1), (3, 1)),
    ((3, 2), (3, 2)),
    ((4, 1), (4, 1)),
    ((3, 3), (3, 1)),
    ((3, 3), (2, 2)),
    ((3, 3), (4, 0)),
    ((3, 1), (2, 2)),
    ((4, 4), (1, 1)),
    ((0.5, 0.5), (0.5, 0.5)),
)


def _cuts_like(across: tuple[float, float], down: tuple[float, float]) -> list[Cut]:
    """Every cut like this one, mirrored and with the axes swapped."""
    swapped = (across, down), (down, across)
    cuts = {
        (*one[::step_x], *other[::step_y])
        for one, other in swapped
        for step_x in (1, -1)
        for step_y in (1, -1)
    }
    return [Cut(*cut) for cut in sorted(cuts)]


WINDOWS = tuple(cut for pattern in _PATTERNS for cut in _cuts_like(*pattern))

PARTS = (Cut(2, 2, 2, 2), Cut(right=6), Cut(left=6), Cut(bottom=6), Cut(top=6))
"""What is left where a corner, an edge or the frame is covered or was turned out of the picture."""

TILTS = tuple((scale, degrees) for scale in (0.9, 0.8) for degrees in (-5.0, -2.5, 2.5, 5.0))
"""Scale and angle of the windows that meet a picture turned by a few degrees."""

CLIP_LEVELS = (182,)
"""What is brighter than this is white in a copy that is 1.4 times as bright."""

WHITE_LEVEL = 255

WHOLE_CODE = 0
MIDDLE_CODE = 130
"""The first of the parts, which a slight turn leaves in the picture."""

MAX_TRIMMED = 4
MAX_CELLS = 12
MAX_BOXES = MAX_TRIMMED + MAX_CELLS


@dataclass(frozen=True)
class View:
    """One entry of the table of views. `code` is what is stored; codes never change their meaning.

    `cut` is set for what is cut from the whole, `tilt` for tilted windows, `box_number` for a view
    of one of the rectangles that the image's own layout gives; a view shows nothing brighter than
    its `clip_level`.
    """

    code: int
    kind: Kind
    cut: Cut = Cut()
    turn: Turn = UPRIGHT
    tilt: tuple[float, float] | None = None
    box_number: int | None = None
    clip_level: int = WHITE_LEVEL


def _make_table() -> dict[int, View]:
    views = [View(WHOLE_CODE, Kind.WHOLE)]
    views += [View(1 + n, Kind.WINDOW, cut) for n, cut in enumerate(WINDOWS)]
    views += [View(100 + n, Kind.TILTED, tilt=tilt) for n, tilt in enumerate(TILTS)]
    views += [View(120 + n, Kind.TURNED, turn=turn) for n, turn in enumerate(OTHER_TURNS)]
    views += [View(MIDDLE_CODE + n, Kind.PART, cut) for n, cut in enumerate(PARTS)]
    views += [View(140 + n, Kind.TRIMMED, box_number=n) for n in range(MAX_TRIMMED)]
    views += [
        View((150, 160, 170, 200)[n] + m, Kind.TURNED_TRIMMED, turn=turn, box_number=n)
        for n in range(MAX_TRIMMED)
        for m, turn in enumerate(OTHER_TURNS)
    ]
    views += [View(180 + n, Kind.CELL, box_number=MAX_TRIMMED + n) for n in range(MAX_CELLS)]
    views += [View(210 + n, Kind.CLIPPED, clip_level=it) for n, it in enumerate(CLIP_LEVELS)]
    return {view.code: view for view in views}


VIEWS = _make_table()


@cache
def codes_of(*kinds: Kind) -> tuple[int, ...]:
    """The codes of all views of these kinds, ascending."""
    return tuple(code for code, view in sorted(VIEWS.items()) if view.kind in kinds)


def locate_views(codes: Codes, aspects: Map, boxes: Codes) -> Map:
    """Where each view lies: the map from its coordinates to its image's.

    `aspects` are the shapes of the images (width : height), `boxes` their layouts' rectangles.
    """
    maps = _fixed_maps()[codes]
    numbers = box_numbers(codes)
    rows = np.flatnonzero(numbers >= 0)
    edges = boxes[rows, numbers[rows]].astype(np.float32) / BOX_UNITS
    if len(rows):
        maps[rows] = compose(np.stack([box_map(*one) for one in edges.tolist()]), maps[rows])
    for row in np.flatnonzero(kind_table(Kind.TILTED)[codes]):
        tilt = VIEWS[int(codes[row])].tilt
        assert tilt is not None
        maps[row] = rotation_map(*tilt, float(aspects[row]))
    return maps


def box_numbers(codes: Codes) -> NDArray[np.int64]:
    """Which of its image's rectangles each view is of; -1 for none."""
    found = {code: view.box_number for code, view in VIEWS.items()}
    return np.array([-1 if found[it] is None else found[it] for it in codes.tolist()], np.int64)


def clip_levels(codes: Codes) -> NDArray[np.uint8]:
    """The level that nothing in each view is brighter than."""
    return np.array([VIEWS[code].clip_level for code in codes.tolist()], np.uint8)


@cache
def kind_table(*kinds: Kind) -> NDArray[np.bool_]:
    """For each code whether its view is of one of the kinds."""
    table = np.zeros(256, np.bool_)
    table[list(codes_of(*kinds))] = True
    return table


@cache
def _fixed_maps() -> Map:
    maps = np.repeat(IDENTITY[None], 256, axis=0)
    for code, view in VIEWS.items():
        maps[code] = compose(box_map(*view.cut.box), turn_map(view.turn))
    return maps
