"""Where two pictures that were laid over one another differ, and what made the difference.

A place differs where its details do not correlate. It was drawn over where one picture has writing
or one even shade there and what the other shows is otherwise still to be seen; else it changed.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

FINE_PX, COARSE_PX = 1.5, 8.0
"""Details are coarser than the one and finer than the other, in pixels of 256."""
WINDOW_PX = 17
LEAST_CONTRAST = 5.0
"""Levels; JPEG of quality 20 and noise of 12 levels leave 2."""
AGREES = 0.45
OPENING_PX = 9
LEAST_SPOT = 0.002
"""Of the overlap: a subject of a twentieth of the height."""
PERSISTS = 0.35
EVEN_LEVELS, EVEN_SHARE = 2, 0.42
MOST_LINE, LINE_TIMES, LINE_GAP_PX = 0.17, 3.5, 16
LINE_AGREES, WRITING_TIMES = 0.7, 1.2

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Changes:
    """Shares of the overlap that differ: changed, and drawn over in the first and in the second.

    `similarity` is the median correlation of places with details, `agreeing` the share of them that
    agree or were drawn over, `detailed` their share of the overlap.
    """

    similarity: float
    agreeing: float
    detailed: float
    changed: float
    drawn: tuple[float, float]


def find_changes(first: Floats, second: Floats, mask: Mask) -> Changes:
    """The differences of two pictures in one frame, where the mask is true."""
    correlation, contrasts, slopes = correlate(first, second, mask)
    is_detailed = mask & (np.maximum(*contrasts) > LEAST_CONTRAST)
    area = max(int(mask.sum()), 1)
    if not is_detailed.any():
        return Changes(0.0, 0.0, 0.0, 0.0, (0.0, 0.0))
    differs = is_detailed & (correlation < AGREES)
    kernel = np.ones((OPENING_PX, OPENING_PX), np.uint8)
    opened = cv2.morphologyEx(differs.astype(np.uint8), cv2.MORPH_OPEN, kernel)
    count, numbers, sizes, _ = cv2.connectedComponentsWithStats(opened)
    left = np.zeros_like(mask)
    drawn, over = [0, 0], np.zeros_like(mask)
    for number in range(1, count):
        if sizes[number, cv2.CC_STAT_AREA] < LEAST_SPOT * area:
            continue
        spot = _fill(numbers == number) & mask
        drawer = find_drawer((first, second), contrasts, slopes, spot)
        if drawer is None:
            left |= spot
        else:
            drawn[drawer] += int(spot.sum())
            over |= spot
    writer = find_writer(correlation, contrasts, is_detailed, left) if left.any() else None
    if writer is not None:
        drawn[writer] += int(left.sum())
        over |= left
        left = np.zeros_like(mask)
    return Changes(
        float(np.median(correlation[is_detailed])),
        float((~differs | over)[is_detailed].mean()),
        float(is_detailed.sum() / area),
        float(left.sum() / area),
        (drawn[0] / area, drawn[1] / area),
    )


def correlate(
    first: Floats, second: Floats, mask: Mask
) -> tuple[Floats, tuple[Floats, Floats], tuple[Floats, Floats]]:
    """The correlation of details around each pixel, their contrasts, and covariance and variances.

    The contrast of the second is scaled to that of the first.
    """
    one, other = (keep_details(it, mask) for it in (first, second))
    counts = np.maximum(_blur(mask.astype(np.float32)), 0.05)
    variances = [np.maximum(_blur(it * it), 0) / counts for it in (one, other)]
    both = _blur(one * other) / counts
    strong = mask & (both > 0.6 * np.sqrt(variances[0] * variances[1])) & (variances[0] > 9)
    gain = 1.0
    if strong.sum() > 50:
        gain = float(np.median(np.sqrt(variances[0][strong] / np.maximum(variances[1][strong], 1))))
    gain = min(max(gain, 0.2), 5.0)
    both, variances[1] = both * gain, variances[1] * gain * gain
    correlation = both / np.sqrt(variances[0] * variances[1] + LEAST_CONTRAST**2)
    contrasts = np.sqrt(variances[0]), np.sqrt(variances[1])
    slopes = both / np.maximum(variances[1], 1), both / np.maximum(variances[0], 1)
    return correlation, contrasts, slopes


def find_drawer(
    pictures: tuple[Floats, Floats],
    contrasts: tuple[Floats, Floats],
    slopes: tuple[Floats, Floats],
    spot: Mask,
) -> int | None:
    """Which of two pictures was drawn over at a spot: 0, 1, or None where neither alone was."""
    means = [float(it[spot].mean()) for it in contrasts]
    harder = int(means[1] > means[0])
    # Of writing and watermarks, what lies below shows between the strokes.
    weights = contrasts[1 - harder][spot] ** 2
    persists = float((slopes[harder][spot] * weights).sum() / max(float(weights.sum()), 1e-6))
    if persists > PERSISTS and means[1 - harder] > LEAST_CONTRAST:
        return harder
    for which in (0, 1):
        if _is_one_shade(pictures[which], spot):
            return which
    return None


def find_writer(
    correlation: Floats, contrasts: tuple[Floats, Floats], is_detailed: Mask, spots: Mask
) -> int | None:
    """Which picture has a line of writing where all of these spots are, or None where neither has.

    A line is long and low, without gaps, and has more contrast than what it covers.
    """
    rows = np.flatnonzero(spots.any(axis=1))
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    if bottom - top > MOST_LINE * len(spots):
        return None
    line = (is_detailed & (correlation < LINE_AGREES))[top:bottom]
    columns = np.flatnonzero(line.any(axis=0))
    gaps = np.flatnonzero(np.diff(columns) > LINE_GAP_PX)
    starts, ends = np.r_[0, gaps + 1], np.r_[gaps, len(columns) - 1]
    runs = [(int(columns[one]), int(columns[other]) + 1) for one, other in zip(starts, ends)]
    around = np.flatnonzero(spots.any(axis=0))
    held = [it for it in runs if it[0] <= around[0] and it[1] > around[-1]]
    if not held or held[0][1] - held[0][0] < LINE_TIMES * (bottom - top):
        return None
    left, right = held[0]
    means = [float(it[top:bottom, left:right].mean()) for it in contrasts]
    writer = int(means[1] > means[0])
    return writer if means[writer] > WRITING_TIMES * means[1 - writer] else None


def keep_details(levels: Floats, mask: Mask) -> Floats:
    """The picture without its light and without its noise; what is masked is not looked at."""
    shown = mask.astype(np.float32)
    fine, coarse = (
        cv2.GaussianBlur(levels * shown, (0, 0), it)
        / np.maximum(cv2.GaussianBlur(shown, (0, 0), it), 0.02)
        for it in (FINE_PX, COARSE_PX)
    )
    return np.asarray((fine - coarse) * shown, np.float32)


def _fill(spot: Mask) -> Mask:
    """The spot with its holes, without what the window added around it."""
    outlines, _ = cv2.findContours(spot.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = cv2.drawContours(np.zeros(spot.shape, np.uint8), outlines, -1, 1, cv2.FILLED)
    core = cv2.erode(filled, np.ones((WINDOW_PX // 2, WINDOW_PX // 2), np.uint8))
    return np.asarray((core if core.any() else filled) > 0)


def _blur(values: Floats) -> Floats:
    return np.asarray(cv2.boxFilter(values, -1, (WINDOW_PX, WINDOW_PX)), np.float32)


def _is_one_shade(levels: Floats, spot: Mask) -> bool:
    """Whether the spot has one shade, which what is around it has not."""
    inside = np.clip(levels[spot], 0, 255).astype(np.int64)
    sums = np.convolve(np.bincount(inside, minlength=256), np.ones(2 * EVEN_LEVELS + 1), "same")
    share, shade = float(sums.max()) / max(len(inside), 1), int(sums.argmax())
    if share < EVEN_SHARE:
        return False
    wide, near = (
        cv2.dilate(spot.astype(np.uint8), np.ones((it, it), np.uint8)) > 0 for it in (27, 17)
    )
    around = levels[wide & ~near]
    return float((np.abs(around - shade) <= EVEN_LEVELS).mean()) < share / 2 if len(around) else True
