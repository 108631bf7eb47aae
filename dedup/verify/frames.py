"""How the frames of pictures lie to one another: shapes, overlap, cells of a collage."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dedup.signature.maps import IDENTITY, Map
from dedup.signature.view_hashes import LUMA_SIDE_PX, hash_spectra, transform_matrix
from dedup.signature.views import Codes, Kind, kind_table

from .pictures import Floats, pixel_centres

MOST_COVERED_BY_CELL = 0.6
"""More than what a border of 10 % or meme bars leave of a picture is no cell of a collage."""

MOST_COVERED_BY_MIDDLE_CELL = 0.45
"""In the middle of a plain border stands one picture; of three side by side the middle one has a
third. A border of a tenth of the longer side leaves 0.52 of a picture of 3 : 1."""

OFF_THE_MIDDLE = 0.04
WHOLE_FREQUENCIES = 16
UPRIGHT_SHIFT = 0.05


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
    """Maps that change nothing."""
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


def measure_bend(maps: Map, bent: Map, aspects: Floats) -> Floats:
    """How far from square a square becomes where the one maps lead elsewhere than the others."""
    change = np.linalg.inv(maps[:, :, :2]) @ bent[:, :, :2]
    change[:, 0, 1] *= aspects
    change[:, 1, 0] /= aspects
    half_power = (change**2).sum(axis=(1, 2)) / 2
    area = np.abs(np.linalg.det(change))
    larger = half_power + np.sqrt(np.maximum(half_power**2 - area**2, 0))
    bends: Floats = larger / np.maximum(area, np.float32(1e-6))
    return bends


def distance_from_turn(whole: Map) -> float:
    """How far the map of one frame to another is from none or one of the eight turns."""
    sizes = np.abs(whole[:, :2])
    if np.trace(sizes) < np.trace(sizes[:, ::-1]):
        sizes = sizes[:, ::-1]
    middle = whole @ np.array([0.5, 0.5, 1])
    return float(max(np.abs(sizes - np.eye(2)).max(), np.abs(middle - 0.5).max()))


def are_cells(
    probe_codes: Codes, view_codes: Codes, covered_of_larger: Floats, to_second: Map
) -> NDArray[np.bool_]:
    """Whether the one image is a cell of the other, or one of two pictures side by side.

    A row for each guess: the codes of its views, how much of the larger image lies within the
    other, and the map between the two.
    """
    is_trimmed = kind_table(Kind.TRIMMED, Kind.TURNED_TRIMMED)
    are_cut = kind_table(Kind.CELL)[probe_codes]
    are_trimmed = is_trimmed[probe_codes] | is_trimmed[view_codes]
    middles = to_second @ np.array([0.5, 0.5, 1])
    are_in_the_middle = np.abs(middles - 0.5).max(axis=1) <= OFF_THE_MIDDLE
    most = np.where(are_in_the_middle & ~are_cut, MOST_COVERED_BY_MIDDLE_CELL, MOST_COVERED_BY_CELL)
    found: NDArray[np.bool_] = (are_cut | are_trimmed) & (covered_of_larger < most)
    return found


def count_whole_bits(firsts: Floats, seconds: Floats, to_second: Map) -> list[int | None]:
    """In how many of 256 bits the fine hashes of wholes differ; None where they lie not upright.

    Noise decides the higher bits of a picture without details; a copy has the same.
    """
    matrix = transform_matrix(LUMA_SIDE_PX, WHOLE_FREQUENCIES)
    one, two = (hash_spectra(matrix @ wholes @ matrix.T) for wholes in (firsts, seconds))
    bits = np.bitwise_count(one ^ two).sum(axis=1).tolist()
    are_upright = np.abs(to_second - IDENTITY).max(axis=(1, 2)) < UPRIGHT_SHIFT
    return [count if upright else None for count, upright in zip(bits, are_upright, strict=True)]
