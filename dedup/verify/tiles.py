"""Two pictures laid over one another, compared tile by tile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from dedup.signature.hashes import Map
from dedup.signature.layout import LEAST_SIDE
from dedup.signature.picture import LEVELS_SIDE_PX, NOISE_LEVELS, SHOWN_SIDE_PX, Levels
from dedup.signature.signature import Shown

from .changes import find_changes
from .registration import apply_map

TILES = 8
"""On each side; the tiles count corners only."""
TILE_PX = LEVELS_SIDE_PX // TILES
CORNER_SHARE = 0.06
"""Of the steepest direction's energy; a disc's edge bends by 0.03 within a tile."""
DETAIL_LEVELS = 1.0
"""What rounding and JPEG leave of an even place; with 0, 19 of 80 copies before their own blurred
enlargement are lost."""
SEAM_TIMES = 2.5
"""One of 100 crops has more; of copies before their own blurred enlargement 92 have."""

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What two pictures have in common where they overlap, as the catalogue keeps it.

    `covered` are the shares of what there is to be seen in the first and in the second that lie
    within the other. `similarity` is the median correlation of the places that hold anything, -1
    to 1; `details` counts the tiles with edges in more than one direction, which horizons and discs
    have not.
    `changed` is the share of the overlap that shows another thing in each, `drawn` the shares that
    were drawn over in the first and in the second. `outside` are the shares of the pictures' areas
    that lie outside of the other's frame, `margin` what is plain of that. `has_seam` says that the
    larger picture breaks off at the frame of the smaller.

    `first_to_second` are the six numbers of the affine map from the first image's coordinates (0 to
    1) to the second's that is nearest to the map; `inliers` is how many features agree on it, 0
    where a hash gave the map. `is_plain` says that one image has too few features to give one.
    """

    similarity: float
    details: int
    covered_first: float
    covered_second: float
    changed: float
    drawn_first: float
    drawn_second: float
    outside_first: float
    outside_second: float
    margin_first: float
    margin_second: float
    has_seam: bool
    inliers: int
    is_plain: bool
    first_to_second: tuple[float, ...]


def compare(
    first: Shown, second: Shown, first_to_second: Map, inliers: int, is_plain: bool
) -> Evidence | None:
    """The comparison within the frame of the picture that lies more within the other.

    None where the map cannot be turned round.
    """
    try:
        second_to_first: Map = np.linalg.inv(first_to_second).astype(np.float64)
    except np.linalg.LinAlgError:
        return None
    margins = find_margin(first.shown), find_margin(second.shown)
    one = _lay(first.shown, second.shown, first_to_second, margins[0], margins[1])
    other = _lay(second.shown, first.shown, second_to_first, margins[1], margins[0])
    inner, host, guest, guest_to_host = one, first, second, second_to_first
    if other.covered > one.covered:
        inner, host, guest, guest_to_host = other, second, first, first_to_second
    points = host.features.points, apply_map(guest_to_host, guest.features.points)
    found = find_changes(inner.levels, inner.other, inner.mask, np.concatenate(points))
    drawn = found.drawn if inner is one else found.drawn[::-1]
    is_first_outer = one.outside > other.outside
    outer, to_outer = ((second, first_to_second), (first, second_to_first))[is_first_outer]
    return Evidence(
        similarity=round(found.similarity, 4),
        details=int(_have_corners(inner).sum()),
        covered_first=round(one.covered, 5),
        covered_second=round(other.covered, 5),
        changed=round(found.changed, 5),
        drawn_first=round(drawn[0], 5),
        drawn_second=round(drawn[1], 5),
        outside_first=round(one.outside, 5),
        outside_second=round(other.outside, 5),
        margin_first=round(one.margin, 5),
        margin_second=round(other.margin, 5),
        has_seam=_has_seam(outer.shown, to_outer),
        inliers=inliers,
        is_plain=is_plain,
        first_to_second=_take_affine(first_to_second),
    )


def find_margin(levels: Levels) -> Mask:
    """The plain area that reaches into the corners: a border, bars, or what a turn left empty."""
    side = SHOWN_SIDE_PX
    found = np.zeros((side + 2, side + 2), np.uint8)
    how = 4 | cv2.FLOODFILL_FIXED_RANGE | cv2.FLOODFILL_MASK_ONLY | (1 << 8)
    picture = levels.copy()
    for corner in ((0, 0), (side - 1, 0), (0, side - 1), (side - 1, side - 1)):
        cv2.floodFill(picture, found, corner, 0, NOISE_LEVELS, NOISE_LEVELS, how)
    margin = found[1:-1, 1:-1]
    if not _is_frame(margin):
        return np.zeros_like(margin, np.bool_)
    wider: Mask = cv2.dilate(margin, np.ones((7, 7), np.uint8)) > 0
    return wider


def _is_frame(margin: NDArray[np.uint8]) -> bool:
    """Whether what is left is nearly a rectangle, turned or not; a subject before a sky is not."""
    outlines, _ = cv2.findContours(1 - margin, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not outlines:
        return False
    largest = max(outlines, key=cv2.contourArea)
    size = cv2.minAreaRect(largest)[1]
    area = cv2.contourArea(largest)
    is_large = area >= LEAST_SIDE**2 * margin.size
    return is_large and area > np.pi / 4 * size[0] * size[1]  # as much as an ellipse fills


@dataclass(frozen=True)
class _Laid:
    """One picture, the other within its frame, and where both show something."""

    levels: Floats
    other: Floats
    mask: Mask
    covered: float
    outside: float
    margin: float


def _lay(one: Levels, other: Levels, one_to_other: Map, margin: Mask, other_margin: Mask) -> _Laid:
    matrix = np.linalg.inv(_TO_UNIT) @ one_to_other @ _TO_UNIT
    size = SHOWN_SIDE_PX, SHOWN_SIDE_PX
    inverse = cv2.WARP_INVERSE_MAP
    shown = cv2.warpPerspective(
        other.astype(np.float32),
        matrix,
        size,
        flags=cv2.INTER_LINEAR | inverse,
        borderMode=cv2.BORDER_REPLICATE,
    )
    nearest = cv2.INTER_NEAREST | inverse
    is_there = cv2.warpPerspective((~other_margin).astype(np.uint8), matrix, size, flags=nearest)
    frame = cv2.warpPerspective(np.ones_like(other), matrix, size, flags=nearest)
    levels = one.astype(np.float32)
    fine = levels - cv2.GaussianBlur(levels, (0, 0), 1.5)
    has_detail = (_deviation(fine) > DETAIL_LEVELS) & ~margin
    if has_detail.sum() < has_detail.size // 50:
        has_detail = ~margin
    mask: Mask = ~margin & (is_there > 0)
    covered = float((has_detail & (frame > 0)).sum() / max(int(has_detail.sum()), 1))
    outside = frame == 0
    areas = float(outside.mean()), float((outside & margin).mean())
    return _Laid(levels, shown.astype(np.float32), mask, covered, *areas)


def _take_affine(matrix: Map) -> tuple[float, ...]:
    corners: Any = np.array([[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], np.float64)
    laid = corners @ matrix.T
    rows = np.linalg.lstsq(corners, laid[:, :2] / laid[:, 2:], rcond=None)[0]
    return tuple(np.round(rows.T.ravel(), 5).tolist())


def _have_corners(laid: _Laid) -> Mask:
    """Which tiles have edges in more than one direction (Harris and Stephens 1988)."""
    size = LEVELS_SIDE_PX, LEVELS_SIDE_PX
    levels = cv2.GaussianBlur(
        cv2.resize(laid.levels, size, interpolation=cv2.INTER_AREA), (0, 0), 1
    )
    mask = cv2.resize(laid.mask.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
    across = cv2.Sobel(levels, cv2.CV_32F, 1, 0) * mask
    down = cv2.Sobel(levels, cv2.CV_32F, 0, 1) * mask
    products = across * across, down * down, across * down
    xx, yy, xy = (_sum_tiles(it.astype(np.float32)) / TILE_PX**2 for it in products)
    middle, spread = (xx + yy) / 2, np.sqrt((xx - yy) ** 2 / 4 + xy**2)
    weaker = middle - spread  # the energy of the direction in which it changes least
    return np.asarray(weaker > np.maximum(CORNER_SHARE * (middle + spread), NOISE_LEVELS**2))


def _has_seam(outer: Levels, to_outer: Map) -> bool:
    """Whether levels jump and details end along the inner's edges that lie within the outer."""
    along = np.linspace(0.1, 0.9, 48)
    still = np.zeros_like(along)
    jumps, losses = [], []
    for points, outwards in (
        (np.stack([along, still]), (0, -1)),
        (np.stack([along, still + 1]), (0, 1)),
        (np.stack([still, along]), (-1, 0)),
        (np.stack([still + 1, along]), (1, 0)),
    ):
        step = np.array(outwards)[:, None] * 3 / LEVELS_SIDE_PX
        before, inside, outside = (
            _read(outer, to_outer, points + it * step) for it in (-2.1, -0.7, 0.7)
        )
        if not np.isnan(outside).any():
            jumps.append(np.abs(outside - inside).mean() / (np.abs(inside - before).mean() + 2))
            details = [np.abs(np.diff(it)).mean() + 1 for it in (before, inside, outside)]
            losses.append(min(details[:2]) / details[2])
    return bool(jumps) and float(np.mean(jumps) * np.mean(losses)) > SEAM_TIMES


def _read(levels: Levels, to_levels: Map, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The levels at these points; NaN outside of the picture."""
    laid = to_levels @ np.vstack([points, np.ones(points.shape[1])])
    x, y = np.floor(laid[:2] / laid[2] * SHOWN_SIDE_PX).astype(np.int64)
    inside = (x >= 0) & (y >= 0) & (x < SHOWN_SIDE_PX) & (y < SHOWN_SIDE_PX)
    found = np.full(len(x), np.nan)
    found[inside] = levels[y[inside], x[inside]]
    return found


def _deviation(levels: Floats) -> Floats:
    """The standard deviation within 7 by 7 pixels around each."""
    mean = cv2.boxFilter(levels, -1, (7, 7))
    squares = cv2.boxFilter(levels * levels, -1, (7, 7))
    return np.sqrt(np.maximum(squares - mean * mean, 0)).astype(np.float32)


def _sum_tiles(values: Floats) -> Floats:
    return np.asarray(values.reshape(TILES, TILE_PX, TILES, TILE_PX).sum(axis=(1, 3)))


_TO_UNIT: Map = np.array(
    [
        [1 / SHOWN_SIDE_PX, 0, 0.5 / SHOWN_SIDE_PX],
        [0, 1 / SHOWN_SIDE_PX, 0.5 / SHOWN_SIDE_PX],
        [0, 0, 1],
    ]
)
"""From a pixel's number to the coordinates of its middle."""
