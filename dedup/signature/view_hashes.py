"""The 64-bit hashes of an image's views, all from one small picture of its brightness.

Each is imagehash's phash of what the view shows: the 8 by 8 lowest frequencies of a cosine
transform, each against their median. Cropping, resizing and transforming are linear, so one pair of
matrix products gives every window at once, and a turned picture's frequencies are the upright
one's with other signs, transposed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .kernels import sample, transform_interval
from .maps import rotation_map
from .views import CLIP_LEVELS, MAX_TRIMMED, VIEWS, WHOLE_CODE, Kind, View, codes_of

Luma = NDArray[np.uint8]
Floats = NDArray[np.floating[Any]]
Packed = NDArray[np.uint8]
Box = tuple[float, float, float, float]

LUMA_SIDE_PX = 64
SAMPLES = 32
FREQUENCIES = 8
MIN_CONTRAST_LEVELS = 0.7
"""A flat picture with noise of 12 levels has 0.4; a wall of bricks 2.2, and half as bright 1.1."""
MIN_CLIPPED_SHARE = 0.03
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
    spectra = _transform_views(luma.astype(np.float32), boxes, aspect)
    codes, order = _order_views(tuple(boxes))
    spectra = spectra.reshape(len(order), FREQUENCIES**2)[order]
    has_contrast = _contrast(spectra) >= MIN_CONTRAST_LEVELS
    if not has_contrast.all():
        codes, spectra = codes[has_contrast], spectra[has_contrast]
    return ViewHashes(codes, hash_spectra(spectra).view(">u8")[:, 0].astype(np.uint64))


def hash_spectra(spectra: Floats) -> Packed:
    """The bits of each spectrum, eight to a byte: which frequencies exceed their median.

    Bit for bit imagehash's phash where a spectrum holds its lowest frequencies.
    """
    flat = spectra.reshape(len(spectra), math.prod(spectra.shape[1:]))
    ordered, half = np.sort(flat, axis=1), flat.shape[1] // 2
    middle = (ordered[:, half - 1] + ordered[:, half]) / np.float32(2)
    return np.packbits(flat > middle[:, None], axis=1)


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


def _transform_views(levels: Floats, boxes: Mapping[int, Box], aspect: float) -> Floats:
    """The lowest frequencies of all views, in the order of `_order_views`."""
    whole = _whole_matrix() @ levels @ _whole_matrix().T
    spectra = [whole[None], _turn_spectrum(whole)]
    spectra += [_transform_cuts(levels), _transform_tilts(levels, aspect)]
    spectra.append(_transform_clipped(levels))
    for number, box in boxes.items():
        spectrum = _box_matrix(*box[1::2]) @ levels @ _box_matrix(*box[0::2]).T
        spectra.append(spectrum[None])
        if number < MAX_TRIMMED:
            spectra.append(_turn_spectrum(spectrum))
    return np.concatenate(spectra)


@lru_cache(maxsize=1024)
def _order_views(box_numbers: tuple[int, ...]) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    """The codes of the views of a picture with these boxes, ascending, and their places."""
    codes = [WHOLE_CODE, *codes_of(Kind.TURNED), *codes_of(Kind.WINDOW, Kind.PART)]
    codes += codes_of(Kind.TILTED, Kind.CLIPPED)
    for number in box_numbers:
        views = [view for view in VIEWS.values() if view.box_number == number]
        views.sort(key=lambda view: view.kind is Kind.TURNED_TRIMMED)
        codes += [view.code for view in views]
    order = np.argsort(np.array(codes))
    return np.array(codes, np.uint8)[order], order


def _transform_cuts(levels: Floats) -> Floats:
    """The windows and parts, all from products with the distinct intervals down."""
    plan = _plan_cuts()
    rows = (plan.matrix @ levels).reshape(-1, FREQUENCIES, LUMA_SIDE_PX)
    return rows[plan.downs] @ plan.acrosses


@dataclass(frozen=True)
class _CutPlan:
    """The matrices of all intervals, one below the other.

    For each view which of them lies down in it, and, transposed, the matrix of the one across.
    """

    matrix: Floats
    downs: NDArray[np.intp]
    acrosses: Floats


@cache
def _plan_cuts() -> _CutPlan:
    boxes = [VIEWS[code].cut.box for code in codes_of(Kind.WINDOW, Kind.PART)]
    intervals = sorted({box[axis::2] for box in boxes for axis in (0, 1)})
    numbers = {interval: number for number, interval in enumerate(intervals)}
    matrices = [_interval_matrix(*interval) for interval in intervals]
    return _CutPlan(
        np.concatenate(matrices),
        np.array([numbers[box[1::2]] for box in boxes]),
        np.stack([matrices[numbers[box[0::2]]].T for box in boxes]),
    )


@lru_cache(maxsize=4096)
def _interval_matrix(start: float, end: float) -> Floats:
    return transform_matrix(SAMPLES, FREQUENCIES) @ resampling_matrix(start, end)


@lru_cache(maxsize=8192)
def _box_matrix(start: float, end: float) -> Floats:
    """As of an interval; pixels that a border may have a part in take their neighbour's place."""
    first = math.ceil((start + 1 / 128) * LUMA_SIDE_PX) if start > 0 else 0
    last = math.floor((end - 1 / 128) * LUMA_SIDE_PX) - 1 if end < 1 else LUMA_SIDE_PX - 1
    transform = transform_matrix(SAMPLES, FREQUENCIES)
    return transform_interval(transform, start * LUMA_SIDE_PX, end * LUMA_SIDE_PX, first, last)


@cache
def _whole_matrix() -> Floats:
    return transform_matrix(LUMA_SIDE_PX, FREQUENCIES)


def _turn_spectrum(spectrum: Floats) -> Floats:
    """The frequencies of the turned pictures; mirrored, those of odd order change their sign."""
    upright_and_transposed = np.stack([spectrum, spectrum.T])
    turned: Floats = upright_and_transposed[_turns().is_transposed] * _turns().signs
    return turned


class _Turns(NamedTuple):
    is_transposed: NDArray[np.intp]
    signs: Floats


@cache
def _turns() -> _Turns:
    turns = [VIEWS[code].turn for code in codes_of(Kind.TURNED)]
    odd = (1 - 2 * (np.arange(FREQUENCIES) % 2)).astype(np.float32)
    even = np.ones(FREQUENCIES, np.float32)
    signs = [
        np.outer(odd if it.is_mirrored_in_y else even, odd if it.is_mirrored_in_x else even)
        for it in turns
    ]
    return _Turns(np.array([int(it.is_transposed) for it in turns]), np.stack(signs))


def _transform_tilts(levels: Floats, aspect: float) -> Floats:
    """The tilted windows, sampled between the pixels."""
    slimness = min(max(np.log2(aspect), -MAX_SLIMNESS), MAX_SLIMNESS)
    plan = _plan_tilts(round(slimness * ASPECT_STEPS))
    samples = sample(levels.ravel(), plan.places, plan.shares).reshape(-1, SAMPLES, SAMPLES)
    matrix = transform_matrix(SAMPLES, FREQUENCIES)
    spectra: Floats = matrix @ samples @ matrix.T
    return spectra


def _transform_clipped(levels: Floats) -> Floats:
    """What copies that are too bright show; nothing where hardly anything would be white."""
    spectra = np.zeros((len(CLIP_LEVELS), FREQUENCIES, FREQUENCIES), np.float32)
    for number, level in enumerate(CLIP_LEVELS):
        if (levels > level).mean() >= MIN_CLIPPED_SHARE:
            clipped = np.minimum(levels, np.float32(level))
            spectra[number] = _whole_matrix() @ clipped @ _whole_matrix().T
    return spectra


@dataclass(frozen=True)
class _TiltPlan:
    places: NDArray[np.int32]
    shares: NDArray[np.float32]


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
    x, y = np.floor(found).astype(np.int32)
    shares = (found - np.floor(found)).astype(np.float32)
    return _TiltPlan(y * np.int32(LUMA_SIDE_PX) + x, shares)


def _tilt_map(view: View, aspect: float) -> Floats:
    assert view.tilt is not None
    return rotation_map(*view.tilt, aspect)


def _contrast(spectra: Floats) -> NDArray[np.float32]:
    """How far the view's brightness strays from its mean, in levels, as its frequencies tell."""
    waves = spectra[:, 1:]
    power = np.einsum("vf,vf->v", waves, waves)
    levels: NDArray[np.float32] = 2 * np.sqrt(power)
    return levels
