"""Verification against another's hashes alone: 256 bits of what a part of their image shows.

The pictures stay with those who hand over hashes. A few coded features say where theirs may lie in
ours; there our picture is moved, scaled and turned a little, until it hashes most nearly the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dedup.signature.features import mirror
from dedup.signature.hashes import Map, box_map, locate_view
from dedup.signature.picture import Levels
from dedup.signature.signature import Shown
from dedup.verify.registration import RATIO, fit_map

from .details import MIDDLE, CodedFeatures, Detail, code_features, hash_seen
from .theirs import TheirImage

MOST_BITS = 36
MOST_BITS_OF_MIDDLE = 64
MOST_BITS_OF_MIDDLE_ALONE = 22
"""Of 256, once ours is laid under theirs: where it was laid, then of the middle too, and where only
the middle lies within ours. docs/measurements/dedup.md says why."""

STEPS = (0.03, 0.015, 0.0075)
"""Of the picture: features lay it so exactly, and 256 bits tell no smaller step."""
HOPELESS_BITS = 104
"""Three standard deviations fewer than two unrelated pictures differ by."""

_MIRROR = np.array([[-1, 0, 1], [0, 1, 0], [0, 0, 1]], np.float64)


def verify_unseen(theirs: TheirImage, ours: Shown, codes: tuple[int, int] | None) -> int | None:
    """The bits that differ where their image shows what ours does, or None.

    `codes` are the views of theirs and ours that are near one another, if a hash said so.
    """
    for theirs_to_ours in _list_guesses(theirs, ours, codes):
        for detail in _choose_details(theirs, theirs_to_ours):
            distance, laid = lay_under(ours.levels, detail, theirs_to_ours)
            most = MOST_BITS_OF_MIDDLE_ALONE if detail.box == MIDDLE else MOST_BITS
            if distance <= most and _fits_in_the_middle(theirs, ours.levels, laid):
                return distance
    return None


def lay_under(levels: Levels, detail: Detail, theirs_to_ours: Map) -> tuple[int, Map]:
    """The fewest bits by which our picture differs from their detail, and where theirs lies then.

    Maps lead from their image to ours. A guess is followed as long as it gets better, unless it is
    hopeless.
    """
    place = box_map(detail.box)
    best = theirs_to_ours @ place
    distance = _count_bits(levels, best, detail)
    for step in STEPS if distance <= HOPELESS_BITS else ():
        while True:
            moved = [best @ it for it in _moves(step)]
            distances = [_count_bits(levels, it, detail) for it in moved]
            nearest = int(np.argmin(distances))
            if distances[nearest] >= distance:
                break
            best, distance = moved[nearest], distances[nearest]
    return distance, best @ np.linalg.inv(place)


def _list_guesses(theirs: TheirImage, ours: Shown, codes: tuple[int, int] | None) -> list[Map]:
    """From their image's coordinates to ours, as features and hashes have it."""
    guesses = []
    if codes is not None:
        there = locate_view(codes[0], theirs.layout.boxes)
        here = locate_view(codes[1], ours.layout.boxes)
        guesses.append(here @ np.linalg.inv(there))
    features = ours.features
    aspects = theirs.layout.aspect, ours.layout.aspect
    for own, back in ((features, np.eye(3)), (mirror(features), _MIRROR)):
        laid = _register(theirs.features, code_features(own), aspects)
        guesses += [back @ it for it in laid]
    return guesses


def _register(
    theirs: CodedFeatures, ours: CodedFeatures, aspects: tuple[float, float]
) -> list[Map]:
    if len(theirs.codes) < 2 or len(ours.codes) < 2:
        return []
    one, other = (np.ascontiguousarray(it.codes).view(np.uint64) for it in (theirs, ours))
    bits = np.bitwise_count(one[:, None] ^ other[None]).sum(axis=2, dtype=np.int64)
    rows, nearest, back = np.arange(len(one)), bits.argmin(axis=1), bits.argmin(axis=0)
    best = bits[rows, nearest]
    bits[rows, nearest] = 1 << 20
    chosen = np.flatnonzero((back[nearest] == rows) & (best < RATIO * bits.min(axis=1)))
    first = (theirs.points[chosen] / 255).astype(np.float32)
    second = (ours.points[nearest[chosen]] / 255).astype(np.float32)
    found = fit_map(first, second, aspects)
    return [it.first_to_second for it in found]


def _choose_details(image: TheirImage, theirs_to_ours: Map) -> list[Detail]:
    """What of theirs lies within ours, the middle last; a border of theirs lies outside of it."""
    inside = [it for it in image.details if _is_inside(theirs_to_ours @ box_map(it.box))]
    return sorted(inside, key=lambda detail: detail.box == MIDDLE)


def _is_inside(matrix: Map) -> bool:
    laid = matrix @ np.array([[0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, 1]])
    corners = laid[:2] / laid[2]
    return bool((corners > -STEPS[0]).all() and (corners < 1 + STEPS[0]).all())


def _fits_in_the_middle(image: TheirImage, levels: Levels, theirs_to_ours: Map) -> bool:
    """Whether their image's middle agrees too: soft pictures can be bent until they look alike."""
    matrix = theirs_to_ours @ box_map(MIDDLE)
    middles = [detail for detail in image.details if detail.box == MIDDLE]
    return all(_count_bits(levels, matrix, it) <= MOST_BITS_OF_MIDDLE for it in middles)


def _count_bits(levels: Levels, matrix: Map, detail: Detail) -> int:
    return int(np.bitwise_count(hash_seen(levels, matrix) ^ detail.bits).sum())


def _moves(step: float) -> NDArray[np.float64]:
    """Small moves, turns and changes of size, and some of two of them at once."""
    found = []
    for wide, high, turn, across, down in (_DIRECTIONS * step).tolist():
        linear = np.array([[1 + wide, -turn], [turn, 1 + high]])
        shift = np.array([0.5, 0.5]) - linear @ np.array([0.5, 0.5]) + np.array([across, down])
        found.append(np.vstack([np.column_stack([linear, shift]), [0, 0, 1]]))
    return np.stack(found)


_DIRECTIONS = np.array(
    [
        *np.eye(5),
        *-np.eye(5),
        *((sign, sign, 0, 0, 0) for sign in (1, -1)),
        *((0, 0, 0, x, y) for x in (1, -1) for y in (1, -1)),
    ]
)
"""Wider, higher, turned, shifted across and down."""
