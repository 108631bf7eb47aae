"""What a comparison makes of two images: the same photograph, or related otherwise, or nothing.

Where one image lies inside the other and nearly all of it agrees, they are one photograph. Where
they only overlap, or a part shows another thing, they are of one event.
"""

from __future__ import annotations

import numpy as np

from dedup.pairs import NEARLY_ALL, Relation
from dedup.signature.hashes import Map
from dedup.signature.layout import LEAST_SIDE
from dedup.signature.signature import Shown

from .changes import AGREES
from .evidence import MORE_OUTSIDE, Evidence, compare
from .registration import LEAST_AGREEING, register


def verify(first: Shown, second: Shown, guesses: list[Map]) -> tuple[Relation, Evidence] | None:
    """How two images belong together, by their features or else by maps that hashes suggest."""
    maps = [(it.first_to_second, it.inliers) for it in register(first.features, second.features)]
    found: tuple[Relation, Evidence] | None = None
    for matrix, inliers in [*maps, *((guess, 0) for guess in guesses)]:
        try:
            evidence = compare(first, second, matrix, inliers)
        except np.linalg.LinAlgError:  # features of one place agree on a map that has no inverse
            continue
        relation = judge(evidence)
        if relation is not None and found is None:
            found = relation, evidence
        if relation in (Relation.DUPLICATE, Relation.COLLAGE):
            return relation, evidence
    return found


def judge(evidence: Evidence) -> Relation | None:
    """How the images of this evidence belong together, or None where it does not say so."""
    if evidence.details < LEAST_AGREEING:
        return None  # two horizons that have nothing else in common
    outer, inner = sorted((evidence.covered_first, evidence.covered_second))
    has_drawing = max(evidence.drawn_first, evidence.drawn_second) > 0
    is_same = evidence.changed == 0 and evidence.similarity >= NEARLY_ALL
    if has_drawing and not evidence.inliers:
        is_same = False  # other words on one layout leave 0.99
    if is_same and inner >= NEARLY_ALL:
        shows_more = max(evidence.rest_first, evidence.rest_second) >= MORE_OUTSIDE
        if evidence.has_seam and shows_more and outer < NEARLY_ALL:
            return Relation.COLLAGE
        if max(evidence.outside_first, evidence.outside_second) <= 1 - LEAST_SIDE**2:
            return Relation.DUPLICATE
    is_alike = evidence.similarity >= AGREES and evidence.inliers
    return Relation.SAME_EVENT if is_alike else None


def doubt(evidence: Evidence) -> float:
    """How near the evidence is to the nearest threshold of its verdict: 0 certain, 1 on it."""
    inner = max(evidence.covered_first, evidence.covered_second)
    least = min(inner, evidence.similarity) - NEARLY_ALL
    return float(min(max(1 - abs(least) / (1 - NEARLY_ALL), 0), 1))
