"""How alike two photographs are that may be of one scene: coarsely, and with any frame."""

from __future__ import annotations

import numpy as np

from dedup.signature.maps import box_map

from .frames import coverage, identities
from .pictures import COARSE, Floats, Pictures, Rows, cut_out
from .registration import align, correlate, normalise, similarity_changes

MIN_COVERED = 0.5
FRAMES = (
    (0, 0, 1),
    (0.2, 0, 1),
    (-0.2, 0, 1),
    (0, 0.2, 1),
    (0, -0.2, 1),
    (0, 0, 0.75),
    (0, 0, 1.33),
)
"""Shift across, shift down and scale of the frames that are tried: the camera moved or zoomed."""


def scene_similarity(pictures: Pictures, first: Rows, second: Rows) -> Floats:
    """The best correlation of each two pictures over all frames, -1 to 1.

    Unrelated photographs reach 0.2 on the average and 0.43 once in a hundred.
    """
    one, two = (
        normalise(cut_out(pictures, rows, identities(len(rows)), COARSE), COARSE.radius_px)
        for rows in (first, second)
    )
    changes = similarity_changes(pictures.aspects[first])
    best: Floats = np.full(len(first), -1, np.float32)
    for across, down, scale in FRAMES:
        start, end = 0.5 - scale / 2, 0.5 + scale / 2
        frame = box_map(start + across, start + down, end + across, end + down)
        maps = np.repeat(frame[None], len(first), axis=0)
        maps = align(one, two, maps, changes, COARSE.steps)
        found = np.where(coverage(maps) >= MIN_COVERED, correlate(one, two, maps), -1)
        best = np.maximum(best, found)
    return best
