"""Plain borders and bars around a picture: only a proposal, which verification judges."""

from __future__ import annotations

import numpy as np

from .picture import NOISE_LEVELS, Levels

Rectangle = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels of the squeezed picture."""

BAR_SHARE, MARGIN_SHARE = 0.35, 0.05
"""Words leave so much of a bar plain, and so much at both of its ends."""
LEAST_SIDE = 0.45
"""Of each side: a border of a quarter of the longer side leaves half, a crop to half the sides is a
copy, and one of nine photographs on a sheet has a third."""


def find_trimmed(levels: Levels) -> list[Rectangle]:
    """The picture without its plain border or bars, with writing or not; nothing if it has none."""
    height, width = levels.shape
    top, bottom = _count_plain(levels), height - _count_plain(levels[::-1])
    shown = levels[top:bottom].T
    left, right = _count_plain(shown), width - _count_plain(shown[::-1])
    is_cut = (left, top, right, bottom) != (0, 0, width, height)
    is_left = right - left >= LEAST_SIDE * width and bottom - top >= LEAST_SIDE * height
    return [(left, top, right, bottom)] if is_cut and is_left else []


def _count_plain(levels: Levels) -> int:
    """How many rows from the first on have its shade at both margins and over so large a share.

    Words may run from side to side: what follows them still belongs to the bar up to the last row
    of nothing but its shade, while half of the rows are plain.
    """
    if not levels.size:
        return 0
    width = levels.shape[1]
    margin = max(round(width * MARGIN_SHARE), 1)
    are_alike = np.abs(levels.astype(np.int16) - np.median(levels[0])) <= NOISE_LEVELS
    are_plain = are_alike[:, :margin].all(axis=1) & are_alike[:, -margin:].all(axis=1)
    are_plain &= are_alike.mean(axis=1) >= BAR_SHARE
    if are_plain.all():
        return len(levels)
    are_most = 2 * np.cumsum(are_plain) >= np.arange(1, len(levels) + 1)
    ends = np.flatnonzero(are_alike.all(axis=1) & are_most) + 1
    bar = int(np.argmin(are_plain))
    return max(bar, int(ends[-1])) if len(ends) else bar
