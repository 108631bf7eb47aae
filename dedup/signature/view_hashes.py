"""The 64-bit hashes of an image's views, all from one small picture of its brightness.

Each is imagehash's phash of what the view shows: the 8 by 8 lowest frequencies of a cosine
transform, each against their median. Cropping, resizing and transforming are linear, so one pair of
matrix products gives every window at once, and a turned picture's frequencies are the upright
one's with other signs, transposed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .maps import Turn, rotation_map
from .views import VIEWS, WHOLE_CODE, Kind, View, codes_of

Luma = NDArray[np.uint8]
Floats = NDArray[np.floating[Any]]
Packed = NDArray[np.uint8]
Box = tuple[float, float, float, float]

LUMA_SIDE_PX = 64
SAMPLES = 32
FREQUENCIES = 8
MIN_CONTRAST_LEVELS = 0.7
"""A flat picture with noise of 12 levels has 0.4; a wall of bricks 2.2, and half as bright 1.1."""
ASPECT_STEPS = 20
MAX_SLIMNESS = 2.0


@dataclass(frozen=True)
class ViewHashes:
    """The code and the hash of each view that holds enough to be hashed, codes ascending."""

    codes: NDArray[np.uint8]
    hashes: NDArray[np.uint64]


def hash_views(luma: Luma, boxes: Mapping[int, Box], aspect: float) -> ViewHashes:
    """The hashes of all views of 64 by 64 pixels of brightness of a picture that is aspect : 1.

    `boxes` are those that the picture's layout gives, by number, from 0 to 1. Views without
    contrast have no hash: flat pictures all look alike.
    """
    levels = luma.astype(np.float32)
    codes, spectra = zip(*_transform_views(levels, boxes, aspect), strict=True)
    stacked = np.concatenate(spectra)
    has_contrast = _contrast(stacked) >= MIN_CONTRAST_LEVELS
    hashes = hash_spectra(stacked[has_contrast]).view(">u8")[:, 0].astype(np.uint64)
    kept = np.concatenate(codes)[has_contrast]
    order = np.argsort(kept)
    return ViewHashes(kept[order], hashes[order])


def hash_spectra(spectra: Floats) -> Packed:
    """The bits of each spectrum, eight to a byte: which frequencies exceed their median.

    Bit for bit imagehash's phash where a spectrum holds its lowest frequencies.
    """
    flat = spectra.reshape(len(spectra), spectra.shape[-1] ** 2)
    half = flat.shape[1] // 2
    middle = np.sort(flat, axis=1)[:, half - 1 : half + 1].mean(axis=1, keepdims=True)
    return np.packbits(flat > middle, axis=1)


@cache
def transform_matrix(samples: int, frequencies: int) -> Floats:
    """The lowest frequencies of the cosine transform (DCT-II) of so many samples, as means."""
    angles = np.outer(np.arange(frequencies), 2 * np.arange(samples) + 1) * np.pi / (2 * samples)
    return (np.cos(angles) / samples).astype(np.float32)


def resampling_matrix(start: float, end: float, samples: int = SAMPLES) -> Floats:
    """Averages the pixels from `start` to `end` (0 to 1) of a row of 64 into so many samples."""
    edges = (start + (end - start) * np.arange(samples + 1) / samples) * LUMA_SIDE_PX
    pixels = np.arange(LUMA_SIDE_PX)
    ends = np.minimum(edges[1:, None], pixels + 1)
    covered = np.maximum(ends - np.maximum(edges[:-1, None], pixels), 0)
    weights: Floats = (covered / covered.sum(axis=1, keepdims=True)).astype(np.float32)
    return weights


Spectra = tuple[NDArray[np.uint8], Floats]


def _transform_views(levels: Floats, boxes: Mapping[int, Box], aspect: float) -> Iterator[Spectra]:
    whole = _whole_matrix() @ levels @ _whole_matrix().T
    yield np.array([WHOLE_CODE], np.uint8), whole[None]
    yield _turn_spectra(whole, Kind.TURNED, None)
    yield _transform_cuts(levels)
    yield _transform_tilts(levels, aspect)
    for number, box in boxes.items():
        yield from _transform_box(levels, box, number)


def _transform_cuts(levels: Floats) -> Spectra:
    """The windows and parts, all from products with the distinct intervals across and down."""
    plan = _plan_cuts()
    count = len(plan.matrix) // FREQUENCIES
    product = plan.matrix @ levels @ plan.matrix.T
    blocks = product.reshape(count, FREQUENCIES, count, FREQUENCIES)
    return plan.codes, blocks[plan.downs, :, plan.acrosses, :]


@dataclass(frozen=True)
class _CutPlan:
    codes: NDArray[np.uint8]
    matrix: Floats
    acrosses: NDArray[np.intp]
    downs: NDArray[np.intp]


@cache
def _plan_cuts() -> _CutPlan:
    views = [VIEWS[code] for code in codes_of(Kind.WINDOW, Kind.PART)]
    boxes = [view.cut.box for view in views]
    intervals = sorted({box[axis::2] for box in boxes for axis in (0, 1)})
    numbers = {interval: number for number, interval in enumerate(intervals)}
    return _CutPlan(
        np.array([view.code for view in views], np.uint8),
        np.concatenate([_interval_matrix(*interval) for interval in intervals]),
        np.array([numbers[box[0::2]] for box in boxes]),
        np.array([numbers[box[1::2]] for box in boxes]),
    )


@lru_cache(maxsize=4096)
def _interval_matrix(start: float, end: float) -> Floats:
    return transform_matrix(SAMPLES, FREQUENCIES) @ resampling_matrix(start, end)


@cache
def _whole_matrix() -> Floats:
    return transform_matrix(LUMA_SIDE_PX, FREQUENCIES)


def _transform_box(levels: Floats, box: Box, number: int) -> Iterator[Spectra]:
    views = _views_of_box(number)
    spectrum = _interval_matrix(*box[1::2]) @ levels @ _interval_matrix(*box[0::2]).T
    upright = [view.code for view in views if view.kind is not Kind.TURNED_TRIMMED]
    yield np.array(upright, np.uint8), spectrum[None]
    if len(views) > len(upright):
        yield _turn_spectra(spectrum, Kind.TURNED_TRIMMED, number)


@cache
def _views_of_box(number: int | None) -> tuple[View, ...]:
    return tuple(view for view in VIEWS.values() if view.box_number == number)


def _turn_spectra(spectrum: Floats, kind: Kind, number: int | None) -> Spectra:
    views = [view for view in _views_of_box(number) if view.kind is kind]
    codes = np.array([view.code for view in views], np.uint8)
    return codes, np.stack([_turn_spectrum(spectrum, view.turn) for view in views])


def _turn_spectrum(spectrum: Floats, turn: Turn) -> Floats:
    """The frequencies of the turned picture; mirrored, those of odd order change their sign."""
    turned = spectrum.T if turn.is_transposed else spectrum
    signs = (1 - 2 * (np.arange(FREQUENCIES) % 2)).astype(np.float32)
    if turn.is_mirrored_in_x:
        turned = turned * signs
    if turn.is_mirrored_in_y:
        turned = turned * signs[:, None]
    return turned


def _transform_tilts(levels: Floats, aspect: float) -> Spectra:
    """The tilted windows, sampled between the pixels."""
    slimness = min(max(np.log2(aspect), -MAX_SLIMNESS), MAX_SLIMNESS)
    plan = _plan_tilts(round(slimness * ASPECT_STEPS))
    corners = levels.ravel()[plan.places]
    samples = (corners * plan.weights).sum(axis=0).reshape(-1, SAMPLES, SAMPLES)
    matrix = transform_matrix(SAMPLES, FREQUENCIES)
    return plan.codes, matrix @ samples @ matrix.T


@dataclass(frozen=True)
class _TiltPlan:
    codes: NDArray[np.uint8]
    places: NDArray[np.intp]
    weights: Floats


@lru_cache(maxsize=2 * 2 * ASPECT_STEPS + 1)
def _plan_tilts(aspect_step: int) -> _TiltPlan:
    """Which pixels make the tilted windows' samples; shapes less than 4 % apart share one."""
    views = [VIEWS[code] for code in codes_of(Kind.TILTED)]
    middles = (np.arange(SAMPLES) + 0.5) / SAMPLES
    ones = np.ones((SAMPLES, SAMPLES))
    points = np.stack([ones * middles, (ones * middles).T, ones]).reshape(3, -1)
    maps = [_tilt_map(view, 2 ** (aspect_step / ASPECT_STEPS)) for view in views]
    found = np.concatenate([one @ points for one in maps], axis=1) * LUMA_SIDE_PX - 0.5
    found = np.clip(found, 0, LUMA_SIDE_PX - 1.001)
    (x, y), (along, down) = np.floor(found).astype(np.intp), found - np.floor(found)
    place = y * LUMA_SIDE_PX + x
    places = np.stack([place, place + 1, place + LUMA_SIDE_PX, place + LUMA_SIDE_PX + 1])
    weights = [(1 - along) * (1 - down), along * (1 - down), (1 - along) * down, along * down]
    codes = np.array([view.code for view in views], np.uint8)
    return _TiltPlan(codes, places, np.stack(weights).astype(np.float32))


def _tilt_map(view: View, aspect: float) -> Floats:
    assert view.tilt is not None
    return rotation_map(*view.tilt, aspect)


def _contrast(spectra: Floats) -> NDArray[np.float32]:
    """How far the view's brightness strays from its mean, in levels, as its frequencies tell."""
    power = (spectra.reshape(len(spectra), FREQUENCIES**2)[:, 1:] ** 2).sum(axis=1)
    levels: NDArray[np.float32] = 2 * np.sqrt(power)
    return levels
