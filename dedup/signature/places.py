"""Where the views of many images lie: maps from the views' coordinates to their images'."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from .brightness import SIDE_PX
from .maps import IDENTITY, Map, box_map, compose, rotation_map, turn_map
from .signature import Boxes
from .view_hashes import Floats
from .views import VIEWS, WHITE_LEVEL, Kind

Codes = NDArray[np.uint8]


def locate_views(codes: Codes, aspects: Floats, boxes: Boxes) -> Map:
    """The map of each view, given its image's shape (width : height) and rectangles."""
    maps = _fixed_maps()[codes]
    numbers = box_numbers(codes)
    rows = np.flatnonzero(numbers >= 0)
    cut = boxes[rows, numbers[rows]].astype(np.float32) / SIDE_PX
    maps[rows] = compose(_box_maps(cut), maps[rows])
    for row in np.flatnonzero(_is_tilted()[codes]):
        tilt = VIEWS[int(codes[row])].tilt
        assert tilt is not None
        maps[row] = rotation_map(*tilt, float(aspects[row]))
    return maps


def box_numbers(codes: Codes) -> NDArray[np.int64]:
    """Which of its image's rectangles each view is of; -1 for none."""
    numbers: NDArray[np.int64] = _box_numbers()[codes]
    return numbers


def clip_levels(codes: Codes) -> NDArray[np.uint8]:
    """The level that nothing in each view is brighter than."""
    levels: NDArray[np.uint8] = _clip_levels()[codes]
    return levels


def kind_table(*kinds: Kind) -> NDArray[np.bool_]:
    """For each code whether its view is of one of the kinds."""
    table = np.zeros(256, np.bool_)
    table[[code for code, view in VIEWS.items() if view.kind in kinds]] = True
    return table


@cache
def _fixed_maps() -> Map:
    maps = np.repeat(IDENTITY[None], 256, axis=0)
    for code, view in VIEWS.items():
        maps[code] = compose(box_map(*view.cut.box), turn_map(view.turn))
    return maps


@cache
def _box_numbers() -> NDArray[np.int64]:
    numbers = np.full(256, -1)
    for code, view in VIEWS.items():
        numbers[code] = -1 if view.box_number is None else view.box_number
    return numbers


@cache
def _clip_levels() -> NDArray[np.uint8]:
    levels = np.full(256, WHITE_LEVEL, np.uint8)
    for code, view in VIEWS.items():
        levels[code] = view.clip_level
    return levels


@cache
def _is_tilted() -> NDArray[np.bool_]:
    return kind_table(Kind.TILTED)


def _box_maps(boxes: Floats) -> Map:
    maps = np.zeros((len(boxes), 2, 3), np.float32)
    maps[:, 0, 0], maps[:, 1, 1] = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    maps[:, 0, 2], maps[:, 1, 2] = boxes[:, 0], boxes[:, 1]
    return maps
