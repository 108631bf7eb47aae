"""What speaks for two images being one photograph, gathered by laying one over the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dedup.columns import stack_rows, take_rows
from dedup.signature.maps import Map, compose, invert
from dedup.signature.views import Codes, Kind, kind_table, locate_views

from . import frames
from .pictures import COARSE, FINE, MIDDLE, Floats, Level, Pictures, Rows, cut_out, show_luma
from .registration import affine_changes, align, correlate, normalise, similarity_changes
from .tiles import (
    compare_tiles,
    compare_unlined,
    correlate_halves,
    count_textured,
    measure_residual,
)

FREE_STEPS = 4
MOST_TILT = 0.015
"""About a degree: sheets that hold one photograph in the same place are not turned, and the empty
corners of what was turned are most of what a soft half holds."""
MIN_STRETCH = 0.02
MOST_UNLIKE_SHAPES = 0.4
"""Logarithm of the ratio. Of 7,188 changed photographs that were found none had more than 0.29 in
the guess that was followed; of chance candidates many are portraits that met landscapes."""
WORST_TILES = 3
AGREEING = 0.5
MEASURED_AT_ONCE = 16
"""Each takes 700 kB; there is one guess of a pair then."""


@dataclass(frozen=True)
class Guesses:
    """Which view of which picture may show what which view of which other one shows, row by row.

    `pair` numbers the pairs of images; a pair may have several guesses.
    """

    pair: Rows
    probe: Rows
    view: Rows
    probe_code: Codes
    view_code: Codes


@dataclass(frozen=True, slots=True)
class Evidence:
    """How well two images agree once they lie over one another.

    `similarity` is the correlation of their details, -1 to 1; `agreeing` the share of tiles that
    agree and `agreement` the mean of all but the worst quarter, `worst` that of the worst three;
    `details` says how much there is to go by, `textured` in how many tiles even faint structure is
    the same, `residual` by how many levels they differ. `unlined` is the similarity of what no line
    across or down explains, of which `unlined_tiles` have enough. `drift` tells how much more would
    have been gained by bending one of them (1: nothing), `shift` how far the one's frame is from
    the other's. `covered_first` and `covered_second` are the shares of the images that lie within
    the other. `whole_bits` is in how many of 256 bits the hashes of the wholes differ, where these
    lie upright on one another; `weakest_half` the similarity of that half of the wholes which has
    the least, where their frames are nearly one. `shown` is the share of the wholes that was
    compared, the smaller one where a view of each is a part of it. `are_toned` says that the two
    were compared as they lie, the one in the other's tones.
    """

    similarity: float
    agreement: float
    agreeing: float
    worst: float
    tiles: int
    details: int
    textured: int
    residual: float
    unlined: float
    unlined_tiles: int
    drift: float
    shift: float
    whole_bits: int | None
    weakest_half: float | None
    shown: float
    is_stretched: bool
    is_cell: bool
    are_drawn: bool
    covered_first: float
    covered_second: float
    first_to_second: tuple[float, ...]
    codes: tuple[int, int]
    are_toned: bool = False


def gather_evidence(pictures: Pictures, guesses: Guesses) -> dict[int, Evidence]:
    """The evidence for each pair of which a guess holds at all; of several guesses the best one's.

    A pair's first image is the one with the lower row among `pictures`.
    """
    laid = _lay(pictures, guesses)
    for level in (COARSE, MIDDLE):
        if len(laid.maps):
            laid, _ = _keep_best(pictures, laid, level)
    found: dict[int, Evidence] = {}
    for start in range(0, len(laid.maps), MEASURED_AT_ONCE):
        some = take_rows(laid, slice(start, start + MEASURED_AT_ONCE))
        some, similarity = _keep_best(pictures, some, FINE)
        if len(similarity):
            found |= _measure(pictures, some, similarity)
    return found


def measure_unmoved(
    pictures: Pictures, guesses: Guesses, least_similarity: float
) -> dict[int, Evidence]:
    """The same of whole pictures as they lie, of those that are at least so much alike."""
    found: dict[int, Evidence] = {}
    for start in range(0, len(guesses.pair), MEASURED_AT_ONCE):
        some = take_rows(guesses, slice(start, start + MEASURED_AT_ONCE))
        still = frames.identities(len(some.pair))
        aspects = pictures.aspects[some.probe]
        laid = _Laid(some, still, still, still, aspects, np.zeros(len(still), np.bool_))
        similarity = correlate(*_look(pictures, laid, FINE), still)
        is_alike = similarity >= least_similarity
        if is_alike.any():
            found |= _measure(pictures, take_rows(laid, is_alike), similarity[is_alike])
    return found


@dataclass(frozen=True)
class _Laid:
    """Guesses being followed: `maps` lead from what the probe shows to what the view shows.

    `aspects` are the true shapes of what the probes show.
    """

    guesses: Guesses
    probe_maps: Map
    view_maps: Map
    maps: Map
    aspects: Floats
    is_stretched: NDArray[np.bool_]


def _lay(pictures: Pictures, guesses: Guesses) -> _Laid:
    """Each guess with shapes kept, and again as a stretch where two whole shapes differ.

    Pictures that agreed when squeezed into squares do not agree unsqueezed where their shapes are
    far from one another.
    """
    probe_maps = _locate(pictures, guesses.probe, guesses.probe_code)
    view_maps = _locate(pictures, guesses.view, guesses.view_code)
    aspects = frames.true_shapes(probe_maps, pictures.aspects[guesses.probe])
    ratios = aspects / frames.true_shapes(view_maps, pictures.aspects[guesses.view])
    unlikeness = np.abs(np.log(ratios))
    may_stretch = (unlikeness > MIN_STRETCH) & _IS_ENTIRE[guesses.view_code]
    kept, still = frames.keep_shape(ratios), np.zeros_like(may_stretch)
    upright = _Laid(guesses, probe_maps, view_maps, kept, aspects, still)
    stretched = replace(upright, maps=frames.identities(len(ratios)), is_stretched=may_stretch)
    is_alike = unlikeness <= MOST_UNLIKE_SHAPES
    return stack_rows([take_rows(upright, is_alike), take_rows(stretched, may_stretch)])


def _locate(pictures: Pictures, rows: Rows, codes: Codes) -> Map:
    return locate_views(codes, pictures.aspects[rows], pictures.boxes[rows])


def _keep_best(pictures: Pictures, laid: _Laid, level: Level) -> tuple[_Laid, Floats]:
    """The guesses aligned at one scale, of each pair those that are good enough to go on."""
    probes, views = _look(pictures, laid, level)
    maps = align(probes, views, laid.maps, similarity_changes(laid.aspects), level.steps)
    similarity = correlate(probes, views, maps)
    best = _best_of_each_pair(laid.guesses.pair, similarity, level.max_behind)
    best = best[similarity[best] >= level.min_similarity]
    return take_rows(replace(laid, maps=maps), best), similarity[best]


def _look(pictures: Pictures, laid: _Laid, level: Level) -> tuple[Floats, Floats]:
    """What probes and views show at a scale, local mean and contrast made equal."""
    probes, views = _cut_both(pictures, laid, level)
    return normalise(probes, level.radius_px), normalise(views, level.radius_px)


def _cut_both(pictures: Pictures, laid: _Laid, level: Level) -> tuple[Floats, Floats]:
    """What probes and views show at a scale, as it is."""
    guesses = laid.guesses
    return (
        cut_out(pictures, guesses.probe, laid.probe_maps, level, guesses.probe_code),
        cut_out(pictures, guesses.view, laid.view_maps, level, guesses.view_code),
    )


def _best_of_each_pair(pair: Rows, similarity: Floats, max_behind: float) -> Rows:
    """The best guess of each pair, and with it those that are behind it by at most so much."""
    order = np.lexsort((-similarity, pair))
    is_first = np.diff(pair[order], prepend=-1) != 0
    best = similarity[order][is_first][np.cumsum(is_first) - 1]
    is_good = is_first | ((max_behind > 0) & (similarity[order] >= best - max_behind))
    good: Rows = order[is_good]
    return good


def _measure(pictures: Pictures, laid: _Laid, similarity: Floats) -> dict[int, Evidence]:
    guesses, drifts = laid.guesses, _measure_drift(pictures, laid)
    maps = compose(laid.view_maps, compose(laid.maps, invert(laid.probe_maps)))
    sides = _see_most(pictures, laid, maps)
    tiles, (unlined, unlined_tiles) = compare_tiles(*sides), compare_unlined(*sides)
    textured, residuals = count_textured(*sides), measure_residual(*sides)
    shown = np.minimum(*(frames.measure_area(it) for it in (laid.probe_maps, laid.view_maps)))
    shown[_IS_PART[guesses.probe_code]] = 1  # then all of both is compared
    is_probe_first = guesses.probe < guesses.view
    to_second = np.where(is_probe_first[:, None, None], maps, invert(maps))
    covered = frames.coverage(to_second), frames.coverage(invert(to_second))
    shifts = [frames.distance_from_turn(one) for one in to_second]
    wholes = _show_wholes(pictures, guesses)
    whole_bits = frames.count_whole_bits(*wholes, to_second)
    are_in_frame = np.array(shifts) <= frames.UPRIGHT_SHIFT
    are_in_frame &= frames.measure_tilt(maps) <= MOST_TILT
    weakest = correlate_halves(*wholes, maps)
    cells = frames.are_cells(guesses.probe_code, guesses.view_code, np.minimum(*covered), to_second)
    found = {}
    for row, pair in enumerate(guesses.pair.tolist()):
        agreement = np.sort(tiles.agreement[row][tiles.counts[row]])
        found[pair] = Evidence(
            similarity=float(similarity[row]),
            agreement=_mean(agreement[len(agreement) // 4 :]),
            agreeing=_mean(agreement > AGREEING),
            worst=_mean(agreement[:WORST_TILES]),
            tiles=len(agreement),
            details=int(tiles.is_detail[row].sum()),
            textured=int(textured[row]),
            residual=float(residuals[row]),
            unlined=float(unlined[row]),
            unlined_tiles=int(unlined_tiles[row]),
            drift=float(drifts[row]),
            shift=shifts[row],
            whole_bits=whole_bits[row],
            weakest_half=float(weakest[row]) if are_in_frame[row] else None,
            shown=float(shown[row]),
            is_stretched=bool(laid.is_stretched[row]),
            is_cell=bool(cells[row]),
            are_drawn=bool(pictures.is_drawn[[guesses.probe[row], guesses.view[row]]].all()),
            covered_first=float(covered[0][row]),
            covered_second=float(covered[1][row]),
            first_to_second=tuple(np.round(to_second[row].ravel().astype(float), 5).tolist()),
            codes=(int(guesses.probe_code[row]), int(guesses.view_code[row])),
        )
    return found


def _measure_drift(pictures: Pictures, laid: _Laid) -> Floats:
    """How far from square a square of the one becomes in the other when bending is allowed."""
    probes, views = _look(pictures, laid, FINE)
    bent = align(probes, views, laid.maps, affine_changes(laid.aspects), FREE_STEPS)
    return frames.measure_bend(laid.maps, bent, laid.aspects)


def _see_most(pictures: Pictures, laid: _Laid, maps: Map) -> tuple[Floats, Floats, Map]:
    """What the probes show, the views and the maps; where that is a part, the whole images."""
    guesses = laid.guesses
    probes, views = _cut_both(pictures, laid, FINE)
    inner = laid.maps.copy()
    parts = np.flatnonzero(_IS_PART[guesses.probe_code])
    probes[parts] = pictures.luma[guesses.probe[parts]]
    views[parts] = pictures.luma[guesses.view[parts]]
    inner[parts] = maps[parts]
    return probes, views, inner


def _show_wholes(pictures: Pictures, guesses: Guesses) -> tuple[Floats, Floats]:
    return (
        show_luma(pictures, guesses.probe, guesses.probe_code).astype(np.float32),
        show_luma(pictures, guesses.view, guesses.view_code).astype(np.float32),
    )


def _mean(values: NDArray[Any]) -> float:
    return float(values.mean()) if len(values) else 0.0


_IS_ENTIRE = kind_table(
    Kind.WHOLE, Kind.TRIMMED, Kind.TURNED, Kind.TURNED_TRIMMED, Kind.CELL, Kind.PART
)
_IS_PART = kind_table(Kind.PART)
