"""Plain borders and bars around a picture: only a proposal, which verification judges."""

from __future__ import annotations

import numpy as np

from dedup.constants import BAR_END_SHARE, BAR_SHADE_LEVELS, LEAST_TRIMMED_SIDE

from .picture import Levels

Rectangle = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels of the squeezed picture."""


def find_trimmed(levels: Levels) -> list[Rectangle]:
    """The picture without its plain border or bars, with writing or not; nothing if it has none."""
    height, width = levels.shape
    top = _count_plain(levels)
    bottom = height - _count_plain(levels[::-1])
    shown = levels[top:bottom].T
    left = _count_plain(shown)
    right = width - _count_plain(shown[::-1])
    is_cut = (left, top, right, bottom) != (0, 0, width, height)
    is_left = (
        right - left >= LEAST_TRIMMED_SIDE * width and bottom - top >= LEAST_TRIMMED_SIDE * height
    )
    return [(left, top, right, bottom)] if is_cut and is_left else []


def _count_plain(levels: Levels) -> int:
    """How many rows are a bar: words may be in it, and it ends with a row of nearly all its shade.

    The bar's shade is the first row's. In most rows of a bar most pixels have it.
    """
    if not levels.size:
        return 0
    have_shade = np.abs(levels.astype(np.int16) - np.median(levels[0])) <= BAR_SHADE_LEVELS
    are_plain = np.median(have_shade, axis=1) > 0
    are_most = np.cumsum(are_plain) >= np.cumsum(~are_plain)
    ends = np.flatnonzero((have_shade.mean(axis=1) >= BAR_END_SHARE) & are_most)
    return int(ends[-1]) + 1 if len(ends) else 0
