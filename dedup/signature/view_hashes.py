"""The 64-bit hashes of an image's views, all from one small picture of its brightness.

Each is imagehash's phash of what the view shows: the 8 by 8 lowest frequencies of a cosine
transform, each against their median. Cropping, resizing and transforming are linear, so that one
matrix down and one across give a window's frequencies, and a turned picture's are the upright
one's with other signs, transposed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .maps import Turn, rotation_map
from .views import CLIP_LEVELS, MAX_TRIMMED, VIEWS, Kind, codes_of

Luma = NDArray[np.uint8]
Floats = NDArray[np.floating[Any]]
Packed = NDArray[np.uint8]
Boxes = NDArray[np.uint8]
Spectra = tuple[tuple[int, ...], Floats]
"""The codes of some views, and the lowest frequencies of each, down and across last."""

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


def hash_views(luma: Luma, boxes: Boxes, aspect: float) -> ViewHashes:
    """The hashes of all views of a picture of 64 by 64 pixels of brightness, aspect : 1.

    `boxes` are those that the picture's layout gives, in 128ths. Views without contrast have no
    hash: flat pictures all look alike.
    """
    parts = list(_transform_views(luma.astype(np.float32), boxes, aspect))
    codes = np.array([code for some, _ in parts for code in some], np.uint8)
    spectra = np.concatenate([values for _, values in parts]).reshape(-1, FREQUENCIES**2)
    kept = np.flatnonzero(_contrast(spectra) >= MIN_CONTRAST_LEVELS)
    kept = kept[np.argsort(codes[kept])]
    hashes = hash_spectra(spectra[kept]).view(">u8").ravel().astype(np.uint64)
    return ViewHashes(codes[kept], hashes)


def hash_spectra(spectra: Floats) -> Packed:
    """The bits of each spectrum, eight to a byte: which frequencies exceed their median.

    Bit for bit imagehash's phash where a spectrum holds its lowest frequencies.
    """
    flat = spectra.reshape(len(spectra), math.prod(spectra.shape[1:]))
    return np.packbits(flat > np.median(flat, axis=1)[:, None], axis=1)


@cache
def transform_matrix(samples: int, frequencies: int) -> Floats:
    """The lowest frequencies of the cosine transform (DCT-II) of the samples, as means."""
    angles = np.outer(np.arange(frequencies), 2 * np.arange(samples) + 1) * np.pi / (2 * samples)
    return (np.cos(angles) / samples).astype(np.float32)


def _transform_views(levels: Floats, boxes: Boxes, aspect: float) -> Iterator[Spectra]:
    whole = _transform(levels, _whole_matrix(), _whole_matrix())
    yield codes_of(Kind.WHOLE), whole[None]
    yield codes_of(Kind.TURNED), _turn(whole, codes_of(Kind.TURNED))
    codes = codes_of(Kind.WINDOW, Kind.PART)
    yield codes, _transform(levels, *_cut_matrices())
    yield codes_of(Kind.TILTED), _transform_tilts(levels, aspect)
    for code, level in zip(codes_of(Kind.CLIPPED), CLIP_LEVELS, strict=True):
        if np.count_nonzero(levels > level) >= MIN_CLIPPED_SHARE * LUMA_SIDE_PX**2:
            clipped = np.minimum(levels, np.float32(level))
            yield (code,), _transform(clipped, _whole_matrix(), _whole_matrix())[None]
    for number in np.flatnonzero(boxes.any(axis=1)).tolist():
        left, top, right, bottom = (edge / (2 * LUMA_SIDE_PX) for edge in boxes[number].tolist())
        spectrum = _transform(levels, _box_matrix(top, bottom), _box_matrix(left, right))
        yield (codes_of(Kind.TRIMMED, Kind.CELL)[number],), spectrum[None]
        if number < MAX_TRIMMED:
            turned = codes_of(Kind.TURNED_TRIMMED)
            codes = tuple(code for code in turned if VIEWS[code].box_number == number)
            yield codes, _turn(spectrum, codes)


def _transform(levels: Floats, down: Floats, across: Floats) -> Floats:
    spectra: Floats = down @ levels @ across.swapaxes(-1, -2)
    return spectra


def _turn(spectrum: Floats, codes: tuple[int, ...]) -> Floats:
    """The frequencies of the turned pictures; mirrored, those of odd order change their sign."""
    turns = [VIEWS[code].turn for code in codes]
    return np.stack(
        [(spectrum.T if turn.is_transposed else spectrum) * _signs(turn) for turn in turns]
    )


@cache
def _signs(turn: Turn) -> Floats:
    odd = (1 - 2 * (np.arange(FREQUENCIES) % 2)).astype(np.float32)
    even = np.ones(FREQUENCIES, np.float32)
    return np.outer(odd if turn.is_mirrored_in_y else even, odd if turn.is_mirrored_in_x else even)


@cache
def _whole_matrix() -> Floats:
    return transform_matrix(LUMA_SIDE_PX, FREQUENCIES)


@cache
def _cut_matrices() -> tuple[Floats, Floats]:
    """For each window and part the matrix down and the one across."""
    cuts = [VIEWS[code].cut.box for code in codes_of(Kind.WINDOW, Kind.PART)]
    matrix, transform = _resampling_matrix, transform_matrix(SAMPLES, FREQUENCIES)
    down = [transform @ matrix(top, bottom).astype(np.float32) for _, top, _, bottom in cuts]
    across = [transform @ matrix(left, right).astype(np.float32) for left, _, right, _ in cuts]
    return np.stack(down), np.stack(across)


@lru_cache(maxsize=8192)
def _box_matrix(start: float, end: float) -> Floats:
    """As of a window; pixels that a border may have a part in take their neighbour's place."""
    first = math.ceil((start + 1 / 128) * LUMA_SIDE_PX) if start > 0 else 0
    last = math.floor((end - 1 / 128) * LUMA_SIDE_PX) - 1 if end < 1 else LUMA_SIDE_PX - 1
    places = np.minimum(np.maximum(np.arange(LUMA_SIDE_PX), first), last)
    folded = np.zeros((LUMA_SIDE_PX, LUMA_SIDE_PX))
    folded[np.arange(LUMA_SIDE_PX), places] = 1
    transform = transform_matrix(SAMPLES, FREQUENCIES).astype(np.float64)
    matrix: Floats = (transform @ _resampling_matrix(start, end) @ folded).astype(np.float32)
    return matrix


def _resampling_matrix(start: float, end: float) -> Floats:
    """Averages the pixels from `start` to `end` (0 to 1) of a row of 64 into 32 samples."""
    edges = (start + (end - start) * np.arange(SAMPLES + 1) / SAMPLES) * LUMA_SIDE_PX
    pixels = np.arange(LUMA_SIDE_PX)
    ends = np.minimum(edges[1:, None], pixels + 1)
    covered = np.maximum(ends - np.maximum(edges[:-1, None], pixels), 0)
    weights: Floats = covered / covered.sum(axis=1, keepdims=True)
    return weights


def _transform_tilts(levels: Floats, aspect: float) -> Floats:
    """The tilted windows, sampled between the pixels; shapes less than 4 % apart share a plan."""
    slimness = min(max(math.log2(aspect), -MAX_SLIMNESS), MAX_SLIMNESS)
    places, along, down = _plan_tilts(round(slimness * ASPECT_STEPS))
    pixels = levels.ravel()
    upper = pixels[places] + (pixels[places + 1] - pixels[places]) * along
    places = places + LUMA_SIDE_PX
    lower = pixels[places] + (pixels[places + 1] - pixels[places]) * along
    matrix = transform_matrix(SAMPLES, FREQUENCIES)
    return _transform(upper + (lower - upper) * down, matrix, matrix)


@lru_cache(maxsize=2 * 2 * ASPECT_STEPS + 1)
def _plan_tilts(aspect_step: int) -> tuple[NDArray[np.int32], Floats, Floats]:
    """The upper left one of four pixels for each sample, and how far along and down it lies."""
    tilts = [tilt for code in codes_of(Kind.TILTED) if (tilt := VIEWS[code].tilt)]
    middles = (np.arange(SAMPLES) + 0.5) / SAMPLES
    x, y = np.meshgrid(middles, middles)
    points = np.stack([x, y, np.ones_like(x)]).reshape(3, -1)
    maps = [rotation_map(*tilt, 2 ** (aspect_step / ASPECT_STEPS)) for tilt in tilts]
    found = np.stack([one @ points for one in maps]) * LUMA_SIDE_PX - 0.5
    found = np.clip(found, 0, LUMA_SIDE_PX - 1.001).reshape(len(tilts), 2, SAMPLES, SAMPLES)
    whole = np.floor(found)
    along, down = (found - whole).astype(np.float32).swapaxes(0, 1)
    left, top = whole.astype(np.int32).swapaxes(0, 1)
    return top * np.int32(LUMA_SIDE_PX) + left, along, down


def _contrast(spectra: Floats) -> Floats:
    """How far the view's brightness strays from its mean, in levels, as its frequencies tell."""
    waves = spectra[:, 1:]
    levels: Floats = 2 * np.sqrt((waves * waves).sum(axis=1))
    return levels
