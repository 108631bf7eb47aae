"""Two pictures laid over one another, compared tile by tile."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from dedup.signature.hashes import Map
from dedup.signature.picture import LEVELS_SIDE_PX, Levels

TILES = 8
TILE_PX = LEVELS_SIDE_PX // TILES
FINE_PX, COARSE_PX = 1.0, 6.0
"""A tile compares what is coarser than the one and finer than the other, in pixels of 128."""
LEAST_CONTRAST = 2.0
"""Levels: less than JPEG's own noise makes."""
AGREES = 0.5
CORNER_SHARE, CORNER_LEVELS = 0.06, 4.0
"""Of the steepest direction's energy; a disc's edge bends by 0.03 within a tile."""
MARGIN_LEVELS = 6
"""A plain border differs by less from its corner; JPEG of quality 50 leaves 5."""
MOST_MARGIN = 0.6
DETAIL_LEVELS = 1.0
CHANGED_LEVELS = 14
CHANGED_PX = 30
"""A changed spot differs by so many levels, and is so large once strokes of 4 px are taken off."""
PLAIN_SHARE = 0.6
PLAIN_LEVELS = 13
WRITING_CONTRAST, WRITING_TIMES, WRITING_PX = 28.0, 1.6, 450
"""What people draw over a photograph has one shade, or writing's contrast within 7 px."""
SEAM_TIMES = 1.8
"""Crops have at most 1.5 at their edges."""

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Comparison:
    """What two pictures have in common where they overlap.

    `covered` are the shares of what there is to be seen in the first and in the second that lie
    within the other. `similarity` is the median correlation of the `tiles` that hold anything, -1
    to 1; `details` counts those with edges in more than one direction, which horizons and discs
    have not; `agreeing` is the share of them that agree or were drawn over in one picture.
    `changed` is the share of the overlap that shows another thing in each, `drawn` the shares that
    were drawn over in the first and in the second. `outside` are the shares of the pictures' areas
    that lie outside of the other's frame, `margin` what is plain of that. `has_seam` says that the
    larger picture breaks off at the frame of the smaller.
    """

    covered: tuple[float, float]
    similarity: float
    tiles: int
    details: int
    agreeing: float
    changed: float
    drawn: tuple[float, float]
    has_seam: bool
    outside: tuple[float, float]
    margin: tuple[float, float]


def compare(first: Levels, second: Levels, first_to_second: Map) -> Comparison | None:
    """The comparison within the frame of the picture that lies more within the other.

    None where the map cannot be turned round.
    """
    try:
        second_to_first = np.linalg.inv(first_to_second)
    except np.linalg.LinAlgError:
        return None
    margins = find_margin(first), find_margin(second)
    laid = (
        _lay(first, second, first_to_second, margins[0], margins[1]),
        _lay(second, first, second_to_first, margins[1], margins[0]),
    )
    covered = laid[0].covered, laid[1].covered
    inner = int(covered[1] > covered[0])
    one = laid[inner]
    correlation, is_used = _correlate(one)
    changed, drawn, drawn_over = _find_changes(one, correlation, is_used)
    agree = (correlation > AGREES) | drawn_over
    is_first_outer = laid[0].outside > laid[1].outside
    outer, to_outer = ((second, first_to_second), (first, second_to_first))[is_first_outer]
    return Comparison(
        covered,
        float(np.median(correlation[is_used])) if is_used.any() else 0.0,
        int(is_used.sum()),
        int((_have_corners(one) & is_used).sum()),
        float(agree[is_used].mean()) if is_used.any() else 0.0,
        changed,
        drawn if inner == 0 else drawn[::-1],
        _has_seam(outer, to_outer),
        (laid[0].outside, laid[1].outside),
        (laid[0].margin, laid[1].margin),
    )


def find_margin(levels: Levels) -> Mask:
    """The plain area that reaches into the corners: a border, bars, or what a turn left empty."""
    side = LEVELS_SIDE_PX
    found = np.zeros((side + 2, side + 2), np.uint8)
    how = 4 | cv2.FLOODFILL_FIXED_RANGE | cv2.FLOODFILL_MASK_ONLY | (1 << 8)
    picture = levels.copy()
    for corner in ((0, 0), (side - 1, 0), (0, side - 1), (side - 1, side - 1)):
        cv2.floodFill(picture, found, corner, 0, MARGIN_LEVELS, MARGIN_LEVELS, how)
    margin = found[1:-1, 1:-1]
    if margin.mean() > MOST_MARGIN:  # a page or a sky, not a border
        return np.zeros_like(margin, np.bool_)
    wider: Mask = cv2.dilate(margin, np.ones((3, 3), np.uint8)) > 0
    return wider


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
    size = LEVELS_SIDE_PX, LEVELS_SIDE_PX
    inverse = cv2.WARP_INVERSE_MAP
    shown = cv2.warpPerspective(
        other.astype(np.float32),
        matrix,
        size,
        flags=cv2.INTER_LINEAR | inverse,
        borderMode=cv2.BORDER_REPLICATE,
    )
    is_there = cv2.warpPerspective(
        (~other_margin).astype(np.uint8), matrix, size, flags=cv2.INTER_NEAREST | inverse
    )
    frame = cv2.warpPerspective(
        np.ones_like(other), matrix, size, flags=cv2.INTER_NEAREST | inverse
    )
    levels = one.astype(np.float32)
    fine = levels - cv2.GaussianBlur(levels, (0, 0), 1.5)
    has_detail = (_deviation(fine) > DETAIL_LEVELS) & ~margin
    if has_detail.sum() < has_detail.size // 50:
        has_detail = ~margin
    mask: Mask = ~margin & (is_there > 0)
    covered = float((has_detail & mask).sum() / max(int(has_detail.sum()), 1))
    outside = frame == 0
    areas = float(outside.mean()), float((outside & margin).mean())
    return _Laid(levels, shown.astype(np.float32), mask, covered, *areas)


def _correlate(laid: _Laid) -> tuple[Floats, Mask]:
    """The correlation of each tile's details, and which tiles hold enough to be compared."""
    one, other = (_keep_details(it) * laid.mask for it in (laid.levels, laid.other))
    counts = np.maximum(_sum_tiles(laid.mask.astype(np.float32)), 1)
    means = _sum_tiles(one) / counts, _sum_tiles(other) / counts
    variances = (
        _sum_tiles(one * one) / counts - means[0] ** 2,
        _sum_tiles(other * other) / counts - means[1] ** 2,
    )
    both = _sum_tiles(one * other) / counts - means[0] * means[1]
    correlation = both / np.sqrt(np.maximum(variances[0] * variances[1], 0) + 1)
    contrast = np.sqrt(np.maximum(np.maximum(*variances), 0))
    is_used: Mask = (counts >= TILE_PX**2 / 2) & (contrast > LEAST_CONTRAST)
    return correlation.astype(np.float32), is_used


def _have_corners(laid: _Laid) -> Mask:
    """Which tiles have edges in more than one direction (Harris and Stephens 1988)."""
    levels = cv2.GaussianBlur(laid.levels, (0, 0), FINE_PX)
    across = cv2.Sobel(levels, cv2.CV_32F, 1, 0) * laid.mask
    down = cv2.Sobel(levels, cv2.CV_32F, 0, 1) * laid.mask
    products = across * across, down * down, across * down
    xx, yy, xy = (_sum_tiles(it.astype(np.float32)) / TILE_PX**2 for it in products)
    middle, spread = (xx + yy) / 2, np.sqrt((xx - yy) ** 2 / 4 + xy**2)
    corners: Mask = (middle - spread > CORNER_SHARE * (middle + spread)) & (
        middle - spread > CORNER_LEVELS**2
    )
    return corners


def _find_changes(
    laid: _Laid, correlation: Floats, is_used: Mask
) -> tuple[float, tuple[float, float], Mask]:
    """The share of the overlap that changed, the shares drawn over in each, and on which tiles."""
    agree = _spread((correlation > AGREES) & is_used) & laid.mask
    nothing = 0.0, (0.0, 0.0), np.zeros((TILES, TILES), np.bool_)
    if agree.sum() < TILE_PX**2:
        return nothing
    slope, shift = _fit_tones(laid.other[agree], laid.levels[agree])
    difference = np.where(laid.mask, laid.levels - (slope * laid.other + shift), 0)
    difference = np.abs(cv2.GaussianBlur(difference.astype(np.float32), (0, 0), 1))
    spots = (difference > CHANGED_LEVELS) & _spread((correlation < AGREES) & is_used)
    opened = cv2.morphologyEx(spots.astype(np.uint8), cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    count, numbers, sizes, _ = cv2.connectedComponentsWithStats(opened)
    changed, drawn, drawn_over = 0, [0, 0], np.zeros_like(spots)
    contrasts = [_deviation(it) for it in (laid.levels, laid.other)]
    for number in range(1, count):
        if sizes[number, cv2.CC_STAT_AREA] < CHANGED_PX:
            continue
        spot = numbers == number
        if max(it[spot].mean() for it in contrasts) < 2 * LEAST_CONTRAST:
            continue  # two plain areas, of which the tones were bent
        around = cv2.dilate(spot.astype(np.uint8), np.ones((9, 9), np.uint8)) > 0
        sides = [(it[spot], it[around & ~spot]) for it in (laid.levels, laid.other)]
        drawer = _find_drawer(sides, [float(it[spot].mean()) for it in contrasts])
        if drawer is None:
            changed += int(spot.sum())
        else:
            drawn[drawer] += int(spot.sum())
            drawn_over |= spot
    area = max(int(laid.mask.sum()), 1)
    tiles = _sum_tiles(drawn_over.astype(np.float32)) > TILE_PX**2 / 16
    return changed / area, (drawn[0] / area, drawn[1] / area), tiles


def _find_drawer(sides: list[tuple[Floats, Floats]], contrasts: list[float]) -> int | None:
    """Which of two pictures was drawn over at a spot: 0, 1, or None where neither alone was.

    `sides` are the levels at the spot and around it. Writing has much more contrast than what it
    covers; else a drawing has one shade, which what is around it has not.
    """
    harder = int(contrasts[1] > contrasts[0])
    is_small = len(sides[0][0]) <= WRITING_PX
    if is_small and contrasts[harder] > max(
        WRITING_CONTRAST, WRITING_TIMES * contrasts[1 - harder]
    ):
        return harder
    are_plain = [_is_plain(spot, around) for spot, around in sides]
    return None if are_plain[0] == are_plain[1] else int(are_plain[1])


def _is_plain(spot: Floats, around: Floats) -> bool:
    shade = float(np.median(spot))
    shares = [float((np.abs(it - shade) <= PLAIN_LEVELS / 2).mean()) for it in (spot, around)]
    return shares[0] > PLAIN_SHARE and shares[1] < PLAIN_SHARE / 2


def _has_seam(outer: Levels, to_outer: Map) -> bool:
    """Whether the outer picture breaks off along each edge of the inner that lies within it."""
    along = np.linspace(0.1, 0.9, 48)
    still = np.zeros_like(along)
    breaks = []
    for points, outwards in (
        (np.stack([along, still]), (0, -1)),
        (np.stack([along, still + 1]), (0, 1)),
        (np.stack([still, along]), (-1, 0)),
        (np.stack([still + 1, along]), (1, 0)),
    ):
        step = np.array(outwards)[:, None] * 3 / LEVELS_SIDE_PX
        inside, outside = (_read(outer, to_outer, points + it * step) for it in (-0.7, 0.7))
        before = _read(outer, to_outer, points - 2.1 * step)
        if not np.isnan(outside).any():
            usual = np.abs(inside - before).mean() + 2
            breaks.append(np.abs(outside - inside).mean() / usual)
    return bool(breaks) and float(np.mean(breaks)) > SEAM_TIMES


def _read(levels: Levels, to_levels: Map, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The levels at these points; NaN outside of the picture."""
    laid = to_levels @ np.vstack([points, np.ones(points.shape[1])])
    x, y = np.floor(laid[:2] / laid[2] * LEVELS_SIDE_PX).astype(np.int64)
    inside = (x >= 0) & (y >= 0) & (x < LEVELS_SIDE_PX) & (y < LEVELS_SIDE_PX)
    found = np.full(len(x), np.nan)
    found[inside] = levels[y[inside], x[inside]]
    return found


def _fit_tones(source: Floats, target: Floats) -> tuple[float, float]:
    """The slope and shift that bring the one's tones nearest to the other's."""
    variance = max(float(source.var()), 1.0)
    slope = float(((source - source.mean()) * (target - target.mean())).mean()) / variance
    slope = min(max(slope, 0.2), 5.0)
    return slope, float(target.mean()) - slope * float(source.mean())


def _keep_details(levels: Floats) -> Floats:
    fine: Floats = cv2.GaussianBlur(levels, (0, 0), FINE_PX).astype(np.float32)
    return fine - cv2.GaussianBlur(levels, (0, 0), COARSE_PX).astype(np.float32)


def _deviation(levels: Floats) -> Floats:
    """The standard deviation within 7 by 7 pixels around each."""
    mean = cv2.boxFilter(levels, -1, (7, 7))
    squares = cv2.boxFilter(levels * levels, -1, (7, 7))
    return np.sqrt(np.maximum(squares - mean * mean, 0)).astype(np.float32)


def _sum_tiles(values: Floats) -> Floats:
    return values.reshape(TILES, TILE_PX, TILES, TILE_PX).sum(axis=(1, 3))


def _spread(tiles: Mask) -> Mask:
    return np.kron(tiles, np.ones((TILE_PX, TILE_PX), np.bool_)).astype(np.bool_)


_TO_UNIT: Map = np.array(
    [
        [1 / LEVELS_SIDE_PX, 0, 0.5 / LEVELS_SIDE_PX],
        [0, 1 / LEVELS_SIDE_PX, 0.5 / LEVELS_SIDE_PX],
        [0, 0, 1],
    ]
)
"""From a pixel's number to the coordinates of its middle."""
