"""Verification against another's hashes alone: 256 bits of what a part of their image shows.

The pictures stay with those who hand over hashes. A few coded features say where theirs may lie in
ours; there our picture is moved, scaled and turned a little, until it hashes most nearly the same.
"""

from __future__ import annotations

import numpy as np

from dedup.constants import CLEAR_CODE_RATIO, MOST_DETAIL_BITS, SIDE_SAMPLES
from dedup.signature.hashes import Map, box_map, locate_view
from dedup.signature.picture import Levels
from dedup.signature.signature import Shown
from dedup.verify.registration import MIRROR, fit_map

from .details import CodedFeatures, Detail, code_features, hash_seen
from .theirs import TheirImage

STEP = 1 / SIDE_SAMPLES
_WAYS = STEP * np.array(
    [
        [[1, 0, -0.5], [0, 0, 0], [0, 0, 0]],
        [[0, 0, 0], [0, 1, -0.5], [0, 0, 0]],
        [[0, -1, 0.5], [1, 0, -0.5], [0, 0, 0]],
        [[0, 0, 1], [0, 0, 0], [0, 0, 0]],
        [[0, 0, 0], [0, 0, 1], [0, 0, 0]],
    ]
)
_MOVES = np.eye(3) + np.concatenate([_WAYS, -_WAYS])
"""Wider, higher, turned about the middle, shifted across and down by a sample, and the reverse."""


def verify_unseen(theirs: TheirImage, ours: Shown, codes: tuple[int, int] | None) -> int | None:
    """The bits that differ where their image shows what ours does, or None.

    `codes` are the views of theirs and ours that are near one another, if a hash said so.
    """
    for theirs_to_ours in _list_guesses(theirs, ours, codes):
        for detail in theirs.details:
            place = theirs_to_ours @ box_map(detail.box)
            if _is_inside(place):  # a border of theirs is not
                distance = lay_under(ours.levels, detail, place)
                if distance <= MOST_DETAIL_BITS:
                    return distance
    return None


def lay_under(levels: Levels, detail: Detail, place: Map) -> int:
    """The fewest bits by which our picture differs from their detail, laid there or nearby.

    It is moved by a sample of what is hashed, as long as that makes it more alike.
    """
    distance = _count_bits(levels, place, detail)
    while True:
        moved = [place @ move for move in _MOVES]
        distances = [_count_bits(levels, moved_map, detail) for moved_map in moved]
        nearest = int(np.argmin(distances))
        if distances[nearest] >= distance:
            return distance
        place = moved[nearest]
        distance = distances[nearest]


def _list_guesses(theirs: TheirImage, ours: Shown, codes: tuple[int, int] | None) -> list[Map]:
    """From their image's coordinates to ours, as features and hashes have it."""
    guesses = []
    if codes is not None:
        there = locate_view(codes[0], theirs.layout.boxes)
        here = locate_view(codes[1], ours.layout.boxes)
        guesses.append(here @ np.linalg.inv(there))
    features = ours.features
    aspects = theirs.layout.aspect, ours.layout.aspect
    for oriented, back in ((features, np.eye(3)), (features.mirrored, MIRROR)):
        laid = _register(theirs.features, code_features(oriented), aspects)
        guesses += [back @ laid_map for laid_map in laid]
    return guesses


def _register(
    theirs: CodedFeatures, ours: CodedFeatures, aspects: tuple[float, float]
) -> list[Map]:
    """The maps on which features agree that are nearest to one another."""
    if len(theirs.codes) < 2 or len(ours.codes) < 2:
        return []
    their_codes, our_codes = (
        np.ascontiguousarray(features.codes).view(np.uint64) for features in (theirs, ours)
    )
    bits = np.bitwise_count(their_codes[:, None] ^ our_codes[None]).sum(axis=2, dtype=np.int64)
    rows = np.arange(len(their_codes))
    nearest = bits.argmin(axis=1)
    back = bits.argmin(axis=0)
    best = bits[rows, nearest]
    bits[rows, nearest] = 1 << 20
    chosen = np.flatnonzero((back[nearest] == rows) & (best < CLEAR_CODE_RATIO * bits.min(axis=1)))
    first = (theirs.points[chosen] / 255).astype(np.float32)
    second = (ours.points[nearest[chosen]] / 255).astype(np.float32)
    return [registration.first_to_second for registration in fit_map(first, second, aspects)]


def _is_inside(matrix: Map) -> bool:
    laid = matrix @ np.array([[0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, 1]])
    corners = laid[:2] / laid[2]
    return bool((corners > -STEP).all() and (corners < 1 + STEP).all())


def _count_bits(levels: Levels, matrix: Map, detail: Detail) -> int:
    return int(np.bitwise_count(hash_seen(levels, matrix) ^ detail.bits).sum())
