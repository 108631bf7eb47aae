"""Laying one small picture over another, many pairs at once.

Lucas and Kanade's alignment in its inverse compositional form (Baker and Matthews 2004). What does
not fit is given little weight, and local mean and contrast are made equal everywhere before, so
that tones and shades count nothing.
"""

from __future__ import annotations

import numpy as np

from dedup.signature.maps import Map

from .contrast import normalise_pictures
from .correlation import correlate_pictures
from .freedoms import Freedoms
from .kernels import align_pictures, see_pictures
from .pixels import Floats, as_floats

CONTRAST_FLOOR_LEVELS = 6.0
MISFIT_SCALE = 0.7
DAMPING = 1e-3
MAX_STEP = 0.08


def normalise(pictures: Floats, radius_px: int) -> Floats:
    """The pictures, each pixel less its surroundings' mean, over their contrast."""
    normal = np.empty(pictures.shape, np.float32)
    normalise_pictures(as_floats(pictures), radius_px, CONTRAST_FLOOR_LEVELS, normal)
    return normal


def align(
    template: Floats, other: Floats, maps: Map, aspects: Floats, freedoms: Freedoms, steps: int
) -> Map:
    """The maps from template to other, refined so that the pictures agree where they overlap.

    `aspects` are the templates' true ones, width : height.
    """
    refined = maps.astype(np.float32)
    align_pictures(
        as_floats(template),
        as_floats(other),
        refined,
        freedoms.basis(as_floats(aspects)),
        steps,
        MISFIT_SCALE,
        DAMPING,
        MAX_STEP,
    )
    return refined


def correlate(template: Floats, other: Floats, maps: Map) -> Floats:
    """How well the pictures agree where they overlap: -1 to 1."""
    flat = as_floats(template).reshape(len(template), template.shape[1] * template.shape[2])
    values, is_inside = np.empty_like(flat), np.empty_like(flat)
    see_pictures(as_floats(other), as_floats(maps), values, is_inside)
    found = np.empty(len(flat), np.float32)
    correlate_pictures(flat, values, is_inside, found)
    return found
