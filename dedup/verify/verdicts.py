"""What a comparison makes of two images: the same photograph, or related otherwise, or nothing.

Where one image lies inside the other and nearly all tiles agree, they are one photograph. Where
they only overlap, or a part shows another thing, they are of one event.
"""

from __future__ import annotations

from dedup.pairs import Relation
from dedup.signature.hashes import Map
from dedup.signature.layout import LEAST_SIDE
from dedup.signature.signature import Shown

from .changes import LEAST_SPOT
from .registration import LEAST_FOR_AFFINE, register
from .tiles import Evidence, compare

LEAST_DETAILS = 6
"""Tiles of 64; two horizons that have nothing else in common have fewer."""
MIN_COVERED_OF_INNER = 0.85
"""A photograph that was turned by 15 degrees keeps 0.9 of its original's details."""
MIN_SIMILARITY = 0.9
"""Copies have 0.91 and more, pages of one layout up to 0.93 where no feature agrees."""
MIN_SIMILARITY_OF_EVENT = 0.6
"""Without it 59 of 4,000 pairs more were linked, none of them merged."""
COLLAGE_COVERED = 0.7
"""Copies before their own blurred enlargement have 0.85 of the details; half a sheet has 0.63."""


def verify(first: Shown, second: Shown, guesses: list[Map]) -> tuple[Relation, Evidence] | None:
    """How two images belong together, by their features or else by maps that hashes suggest."""
    maps = [(it.first_to_second, it.inliers) for it in register(first.features, second.features)]
    found: tuple[Relation, Evidence] | None = None
    is_plain = min(len(it.features.points) for it in (first, second)) < LEAST_FOR_AFFINE
    for matrix, inliers in [*maps, *((guess, 0) for guess in guesses)]:
        evidence = compare(first, second, matrix, inliers, is_plain)
        if evidence is None:
            continue
        relation = judge(evidence)
        if relation is Relation.DUPLICATE:
            return relation, evidence
        if relation is not None and found is None:
            found = relation, evidence
    return found


def judge(evidence: Evidence) -> Relation | None:
    """How the images of this evidence belong together, or None where it does not say so."""
    if evidence.details < LEAST_DETAILS:
        return None
    outer, inner = sorted((evidence.covered_first, evidence.covered_second))
    if inner >= MIN_COVERED_OF_INNER and _is_same(evidence):
        if evidence.has_seam and outer < COLLAGE_COVERED:
            return Relation.COLLAGE
        if max(evidence.outside_first, evidence.outside_second) <= 1 - LEAST_SIDE**2:
            return Relation.DUPLICATE
    is_alike = evidence.similarity >= MIN_SIMILARITY_OF_EVENT and evidence.inliers
    return Relation.SAME_EVENT if is_alike else None


def doubt(evidence: Evidence) -> float:
    """How near the evidence is to the nearest threshold of its verdict: 0 certain, 1 on it."""
    inner = max(evidence.covered_first, evidence.covered_second)
    least = min(
        (inner - MIN_COVERED_OF_INNER) / (1 - MIN_COVERED_OF_INNER),
        (evidence.similarity - MIN_SIMILARITY) / (1 - MIN_SIMILARITY),
        1 - evidence.changed / LEAST_SPOT,
    )
    return float(min(max(1 - abs(least), 0), 1))


def _is_same(evidence: Evidence) -> bool:
    has_drawing = max(evidence.drawn_first, evidence.drawn_second) > 0
    if has_drawing and not (evidence.inliers or evidence.is_plain):
        return False  # other words on one layout leave 0.99
    return evidence.changed == 0 and evidence.similarity >= MIN_SIMILARITY
