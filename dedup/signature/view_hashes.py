"""The 64-bit hashes of an image's views, all from one small picture of its brightness.

Each is imagehash's phash of what the view shows: the 8 by 8 lowest frequencies of a cosine
transform, each against their median. Cropping, resizing and transforming are linear, so one pair of
matrix products gives every window at once, and a turned picture's frequencies are the upright
one's with other signs, transposed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .kernels import sample, transform_interval
from .maps import rotation_map
from .views import CLIP_LEVELS, MAX_TRIMMED, VIEWS, Kind, View, codes_of

Luma = NDArray[np.uint8]
Floats = NDArray[np.floating[Any]]
Packed = NDArray[np.uint8]
Boxes = NDArray[np.uint8]

LUMA_SIDE_PX = 64
SAMPLES = 32
FREQUENCIES = 8
MIN_CONTRAST_LEVELS = 0.7
"""A flat picture with noise of 12 levels has 0.4; a wall of bricks 2.2, and half as bright 1.1."""
MIN_CLIPPED_SHARE = 0.03
ASPECT_STEPS = 20
MAX_SLIMNESS = 2.0
MOST_CODES = 256


@dataclass(frozen=True)
class ViewHashes:
    """The code and the hash of each view that holds enough to be hashed, codes ascending."""

    codes: NDArray[np.uint8]
    hashes: NDArray[np.uint64]


def hash_views(lumas: Luma, boxes: Boxes, aspects: Sequence[float]) -> list[ViewHashes]:
    """The hashes of all views of pictures of 64 by 64 pixels of brightness, each aspect : 1.

    `boxes` are those that the pictures' layouts give, in 128ths. Views without contrast have no
    hash: flat pictures all look alike.
    """
    hashes = np.zeros((len(lumas), MOST_CODES), np.uint64)
    is_hashed = np.zeros((len(lumas), MOST_CODES), np.bool_)
    for spectra in _transform_views(lumas, boxes, aspects):
        places = np.broadcast_arrays(spectra.owners, spectra.codes)
        values = spectra.values.reshape(-1, FREQUENCIES**2)
        found = hash_spectra(values).view(">u8")
        hashes[*places] = found.reshape(places[0].shape)
        is_hashed[*places] = (_contrast(values) >= MIN_CONTRAST_LEVELS).reshape(places[0].shape)
    codes = [np.flatnonzero(one).astype(np.uint8) for one in is_hashed]
    return [ViewHashes(own, row[own]) for own, row in zip(codes, hashes, strict=True)]


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


@dataclass(frozen=True)
class _Spectra:
    """The lowest frequencies of some views, down and across last; whose they are; their codes.

    Owners and codes may have to be stretched to one shape.
    """

    owners: NDArray[np.intp]
    codes: NDArray[np.uint8]
    values: Floats


def _transform_views(lumas: Luma, boxes: Boxes, aspects: Sequence[float]) -> Iterator[_Spectra]:
    """All views of all pictures."""
    levels = lumas.astype(np.float32)
    owners = np.arange(len(lumas))[:, None]
    wholes = _whole_matrix() @ levels @ _whole_matrix().T
    for kinds, values in (
        ((Kind.WHOLE,), wholes),
        ((Kind.TURNED,), _turn_spectra(wholes)),
        ((Kind.WINDOW, Kind.PART), _transform_cuts(levels)),
        ((Kind.TILTED,), _transform_tilts(levels, aspects)),
        ((Kind.CLIPPED,), _transform_clipped(levels)),
    ):
        yield _Spectra(owners, _codes_of(*kinds), values)
    owners, numbers = np.nonzero(boxes.any(axis=2))
    if len(owners):
        yield from _transform_boxes(levels, boxes, owners, numbers)


@cache
def _codes_of(*kinds: Kind) -> NDArray[np.uint8]:
    return np.array(codes_of(*kinds), np.uint8)


def _transform_boxes(
    levels: Floats, boxes: Boxes, owners: NDArray[np.intp], numbers: NDArray[np.intp]
) -> Iterator[_Spectra]:
    """The rectangles that layouts gave, and the turned ones of those that are trimmed."""
    edges = (boxes[owners, numbers] / (2 * LUMA_SIDE_PX)).tolist()
    rows = [
        _box_matrix(top, bottom) @ levels[owner]
        for owner, (_, top, _, bottom) in zip(owners.tolist(), edges, strict=True)
    ]
    acrosses = np.stack([_box_matrix(left, right) for left, _, right, _ in edges])
    spectra = np.stack(rows) @ acrosses.transpose(0, 2, 1)
    upright_codes, turned_codes = _box_codes()
    yield _Spectra(owners, upright_codes[numbers], spectra)
    is_trimmed = numbers < MAX_TRIMMED
    turned = _turn_spectra(spectra[is_trimmed])
    yield _Spectra(owners[is_trimmed, None], turned_codes[numbers[is_trimmed]], turned)


@cache
def _box_codes() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Of each rectangle the code of its view, and of each trimmed one those of the turned ones."""
    turned = codes_of(Kind.TURNED_TRIMMED)
    in_order = [[it for it in turned if VIEWS[it].box_number == n] for n in range(MAX_TRIMMED)]
    upright = np.array(codes_of(Kind.TRIMMED, Kind.CELL), np.uint8)
    return upright, np.array(in_order, np.uint8)


def _transform_cuts(levels: Floats) -> Floats:
    """The windows and parts, all from products with the distinct intervals down."""
    plan = _plan_cuts()
    spectra = np.empty((len(levels), len(plan.downs), FREQUENCIES, FREQUENCIES), np.float32)
    for one, found in zip(levels, spectra, strict=True):
        rows = (plan.matrix @ one).reshape(-1, FREQUENCIES, LUMA_SIDE_PX)
        np.matmul(rows[plan.downs], plan.acrosses, out=found)
    return spectra


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


def _turn_spectra(spectra: Floats) -> Floats:
    """The frequencies of the turned pictures; mirrored, those of odd order change their sign."""
    upright_and_transposed = np.stack([spectra, spectra.transpose(0, 2, 1)], axis=1)
    turned: Floats = upright_and_transposed[:, _turns().is_transposed] * _turns().signs
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


def _transform_tilts(levels: Floats, aspects: Sequence[float]) -> Floats:
    """The tilted windows, sampled between the pixels."""
    matrix, tilts = transform_matrix(SAMPLES, FREQUENCIES), len(codes_of(Kind.TILTED))
    spectra = np.empty((len(levels), tilts, FREQUENCIES, FREQUENCIES), np.float32)
    for one, aspect, found in zip(levels, aspects, spectra, strict=True):
        slimness = min(max(math.log2(aspect), -MAX_SLIMNESS), MAX_SLIMNESS)
        plan = _plan_tilts(round(slimness * ASPECT_STEPS))
        rows = matrix @ sample(one, plan.places, plan.shares).reshape(SAMPLES, -1)
        found[:] = (rows.reshape(FREQUENCIES, tilts, SAMPLES) @ matrix.T).transpose(1, 0, 2)
    return spectra


def _transform_clipped(levels: Floats) -> Floats:
    """What copies that are too bright show; nothing where hardly anything would be white."""
    spectra = np.zeros((len(levels), len(CLIP_LEVELS), FREQUENCIES, FREQUENCIES), np.float32)
    for number, level in enumerate(CLIP_LEVELS):
        whites = np.array([np.count_nonzero(one > level) for one in levels])
        is_shown = whites >= MIN_CLIPPED_SHARE * LUMA_SIDE_PX**2
        clipped = np.minimum(levels[is_shown], np.float32(level))
        spectra[is_shown, number] = _whole_matrix() @ clipped @ _whole_matrix().T
    return spectra


@dataclass(frozen=True)
class _TiltPlan:
    places: NDArray[np.int32]
    shares: NDArray[np.float32]


@lru_cache(maxsize=2 * 2 * ASPECT_STEPS + 1)
def _plan_tilts(aspect_step: int) -> _TiltPlan:
    """Which pixels make the tilted windows' samples, by row, then window, then column.

    Shapes less than 4 % apart share one.
    """
    views = [VIEWS[code] for code in codes_of(Kind.TILTED)]
    middles = (np.arange(SAMPLES) + 0.5) / SAMPLES
    ones = np.ones((SAMPLES, SAMPLES))
    points = np.stack([ones * middles, (ones * middles).T, ones]).reshape(3, -1)
    maps = [_tilt_map(view, 2 ** (aspect_step / ASPECT_STEPS)) for view in views]
    found = np.stack([one @ points for one in maps], axis=1) * LUMA_SIDE_PX - 0.5
    found = found.reshape(2, len(views), SAMPLES, SAMPLES).swapaxes(1, 2).reshape(2, -1)
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
