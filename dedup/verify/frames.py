"""How the frames of pictures lie to one another: their shapes, what they have in common."""

from __future__ import annotations

import numpy as np

from dedup.signature.maps import IDENTITY, Map

from .pixels import Floats, pixel_centres


def true_shapes(maps: Map, aspects: Floats) -> Floats:
    """The true width : height of what views show of images of these shapes."""
    widths = np.hypot(maps[:, 0, 0] * aspects, maps[:, 1, 0])
    shapes: Floats = widths / np.hypot(maps[:, 0, 1] * aspects, maps[:, 1, 1])
    return shapes


def keep_shape(ratios: Floats) -> Map:
    """Maps between pictures whose shapes differ by these ratios, that keep what they show."""
    maps = identities(len(ratios))
    maps[:, 0, 0], maps[:, 1, 1] = np.sqrt(ratios), 1 / np.sqrt(ratios)
    maps[:, :, 2] = (1 - maps[:, [0, 1], [0, 1]]) / 2
    return maps


def identities(count: int) -> Map:
    """So many maps that change nothing."""
    return np.repeat(IDENTITY[None], count, axis=0)


def coverage(maps: Map) -> Floats:
    """The share of each template that lies within the other picture."""
    places = maps @ pixel_centres(32)
    shares: Floats = ((places >= 0) & (places <= 1)).all(axis=1).mean(axis=1, dtype=np.float32)
    return shares


def measure_area(maps: Map) -> Floats:
    """The share of its image that each map shows."""
    areas: Floats = np.abs(np.linalg.det(maps[:, :, :2]))
    return areas


def measure_tilt(maps: Map) -> Floats:
    """How far each map is from keeping lines across and down, which may change places."""
    tilts: Floats = np.abs(maps[:, :, :2]).min(axis=2).max(axis=1)
    return tilts


def distance_from_turn(whole: Map) -> float:
    """How far the map of one frame to another is from none or one of the eight turns."""
    sizes = np.abs(whole[:, :2])
    if np.trace(sizes) < np.trace(sizes[:, ::-1]):
        sizes = sizes[:, ::-1]
    middle = whole @ np.array([0.5, 0.5, 1])
    return float(max(np.abs(sizes - np.eye(2)).max(), np.abs(middle - 0.5).max()))
