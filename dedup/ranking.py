"""Which of several copies is the original: what each pair of them says of its two images.

An image has a flaw where it shows less than its copy, has a margin or writing that its copy has
not, was enlarged, or has fewer real pixels of what both show. A copy that is as good has it too,
unless it was compared with the image that tells so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
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
    told: defaultdict[int, set[tuple[str, int]]] = defaultdict(set)  # kinds, and by what copy
    compared: defaultdict[int, dict[int, set[str]]] = defaultdict(dict)
    for pair in pairs:
        if pair.evidence is None or not sizes.keys() >= set(pair.ids):
            continue
        found = list(_compare(pair.evidence, sizes[pair.first_id], sizes[pair.second_id]))
        counts = Counter(is_second for is_second, _ in found)
        for is_second, kind in found:
            if counts[is_second] >= counts[1 - is_second]:  # the worse of two tells nothing
                told[pair.ids[is_second]].add((kind, pair.ids[1 - is_second]))
        for one, other in (pair.ids, pair.ids[::-1]):
            compared[one][other] = {kind for _, kind in found}
    flaws = {}
    for one, copies in compared.items():
        kinds = {kind for kind, _ in told[one]}
        for other, differing in copies.items():
            kinds |= {kind for kind, by in told[other] if by not in copies} - differing
        flaws[one] = len(kinds)
    return flaws


def _compare(evidence: Evidence, first: Size, second: Size) -> Iterable[tuple[int, str]]:
    """The flaws that a pair shows: 0 for the first image or 1 for the second, and which kind."""
    is_cropped = False
    for one, rest, margin in (
        (0, evidence.rest_first, evidence.margin_first),
        (1, evidence.rest_second, evidence.margin_second),
    ):
        if rest >= MORE_OUTSIDE and not evidence.has_seam:
            is_cropped = True
            yield 1 - one, "cropped"
        elif max(rest, margin) >= MORE_OUTSIDE:
            yield one, "margin"
    drawn = evidence.drawn_first, evidence.drawn_second
    if drawn[0] != drawn[1]:
        yield int(drawn[1] > drawn[0]), "drawn"
    if is_cropped:
        return  # of its part a crop has more pixels than the whole at the same size
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
