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
WINDOW_PX = 15
LEAST_CONTRAST = 5.0
"""Levels; JPEG of quality 20 and noise of 12 levels leave 2."""
AGREES = 0.45
OPENING_PX, CLOSING_PX = 7, 13
LEAST_SPOT = 0.002
"""Of the overlap: a subject of a twentieth of the height."""
PERSISTS = 0.35
MOST_FAINT, FAINT_LEVELS, FAINT_SHARE = 0.005, 6, 0.4
"""Without these, and without `PERSISTS`, one watermark of 24 more is missed each."""
EVEN_LEVELS, EVEN_SHARE, CLIPPED_SHARE, MOST_ELSEWHERE = 2, 0.42, 0.7, 0.2
"""Without the last, two phases of one moon are merged: 1 of 66 pairs."""
MOST_LINE, LINE_TIMES, LINE_GAP_PX = 0.2, 2.5, 24
LINE_AGREES = 0.7
STAMP_TIMES = 1.3
CLIPPED_LEVEL = 247
GROUND_LEVELS, GROUND_SHARE = 24, 0.5

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Changes:
    """Shares of the overlap that differ: changed, and drawn over in the first and in the second.

    `similarity` is the median correlation of places with details.
    """

    similarity: float
    changed: float
    drawn: tuple[float, float]


def find_changes(first: Floats, second: Floats, mask: Mask) -> Changes:
    """The differences of two pictures in one frame, where the mask is true."""
    correlation, contrasts, slopes = correlate(first, second, mask)
    is_detailed = mask & (np.maximum(*contrasts) > LEAST_CONTRAST)
    area = max(int(mask.sum()), 1)
    if not is_detailed.any():
        return Changes(0.0, 0.0, (0.0, 0.0))
    differs = is_detailed & (correlation < AGREES)
    opened = differs.astype(np.uint8)
    for how, size in ((cv2.MORPH_OPEN, OPENING_PX), (cv2.MORPH_CLOSE, CLOSING_PX)):
        kernel = np.ones((size, size), np.uint8)
        opened = cv2.morphologyEx(opened, how, kernel).astype(np.uint8)
    count, numbers, sizes, _ = cv2.connectedComponentsWithStats(opened)
    left, over = np.zeros_like(mask), np.zeros_like(mask)
    drawn = [0, 0]
    for number in range(1, count):
        if sizes[number, cv2.CC_STAT_AREA] < LEAST_SPOT * area:
            continue
        spot = _fill(numbers == number) & mask
        drawer = _find_drawer(first, second, spot)
        if drawer is not None:
            drawn[drawer] += int(spot.sum())
        elif not (_is_clipped(first, second, spot) or _is_clipped(second, first, spot)):
            left |= spot
            continue
        over |= spot
    writer = None
    if left.any():
        differs = is_detailed & (correlation < LINE_AGREES)
        writer = find_writer(differs, contrasts, slopes, left)
        if writer is None and _is_faint(first, second, mask, left):
            writer = int(contrasts[1][left].mean() > contrasts[0][left].mean())
    if writer is not None:
        drawn[int(second[left].std() > first[left].std())] += int(left.sum())
        over, left = over | left, np.zeros_like(mask)
    shown = is_detailed & ~over if (is_detailed & ~over).any() else is_detailed
    return Changes(
        float(np.median(correlation[shown])),
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
    return (
        np.asarray(correlation, np.float32),
        (contrasts[0].astype(np.float32), contrasts[1].astype(np.float32)),
        (slopes[0].astype(np.float32), slopes[1].astype(np.float32)),
    )


def _find_drawer(first: Floats, second: Floats, spot: Mask) -> int | None:
    """Which picture has one even shade in the spot that was put there, or writing on such a ground.

    None where neither has. What stands before an even ground and is as high as a subject is none.
    """
    is_low = int(spot.any(axis=1).sum()) <= MOST_LINE * len(spot)
    for painter, one in enumerate((first, second)):
        if _is_one_shade(one, spot):
            if not _goes_on_around(one, spot):
                return painter
            if is_low:
                return 1 - painter
    return None


def _is_faint(first: Floats, second: Floats, mask: Mask, spots: Mask) -> bool:
    """Whether little differs, and much within it does not, as between a watermark's letters."""
    if spots.sum() > MOST_FAINT * mask.sum():
        return False
    is_same = mask & ~spots
    gain, offset = np.polyfit(first[is_same], second[is_same], 1)
    residual = np.abs(second[spots] - gain * first[spots] - offset)
    return bool((residual <= FAINT_LEVELS).mean() >= FAINT_SHARE)


def _is_clipped(levels: Floats, other: Floats, spot: Mask) -> bool:
    """Whether the light of the spot became plain white or black, and all such light did."""
    for one, two in ((levels, other), (255 - levels, 255 - other)):
        if (one[spot] >= CLIPPED_LEVEL).mean() > CLIPPED_SHARE:
            low, middle = np.percentile(two[spot], (5, 50))
            alike = (two >= low) & (two <= middle) & ~spot
            return bool(alike.any() and (one[alike] >= CLIPPED_LEVEL).mean() > CLIPPED_SHARE)
    return False


def find_writer(
    differs: Mask,
    contrasts: tuple[Floats, Floats],
    slopes: tuple[Floats, Floats],
    spots: Mask,
) -> int | None:
    """Which picture has one line of writing where all these spots are, or None where neither has.

    Between its strokes, what lies below is still to be seen, or the line is long and has no gaps.
    """
    rows, columns = np.flatnonzero(spots.any(axis=1)), np.flatnonzero(spots.any(axis=0))
    height_px = int(rows[-1] - rows[0]) + WINDOW_PX // 2
    if height_px > MOST_LINE * len(spots):
        return None
    means = [float(it[spots].mean()) for it in contrasts]
    writer = int(means[1] > means[0])
    weights = contrasts[1 - writer][spots] ** 2
    persists = float((slopes[writer][spots] * weights).sum() / max(float(weights.sum()), 1e-6))
    if persists > PERSISTS and means[1 - writer] > LEAST_CONTRAST:
        return writer
    if means[writer] > STAMP_TIMES * means[1 - writer] and _is_in_corner(rows, columns, len(spots)):
        return writer
    top, bottom = max(int(rows[0]) - WINDOW_PX // 2, 0), int(rows[-1]) + 1 + WINDOW_PX // 2
    line = np.flatnonzero(differs[top:bottom].any(axis=0))
    gaps = np.flatnonzero(np.diff(line) > LINE_GAP_PX)
    for start, end in zip([0, *(gaps + 1)], [*gaps, len(line) - 1], strict=True):
        if line[start] <= columns[0] and line[end] >= columns[-1]:
            is_long = line[end] - line[start] >= LINE_TIMES * height_px
            return writer if is_long else None
    return None


def _is_in_corner(rows: NDArray[np.int64], columns: NDArray[np.int64], side: int) -> bool:
    """Whether all lies where cameras stamp the date."""
    is_low = rows[0] >= (1 - MOST_LINE) * side or rows[-1] < MOST_LINE * side
    is_aside = columns[0] >= side / 2 or columns[-1] < side / 2
    return bool(is_low and is_aside)


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


def _goes_on_around(levels: Floats, spot: Mask) -> bool:
    """Whether the spot is plain ground that reaches beyond it, and the other has the writing."""
    wide, near = _surround(spot)
    around = levels[wide & ~near]
    shade = float(np.median(levels[spot]))
    return bool(len(around) and (np.abs(around - shade) <= GROUND_LEVELS).mean() > GROUND_SHARE)


def _surround(spot: Mask) -> tuple[Mask, Mask]:
    """The spot made wider and a little less wide; between them is what lies around it."""
    near, wide = (
        cv2.dilate(spot.astype(np.uint8), np.ones((it, it), np.uint8)) > 0 for it in (17, 27)
    )
    return wide, near


def _is_one_shade(levels: Floats, spot: Mask) -> bool:
    """Whether the spot has one shade, which what is around it has not."""
    inside = np.clip(levels[spot], 0, 255).astype(np.int64)
    sums = np.convolve(np.bincount(inside, minlength=256), np.ones(2 * EVEN_LEVELS + 1), "same")
    share, shade = float(sums.max()) / max(len(inside), 1), int(sums.argmax())
    is_clipped = not 255 - CLIPPED_LEVEL < shade < CLIPPED_LEVEL
    if share < (CLIPPED_SHARE if is_clipped else EVEN_SHARE):
        return False
    wide, near = _surround(spot)
    is_alike = np.abs(levels - shade) <= EVEN_LEVELS
    around = float(is_alike[wide & ~near].mean()) if (wide & ~near).any() else 0.0
    return around < share / 2 and float(is_alike[~spot].mean()) < MOST_ELSEWHERE
