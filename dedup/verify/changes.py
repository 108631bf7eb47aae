"""Where two pictures that were laid over one another differ, and what made the difference.

A place differs where its details do not correlate. There a curve of tones says which pixels differ.
They were drawn over where they are strokes, or have one shade that is not around them, as writing
and stickers do. Else the place changed.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from dedup.signature.picture import NOISE_LEVELS

FINE_PX, COARSE_PX = SCALES_PX = 1.5, 8.0
"""Details are coarser than the one and finer than the other, in pixels of 256."""
WINDOW_PX = int(2 * COARSE_PX) - 1
AGREES = 0.5
"""The correlation of details; with 0.45 three of 3,400 copies are found less."""
LEAST_SPOT = 0.002
"""Of the overlap: a subject of a twentieth of the height."""
TONES = 24
"""Points of the curve, each of as many pixels."""
MOST_STROKE_PX = 4.0
"""Half a stroke: captions, dates and watermarks have 3.6, subjects in 180 bursts 5 and more."""
MOST_LINE, LINE_TIMES = 0.2, 4.0
"""Of the height: a line of writing is lower, and so many times as long; a car is twice as long."""
EVEN_SHARE, GROUND_SHARE = 0.55, 0.4
"""Of what differs, and of what lies around it. Stored pictures, which are JPEG files, show 0.55 to
0.65 of a sticker in one shade; with 0.5 four more subjects of 120 bursts pass for stickers. With
half of the ground in that shade 8 of 66 phases of one moon are merged."""
PAPER_SHARE, LEAST_INK = 0.7, 0.14
"""Of a place with words, and of what differs there: places of two screens, letters or forms have
both in both pictures, captions and stickers hardly any; 0.2 merged 9 of 66 forms."""

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Signs = NDArray[np.int8]
Points = NDArray[np.floating]
"""x and y from 0 to 1 within the frame, a row for each feature."""


@dataclass(frozen=True)
class Changes:
    """Shares of the overlap that differ: changed, and drawn over in the first and in the second.

    `similarity` is the median correlation of places with details.
    """

    similarity: float
    changed: float
    drawn: tuple[float, float]


def find_changes(first: Floats, second: Floats, mask: Mask, points: Points) -> Changes:
    """The differences of two pictures in one frame, where the mask is true.

    `points` are the features of both. Where neither has one nothing is told: light, colour and
    noise alone make such places differ.
    """
    weights = [np.maximum(_blur_by(mask.astype(np.float32), it), 0.02) for it in SCALES_PX]
    one, other = (
        _keep_details(_make_as_soft(sharp, soft, mask, weights), mask, weights)
        for sharp, soft in ((first, second), (second, first))
    )
    correlation, contrasts = _correlate(one, other, mask)
    is_detailed = mask & (np.maximum(*contrasts) > NOISE_LEVELS)
    if not is_detailed.any():
        return Changes(0.0, 0.0, (0.0, 0.0))
    spots = _find_spots(is_detailed & (correlation < AGREES), mask, points)
    drawn, changed = _explain(first, second, mask, spots)
    is_explained = _join(mask, spots) & ~changed
    shown = is_detailed & ~is_explained if (is_detailed & ~is_explained).any() else is_detailed
    shares = [float(it.sum() / max(int(mask.sum()), 1)) for it in (changed, *drawn)]
    return Changes(float(np.median(correlation[shown])), shares[0], (shares[1], shares[2]))


def _explain(
    first: Floats, second: Floats, mask: Mask, spots: list[Mask]
) -> tuple[tuple[Mask, Mask], Mask]:
    """Which of the spots were drawn over in the first and in the second, and which changed."""
    nothing = np.zeros_like(mask)
    if not spots:
        return (nothing, nothing), nothing
    drawn: tuple[list[Mask], list[Mask]] = [], []
    left: list[tuple[Mask, Signs]] = []
    differences = _find_differences(first, second, mask, _join(mask, spots))
    for spot in spots:
        near = _widen(spot, WINDOW_PX)
        signs = min((it * near for it in differences), key=np.count_nonzero)
        is_painted = [_is_one_shade(it, signs != 0) for it in (first, second)]
        if any(is_painted):
            drawn[is_painted.index(True)].append(spot)
        elif signs.any():
            left.append((spot, signs))
    moved = drawn[0] + drawn[1] if all(drawn) else []  # a flat subject, once here and once there
    changed = _join(mask, [it for it, _ in left])
    is_reworded = any(_is_reworded((first, second), *it) for it in left)
    if left and not is_reworded and _is_writing([it for _, it in left]):
        drawn[int(second[changed].std() > first[changed].std())].append(changed)
        changed = nothing
    return (_join(mask, drawn[0]), _join(mask, drawn[1])), changed | _join(mask, moved)


def _correlate(one: Floats, other: Floats, mask: Mask) -> tuple[Floats, tuple[Floats, Floats]]:
    """The correlation of details around each pixel, and the contrasts of both pictures there.

    The contrast of the second is scaled to that of the first.
    """
    counts = np.maximum(_blur(mask.astype(np.float32)), 0.05)
    variances = [np.maximum(_blur(it * it), 0) / counts for it in (one, other)]
    both = _blur(one * other) / counts
    has_both = mask & (both > NOISE_LEVELS)
    ratios = variances[0][has_both] / np.maximum(variances[1][has_both], 1)
    gain = float(np.sqrt(np.median(ratios))) if len(ratios) else 1.0
    both, variances[1] = both * gain, variances[1] * gain * gain
    correlation = both / np.sqrt(variances[0] * variances[1] + NOISE_LEVELS**2)
    own, others = (np.sqrt(it).astype(np.float32) for it in variances)
    return np.asarray(correlation, np.float32), (own, others)


def _make_as_soft(sharp: Floats, soft: Floats, mask: Mask, weights: list[Floats]) -> Floats:
    """The picture, softened in small steps until it is no sharper than the other."""
    least = _measure_sharpness(soft, mask, weights)
    softened = sharp
    for step in range(1, 2 * int(COARSE_PX)):
        if _measure_sharpness(softened, mask, weights) <= least:
            break
        softened = _blur_by(sharp, step * FINE_PX / 4)
    return softened


def _measure_sharpness(levels: Floats, mask: Mask, weights: list[Floats]) -> float:
    """How much of the details is finer than those that are compared."""
    fine = (levels - _blur_by(levels, FINE_PX))[mask]
    details = _keep_details(levels, mask, weights)[mask]
    return float((fine**2).sum() / max((details**2).sum(), 1.0))


def _keep_details(levels: Floats, mask: Mask, weights: list[Floats]) -> Floats:
    """The picture without its light and without its noise; what is masked is not looked at.

    The weights are the shares of each pixel's surroundings that the mask shows, at both scales.
    """
    fine, coarse = (
        _blur_by(levels * mask, px) / share for px, share in zip(SCALES_PX, weights, strict=True)
    )
    return np.asarray((fine - coarse) * mask, np.float32)


def _find_spots(differs: Mask, mask: Mask, points: Points) -> list[Mask]:
    """Each place of some size where the pictures differ and one has a feature."""
    spots = differs.astype(np.uint8)
    for how, size in ((cv2.MORPH_OPEN, WINDOW_PX // 2), (cv2.MORPH_CLOSE, WINDOW_PX - 2)):
        spots = cv2.morphologyEx(spots, how, np.ones((size, size), np.uint8)).astype(np.uint8)
    _, numbers, sizes, _ = cv2.connectedComponentsWithStats(spots)
    least = LEAST_SPOT * mask.sum()
    inside = points[((points >= 0) & (points < 1)).all(axis=1)]
    columns, rows = (inside * mask.shape[::-1]).astype(np.int64).T
    near = cv2.dilate(numbers.astype(np.uint16), np.ones((WINDOW_PX // 2,) * 2, np.uint8))
    told = np.unique(near[rows, columns])
    large = [it for it in told.tolist() if it and sizes[it, cv2.CC_STAT_AREA] >= least]
    return [(numbers == it) & mask for it in large]


def _find_differences(first: Floats, second: Floats, mask: Mask, spots: Mask) -> list[Signs]:
    """Where the second is lighter (1) or darker (-1) than the first's tone says, and the reverse.

    The curve of tones is that of what lies outside of the spots, and follows the light around them.
    """
    usual = mask & ~spots if (mask & ~spots).any() else mask
    light = np.maximum(_soften(usual.astype(np.float32)), 0.05)
    found = []
    for one, other in ((first, second), (second, first)):
        parts = np.array_split(np.argsort(one[usual], kind="stable"), TONES)
        tones = [
            (np.median(one[usual][it]), np.median(other[usual][it])) for it in parts if len(it)
        ]
        left = (other - np.interp(one, *np.transpose(tones))).astype(np.float32)
        left -= _soften(left * usual) / light
        least = max(2 * NOISE_LEVELS, 3 * float(np.median(np.abs(left[usual]))))
        found.append((np.sign(left) * (np.abs(left) > least) * mask).astype(np.int8))
    return found


def _is_writing(spots: list[Signs]) -> bool:
    """Whether all that differs is one long line, or low spots of strokes."""
    rows, columns = (np.flatnonzero(np.any(spots, axis=(0, it))) for it in (2, 1))
    height_px, width_px = np.ptp(rows) + 1, np.ptp(columns) + 1
    most_px = MOST_LINE * len(spots[0])
    stroke_px = max(max(_measure_stroke(it > 0), _measure_stroke(it < 0)) for it in spots)
    is_row = height_px <= most_px and 2 * len(columns) >= width_px
    if is_row and width_px >= LINE_TIMES * height_px and stroke_px <= height_px / 3:
        return True
    are_low = max(np.any(it, axis=1).sum() for it in spots) <= most_px
    return bool(are_low) and stroke_px <= MOST_STROKE_PX


def _measure_stroke(area: Mask) -> float:
    """Half the width of its widest part."""
    return float(cv2.distanceTransform(area.astype(np.uint8), cv2.DIST_L2, 5).max())


def _is_one_shade(levels: Floats, differs: Mask) -> bool:
    """Whether what differs has one shade, which what is around it has not."""
    if not differs.any():
        return False
    shade, share = _find_shade(levels[differs])
    around = np.abs(levels - shade)[_ring(differs, 3, 6)] <= 2 * NOISE_LEVELS
    return bool(share >= EVEN_SHARE and around.sum() < GROUND_SHARE * len(around))


def _is_reworded(pictures: tuple[Floats, Floats], spot: Mask, signs: Signs) -> bool:
    """Whether both pictures have ink there on plain ground: a page, of which the words differ."""
    for levels in pictures:
        ground, share = _find_shade(levels[_widen(spot, WINDOW_PX)])
        ink = np.abs(levels[signs != 0] - ground) > 2 * NOISE_LEVELS
        if share < PAPER_SHARE or ink.mean() < LEAST_INK:
            return False
    return True


def _find_shade(levels: Floats) -> tuple[int, float]:
    """The most frequent shade of these pixels, and the share that has it but for noise."""
    counts = np.bincount(np.clip(levels, 0, 255).astype(np.int64), minlength=256)
    sums = np.convolve(counts, np.ones(2 * int(NOISE_LEVELS) + 1), "same")
    return int(sums.argmax()), float(sums.max() / len(levels))


def _ring(area: Mask, inner_px: int, outer_px: int) -> Mask:
    """What is farther from the area than the one and nearer than the other."""
    return _widen(area, 2 * outer_px + 1) & ~_widen(area, 2 * inner_px + 1)


def _widen(area: Mask, size_px: int) -> Mask:
    return np.asarray(cv2.dilate(area.astype(np.uint8), np.ones((size_px, size_px), np.uint8)) > 0)


def _join(mask: Mask, areas: list[Mask]) -> Mask:
    return np.asarray(np.any([np.zeros_like(mask), *areas], axis=0))


def _soften(values: Floats) -> Floats:
    return _blur_by(values, 2 * COARSE_PX)


def _blur_by(values: Floats, sigma_px: float) -> Floats:
    return np.asarray(cv2.GaussianBlur(values, (0, 0), sigma_px), np.float32)


def _blur(values: Floats) -> Floats:
    return np.asarray(cv2.boxFilter(values, -1, (WINDOW_PX, WINDOW_PX)), np.float32)
