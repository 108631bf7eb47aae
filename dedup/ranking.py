"""Which of several copies is the original: what each pair of them says of its two images.

An image has a flaw where it shows less than its copy, has a margin or writing that its copy has
not, was enlarged, or has fewer real pixels of what both show. A copy that is as good has it too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .pairs import Pair
from .verify.evidence import MORE_OUTSIDE, Evidence

MORE_PIXELS = 1.5
"""Times the pixels: copies of 0.7 of the sides have at least 1.5 times fewer real ones; enlarging
adds at most 1.3 times (scikit-image's and scikit-learn's photographs)."""


@dataclass(frozen=True)
class Size:
    """How many pixels an image has, and how many of them are real."""

    area_px: int
    real_px: int


def count_flaws(pairs: Iterable[Pair], sizes: Mapping[int, Size]) -> dict[int, int]:
    """How many kinds of flaws the images have, by id, as all these pairs tell."""
    told: defaultdict[int, set[str]] = defaultdict(set)
    compared: list[tuple[tuple[int, int], set[str]]] = []
    for pair in pairs:
        if pair.evidence is None or not sizes.keys() >= set(pair.ids):
            continue
        found = list(_compare(pair.evidence, sizes[pair.first_id], sizes[pair.second_id]))
        for is_second, kind in found:
            told[pair.ids[is_second]].add(kind)
        compared.append((pair.ids, {kind for _, kind in found}))
    flaws = {image_id: set(kinds) for image_id, kinds in told.items()}
    for (one, other), differing in compared:
        flaws[one] = flaws.get(one, set()) | told[other] - differing
        flaws[other] = flaws.get(other, set()) | told[one] - differing
    return {image_id: len(kinds) for image_id, kinds in flaws.items()}


def _compare(evidence: Evidence, first: Size, second: Size) -> Iterable[tuple[int, str]]:
    """The flaws that a pair shows: 0 for the first image or 1 for the second, and which kind."""
    for one, rest, margin in (
        (0, evidence.rest_first, evidence.margin_first),
        (1, evidence.rest_second, evidence.margin_second),
    ):
        if rest >= MORE_OUTSIDE and not evidence.has_seam:
            yield 1 - one, "cropped"
        elif max(rest, margin) >= MORE_OUTSIDE:
            yield one, "margin"
    drawn = evidence.drawn_first, evidence.drawn_second
    if drawn[0] != drawn[1]:
        yield int(drawn[1] > drawn[0]), "drawn"
    a, b, _, d, e, _ = evidence.first_to_second
    share = max(abs(a * e - b * d), 1e-6)  # the area of the first image in the second
    real = first.real_px * min(1 / share, 1), second.real_px * min(share, 1)
    area = first.area_px * min(1 / share, 1), second.area_px * min(share, 1)
    if max(real) >= MORE_PIXELS * min(real):
        yield int(real[1] < real[0]), "small"
    elif max(area) >= MORE_PIXELS * min(area):
        larger = int(area[1] > area[0])
        is_soft = area[1 - larger] > MORE_PIXELS**2 * real[1 - larger]  # as out of focus
        if not is_soft:
            yield larger, "enlarged"
