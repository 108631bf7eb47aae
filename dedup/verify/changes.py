"""Where two pictures that were laid over one another differ, and what made the difference.

A place differs where its details do not correlate. There a curve of tones says which pixels differ.
They were drawn over where they are strokes, narrow for the place's shape, or have one shade that is
not around them, as writing and stickers do. Else the place changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from dedup.constants import (
    COARSE_PX,
    FINE_PX,
    HIGHEST_WRITING,
    LEAST_COMMON_DETAIL,
    LEAST_CORNER,
    LEAST_SPOT,
    LINE_TIMES,
    NARROW_PX,
    NOISE_LEVELS,
    PEN_PX,
    PLACE_AGREES,
    PLAIN_SHARE,
    REWORDED_SHARE,
    SAME_SHADE_LEVELS,
    SHARE_AROUND,
    SOFTENING_STEPS,
    SOFTEST_PX,
    WIDE_SHARE,
    WINDOW_PX,
)

SCALES_PX = FINE_PX, COARSE_PX
MOST_DRAWN_BOXES = 20
REDUCED_TIMES = 2

Floats = NDArray[np.float32]
_TINY = np.finfo(np.float32).eps  # so that nothing is divided by zero
Mask = NDArray[np.bool_]
Signs = NDArray[np.int8]
Points = NDArray[np.floating]
"""x and y from 0 to 1 within the frame, a row for each feature."""


@dataclass(frozen=True)
class Changes:
    """Shares of the overlap that differ: changed, and drawn over in the first and in the second.

    `similarity` is the median correlation of places with details, `details` counts those of them
    that have edges in more than one direction. `drawn_boxes` surround what was drawn over, the
    largest first, each by left, top, right and bottom from 0 to 1 within the frame.
    """

    similarity: float = 0.0
    details: int = 0
    changed: float = 0.0
    drawn: tuple[float, float] = 0.0, 0.0
    drawn_boxes: tuple[tuple[float, ...], ...] = ()


def find_changes(first: Floats, second: Floats, mask: Mask, points: Points) -> Changes:
    """The differences of two pictures in one frame, where the mask is true.

    `points` are the features of both. Where neither has one nothing is told: light, colour and
    noise alone make such places differ.
    """
    correlation, contrasts = _correlate(*_see_details(first, second, mask), mask)
    is_detailed = mask & (np.maximum(*contrasts) > NOISE_LEVELS)
    if not is_detailed.any():
        return Changes()
    spots = _find_spots(is_detailed & (correlation < PLACE_AGREES), mask, points)
    drawn, changed = _explain(first, second, mask, spots)
    is_usual = is_detailed & (~_join(mask, spots) | changed)
    if not is_usual.any():
        is_usual = is_detailed
    edges = cv2.cornerHarris(_blur(first, FINE_PX), WINDOW_PX, 3, k=0.05)  # scikit-image's k
    corners = mask & (edges > LEAST_CORNER)
    shares = [float(differing.sum() / mask.sum()) for differing in (changed, *drawn)]
    return Changes(
        similarity=float(np.median(correlation[is_usual])),
        details=int(corners[NARROW_PX::WINDOW_PX, NARROW_PX::WINDOW_PX].sum()),
        changed=shares[0],
        drawn=(shares[1], shares[2]),
        drawn_boxes=_surround(drawn[0] | drawn[1]),
    )


def _surround(area: Mask) -> tuple[tuple[float, ...], ...]:
    """A box around each connected piece, the largest first, as many as a page can show."""
    if not area.any():
        return ()
    _, _, pieces, _ = cv2.connectedComponentsWithStats(area.astype(np.uint8))
    largest = sorted(pieces[1:].tolist(), key=lambda piece: -piece[cv2.CC_STAT_AREA])
    height, width = area.shape
    return tuple(
        (left / width, top / height, (left + wide) / width, (top + high) / height)
        for left, top, wide, high, _area in largest[:MOST_DRAWN_BOXES]
    )


@dataclass(frozen=True)
class _Look:
    """The details of a picture, and the power of what is finer, as a share of theirs."""

    details: Floats
    sharpness: float


def _see_details(first: Floats, second: Floats, mask: Mask) -> tuple[Floats, Floats]:
    """The details of both pictures, once the sharper one is as soft as the other."""
    shown = [np.maximum(_blur(mask.astype(np.float32), scale_px), _TINY) for scale_px in SCALES_PX]
    looks = [_look_at(levels, mask, shown) for levels in (first, second)]
    least = min(look.sharpness for look in looks)
    softened = (
        _soften(levels, look, least, mask, shown)
        for levels, look in zip((first, second), looks, strict=True)
    )
    first_look, second_look = softened
    return first_look.details, second_look.details


def _look_at(levels: Floats, mask: Mask, shown: list[Floats]) -> _Look:
    """The look of the picture without its light and noise; what is masked is not looked at.

    `shown` are the shares of each pixel's surroundings that the mask shows, at both scales.
    """
    visible = levels * mask
    smooth, light = (
        _blur(visible, px) / weight for px, weight in zip(SCALES_PX, shown, strict=True)
    )
    finer = (levels - smooth) * mask
    details = (smooth - light) * mask
    power = float(np.vdot(details, details))
    return _Look(details, float(np.vdot(finer, finer)) / max(power, 1.0))


def _soften(levels: Floats, look: _Look, least: float, mask: Mask, shown: list[Floats]) -> _Look:
    """The look of the picture, softened in small steps until it is no sharper than this."""
    for sigma_px in np.linspace(0, SOFTEST_PX, SOFTENING_STEPS)[1:]:
        if look.sharpness <= least:
            break
        look = _look_at(_blur(levels, sigma_px), mask, shown)
    return look


def _correlate(first: Floats, second: Floats, mask: Mask) -> tuple[Floats, tuple[Floats, Floats]]:
    """The correlation of details around each pixel, and the contrasts of both pictures there.

    The contrast of the second is scaled to that of the first.
    """
    counts = np.maximum(_sum_around(mask.astype(np.float32)), _TINY)
    first_power, second_power, both = (
        _sum_around(product) / counts
        for product in (first * first, second * second, first * second)
    )
    has_both = mask & (both > LEAST_COMMON_DETAIL)
    gain = (
        np.sqrt(np.median(first_power[has_both] / second_power[has_both]))
        if has_both.any()
        else 1.0
    )
    first_power, second_power = np.maximum(first_power, 0), np.maximum(second_power, 0) * gain**2
    correlation = both * gain / np.sqrt(first_power * second_power + NOISE_LEVELS**2)
    return correlation, (np.sqrt(first_power), np.sqrt(second_power))


def _find_spots(differs: Mask, mask: Mask, points: Points) -> list[Mask]:
    """Each place of some size where the pictures differ and one has a feature."""
    spots = differs.astype(np.uint8)
    for how, size in ((cv2.MORPH_OPEN, NARROW_PX), (cv2.MORPH_CLOSE, WINDOW_PX)):
        if not spots.any():
            return []
        spots = cv2.morphologyEx(spots, how, np.ones((size, size), np.uint8)).astype(np.uint8)
    _, numbers, sizes, _ = cv2.connectedComponentsWithStats(spots)
    inside = points[((points >= 0) & (points < 1)).all(axis=1)]
    columns, rows = (inside * mask.shape[::-1]).astype(np.int64).T
    near = cv2.dilate(numbers.astype(np.uint16), np.ones((NARROW_PX, NARROW_PX), np.uint8))
    marked = np.unique(near[rows, columns]).tolist()
    least_px = LEAST_SPOT * mask.sum()
    return [
        (numbers == number) & mask
        for number in marked
        if number and sizes[number, cv2.CC_STAT_AREA] >= least_px
    ]


def _explain(
    first: Floats, second: Floats, mask: Mask, spots: list[Mask]
) -> tuple[tuple[Mask, Mask], Mask]:
    """Which of the spots were drawn over in the first and in the second, and which changed."""
    nothing = np.zeros_like(mask)
    if not spots:
        return (nothing, nothing), nothing
    sorted_spots = _sort_spots(first, second, mask, spots)
    drawn = sorted_spots.drawn
    others = sorted_spots.others
    # A flat subject, once here and once there.
    moved = drawn[0] + drawn[1] if _have_one_shade(*sorted_spots.shades) else []
    changed = _join(mask, [spot for spot, _ in others])
    if others and not sorted_spots.is_reworded and _is_writing([signs for _, signs in others]):
        contrasts = [
            (levels - _blur(levels, COARSE_PX))[changed].std() for levels in (first, second)
        ]
        drawn[int(contrasts[1] > contrasts[0])].append(changed)
        changed = nothing
    return (_join(mask, drawn[0]), _join(mask, drawn[1])), changed | _join(mask, moved)


@dataclass
class _SortedSpots:
    """Spots drawn over in one shade, in the first or the second, with these shades, and others.

    `is_reworded` says that one of the others is a page of other words in both pictures.
    """

    drawn: tuple[list[Mask], list[Mask]] = field(default_factory=lambda: ([], []))
    shades: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    others: list[tuple[Mask, Signs]] = field(default_factory=list)
    is_reworded: bool = False


def _sort_spots(first: Floats, second: Floats, mask: Mask, spots: list[Mask]) -> _SortedSpots:
    result = _SortedSpots()
    differences = _find_differences(first, second, mask, _join(mask, spots))
    for spot in spots:
        near = _widen(spot, WINDOW_PX)
        signs = min((difference * near for difference in differences), key=np.count_nonzero)
        paint = [_find_paint(levels, signs != 0) for levels in (first, second)]
        side = 0 if paint[0] is not None else 1
        shade = paint[side]
        if shade is not None:
            result.drawn[side].append(spot)
            result.shades[side].append(shade)
        elif signs.any():
            result.others.append((spot, signs))
            are_pages = (_is_page(levels, near, signs != 0) for levels in (first, second))
            result.is_reworded |= all(are_pages)
    return result


def _have_one_shade(shades: list[int], others: list[int]) -> bool:
    """Whether any two shades of the first and the second picture are the same but for noise."""
    return any(abs(shade - other) <= SAME_SHADE_LEVELS for shade in shades for other in others)


def _find_differences(first: Floats, second: Floats, mask: Mask, spots: Mask) -> list[Signs]:
    """Where the second is lighter (1) or darker (-1) than the first's tone says, and the reverse.

    The curve of tones is that of what lies outside of the spots, and follows the light around them.
    """
    usual = mask & ~spots if (mask & ~spots).any() else mask
    light = np.maximum(_blur(usual.astype(np.float32), WINDOW_PX), _TINY)
    differences = []
    for source, target in ((first, second), (second, first)):
        points = 256 // (2 * NOISE_LEVELS + 1)  # of the curve, each of as many pixels
        pairs = np.stack([source[usual], target[usual]])
        parts = np.array_split(pairs[:, _sort_levels(pairs[0])], points, axis=1)
        tones = [np.median(part, axis=1) for part in parts if part.size]
        left = (target - np.interp(source, *np.transpose(tones))).astype(np.float32)
        left -= _blur(left * usual, WINDOW_PX) / light
        differences.append(
            (np.sign(left) * (np.abs(left) > SAME_SHADE_LEVELS) * mask).astype(np.int8)
        )
    return differences


def _sort_levels(levels: Floats) -> NDArray[np.uint64]:
    """The places of these levels from dark to light, equal ones in their order.

    Levels are positive, so that their bits sort as they do; with its place in the lower half each
    is another number, and numbers are sorted several times as fast as places by their levels.
    """
    half = np.uint64(32)
    keys = levels.view(np.uint32).astype(np.uint64) << half
    keys |= np.arange(len(levels), dtype=np.uint64)
    keys.sort()
    return keys & np.uint64(2**32 - 1)


def _find_paint(levels: Floats, differs: Mask) -> int | None:
    """The one shade that what differs has within its edge, unless it is around it as well."""
    around = _widen(differs, WINDOW_PX) & ~_widen(differs, NARROW_PX)
    inside = cv2.erode(differs.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    if not inside.any() or not around.any():
        return None
    shade, share = _find_shade(levels[inside])
    share_around = float((np.abs(levels - shade)[around] <= SAME_SHADE_LEVELS).mean())
    return shade if share >= PLAIN_SHARE and share_around < SHARE_AROUND * share else None


def _is_page(levels: Floats, near: Mask, differs: Mask) -> bool:
    """Whether a place is plain, but not nearly all of what differs there: it has other words."""
    ground, share = _find_shade(levels[near])
    is_plain = np.abs(levels - ground)[differs] <= SAME_SHADE_LEVELS
    return bool(share >= PLAIN_SHARE and is_plain.mean() < REWORDED_SHARE)


def _find_shade(levels: Floats) -> tuple[int, float]:
    """The most frequent shade of these pixels, and the share that has it but for noise."""
    counts = np.bincount(np.clip(levels, 0, 255).astype(np.int64), minlength=256)
    sums = np.convolve(counts, np.ones(2 * NOISE_LEVELS + 1), "same")
    return int(sums.argmax()), float(sums.max() / len(levels))


def _is_writing(spots: list[Signs]) -> bool:
    """Whether each spot is lower than half of the picture, and all are written with a pen.

    The pen is wider the longer a spot is for its height. A line may have any strokes.
    """
    area = wide = 0
    for spot in spots:
        height, width = (int(np.ptp(np.flatnonzero(spot.any(axis=axis)))) + 1 for axis in (1, 0))
        if height > HIGHEST_WRITING * len(spot):
            return False  # another page
        area += int(np.count_nonzero(spot))
        if width < LINE_TIMES * height:
            pen_px = int(PEN_PX + width / height)
            pen = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (pen_px, pen_px))
            for side in (spot > 0, spot < 0):
                wide += int(cv2.morphologyEx(side.astype(np.uint8), cv2.MORPH_OPEN, pen).sum())
    return wide <= WIDE_SHARE * area


def _widen(area: Mask, size_px: int) -> Mask:
    return np.asarray(cv2.dilate(area.astype(np.uint8), np.ones((size_px, size_px), np.uint8)) > 0)


def _join(mask: Mask, areas: list[Mask]) -> Mask:
    return np.asarray(np.any([np.zeros_like(mask), *areas], axis=0))


def _blur(values: Floats, sigma_px: float) -> Floats:
    """The values through a Gaussian; the coarse one is taken of a smaller picture, for its time."""
    if sigma_px != COARSE_PX:
        return np.asarray(cv2.GaussianBlur(values, (0, 0), sigma_px), np.float32)
    small_wh = values.shape[1] // REDUCED_TIMES, values.shape[0] // REDUCED_TIMES
    small = cv2.resize(values, small_wh, interpolation=cv2.INTER_AREA)
    # making it smaller and larger blurs as well: by a variance of REDUCED_TIMES**2 / 4
    small_px = np.sqrt(sigma_px**2 - REDUCED_TIMES**2 / 4) / REDUCED_TIMES
    small = cv2.GaussianBlur(small, (0, 0), small_px)
    return np.asarray(cv2.resize(small, values.shape[::-1]), np.float32)


def _sum_around(values: Floats) -> Floats:
    return np.asarray(cv2.boxFilter(values, -1, (WINDOW_PX, WINDOW_PX)), np.float32)
