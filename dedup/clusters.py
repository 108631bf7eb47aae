"""Which image of each cluster of near-duplicates is kept, and which are put aside for it.

The original is kept, as far as each pair of copies tells which that is. An image has a flaw where
it shows less than its copy, has a margin or writing that its copy has not, was enlarged, or has
fewer real pixels of what both show. A copy that is as good has it too, unless it was compared with
the image that tells so.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from .constants import (
    CENTRAL_SHARE,
    COPIES_RANKED_ALONE,
    CROPPED_OUTSIDE,
    MARGIN_OUTSIDE,
    MORE_AREA_PX,
    MORE_REAL_PX,
    SOFT_TIMES,
)
from .pairs import Evidence, Pair

_PUBLIC_DOMAIN = re.compile(
    r"publicdomain/|public domain|\bcc0\b|united states government|usa\.gov/"
    r"|no known copyright|commons/usage",
    re.IGNORECASE,
)
_CREATIVE_COMMONS = re.compile(
    r"(?:licenses/|\bcc[ -]|^)(by(?:-nc)?(?:-sa|-nd)?)(?=$|/| licen| \d)", re.IGNORECASE
)
_WORDS = (
    (re.compile(r"attribution", re.IGNORECASE), "by"),
    (re.compile(r"[- ]?non-?commercial", re.IGNORECASE), "-nc"),
    (re.compile(r"[- ]?share-?alike", re.IGNORECASE), "-sa"),
    (re.compile(r"[- ]?no-?deriv(ative)?s?", re.IGNORECASE), "-nd"),
)
_SPECTRUM = ("by", "by-sa", "by-nc", "by-nc-sa", "by-nd", "by-nc-nd")

PUBLIC_DOMAIN_RANK = 0
UNKNOWN_RANK = len(_SPECTRUM) + 1


_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Candidate:
    """What decides which of several near-duplicates is kept.

    `flaws` is what `count_flaws` counts. `is_fixed` marks an image that people have worked on or
    that was released: it is never put aside. `licence_rank` is 0 for the freest, `jpeg_quality` 0
    to 100. `real_px` decides where nothing else does. `is_plain` marks one that is compared only
    with what is not: if it were kept, its other copies would stay as well.
    """

    image_id: int
    uploaded_at: datetime | None
    licence_rank: int
    is_fixed: bool
    jpeg_quality: float = 100.0
    flaws: int = 0
    real_px: int = 0
    is_plain: bool = False

    @property
    def rank(self) -> tuple[bool, bool, int, int, datetime, int, int, int]:
        """Sorts the one to keep first.

        Fixed, not plain, fewest flaws, least recompressed, earliest uploaded, freest, most real
        pixels, lowest id.
        """
        uploaded_at = self.uploaded_at or _NEVER
        compression = -round(self.jpeg_quality)
        kind = not self.is_fixed, self.is_plain, self.flaws, compression
        return (*kind, uploaded_at, self.licence_rank, -self.real_px, self.image_id)


@dataclass(frozen=True)
class Size:
    """How many pixels an image has, and how many of them are real."""

    area_px: int
    real_px: int


@dataclass(frozen=True)
class Removal:
    """One image to put aside for another, and the pair of the two that says why."""

    image_id: int
    kept_image_id: int
    pair: Pair


def count_flaws(pairs: Iterable[Pair], sizes: Mapping[int, Size]) -> dict[int, int]:
    """How many kinds of flaws the images have, by id, as all these pairs tell."""
    flaws_seen: defaultdict[int, set[tuple[str, int]]] = defaultdict(set)  # kinds, and by what copy
    compared: defaultdict[int, dict[int, set[str]]] = defaultdict(dict)
    for pair in pairs:
        if pair.evidence is None or not sizes.keys() >= set(pair.ids):
            continue
        listed = list(list_flaws(pair.evidence, sizes[pair.first_id], sizes[pair.second_id]))
        counts = Counter(is_second for is_second, _ in listed)
        for is_second, kind in listed:
            if counts[is_second] >= counts[1 - is_second]:  # the worse of two tells nothing
                flaws_seen[pair.ids[is_second]].add((kind, pair.ids[1 - is_second]))
        for image_id, copy_id in (pair.ids, pair.ids[::-1]):
            compared[image_id][copy_id] = {kind for _, kind in listed}
    flaws = {}
    for image_id, copies in compared.items():
        kinds = {kind for kind, _ in flaws_seen[image_id]}
        for copy_id, differing in copies.items():
            kinds |= {
                kind for kind, witness_id in flaws_seen[copy_id] if witness_id not in copies
            } - differing
        flaws[image_id] = len(kinds)
    return flaws


def list_flaws(evidence: Evidence, first: Size, second: Size) -> Iterable[tuple[int, str]]:
    """The flaws that a pair shows: 0 for the first image or 1 for the second, and which kind."""
    is_cropped = False
    for side, rest, margin in (
        (0, evidence.rest_first, evidence.margin_first),
        (1, evidence.rest_second, evidence.margin_second),
    ):
        if rest >= CROPPED_OUTSIDE and not evidence.has_seam:
            is_cropped = True
            yield 1 - side, "cropped"
        elif max(rest, margin) >= MARGIN_OUTSIDE:
            yield side, "margin"
    drawn = evidence.drawn_first, evidence.drawn_second
    if drawn[0] != drawn[1]:
        yield int(drawn[1] > drawn[0]), "drawn"
    if is_cropped:
        return  # of its part a crop has more pixels than the whole at the same size
    a, b, _, d, e, _ = evidence.first_to_second
    share = max(abs(a * e - b * d), 1e-6)  # the area of the first image in the second
    real = first.real_px * min(1 / share, 1), second.real_px * min(share, 1)
    area = first.area_px * min(1 / share, 1), second.area_px * min(share, 1)
    if max(real) >= MORE_REAL_PX * min(real):
        yield int(real[1] < real[0]), "small"
    elif max(area) >= MORE_AREA_PX * min(area):
        larger = int(area[1] > area[0])
        is_soft = area[1 - larger] > SOFT_TIMES * real[1 - larger]  # as out of focus
        if not is_soft:
            yield larger, "enlarged"


def plan_removals(candidates: Iterable[Candidate], pairs: Iterable[Pair]) -> list[Removal]:
    """What to put aside and for what, so that of each pair one goes unless both are fixed.

    There are no chains: an image is put aside for one that is itself kept and paired with it, and
    two images that only a third one joins both stay. Of very many, one that was compared with
    nearly as many as any is kept, since others had fewer to show their flaws. In whatever order
    images come, the same ones are kept, as long as none becomes fixed in between.
    """
    neighbours: dict[int, list[Removal]] = {}
    for pair in pairs:
        for kept_id, other_id in (pair.ids, pair.ids[::-1]):
            neighbours.setdefault(kept_id, []).append(Removal(other_id, kept_id, pair))
    most = max(map(len, neighbours.values()), default=0)

    def rank(candidate: Candidate) -> tuple[Any, ...]:
        met = len(neighbours.get(candidate.image_id, ()))
        is_central = most <= COPIES_RANKED_ALONE or met >= CENTRAL_SHARE * most
        return not candidate.is_fixed, not is_central, *candidate.rank

    ordered = sorted(candidates, key=rank)
    fixed = {candidate.image_id for candidate in ordered if candidate.is_fixed}
    removals: dict[int, Removal] = {}
    for kept in ordered:
        if kept.image_id in removals:
            continue
        for removal in neighbours.get(kept.image_id, ()):
            if removal.image_id not in fixed:
                removals.setdefault(removal.image_id, removal)
    return [removals[image_id] for image_id in sorted(removals)]


def cluster_pairs(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """The pairs in clusters that share no image, in the order of their first pair."""
    leaders: dict[int, int] = {}
    for pair in pairs:
        join_images(leaders, *pair.ids)
    clusters: dict[int, list[Pair]] = {}
    for pair in pairs:
        clusters.setdefault(_leader(leaders, pair.first_id), []).append(pair)
    return list(clusters.values())


def find_leaders(pairs: Iterable[Pair]) -> dict[int, int]:
    """The lowest id of the cluster that each image of the pairs is in."""
    leaders: dict[int, int] = {}
    for pair in pairs:
        join_images(leaders, *pair.ids)
    return {image_id: _leader(leaders, image_id) for image_id in sorted(leaders)}


def join_images(leaders: dict[int, int], first_id: int, second_id: int) -> None:
    """Let `leaders`, which lead from each image towards its cluster's lowest, join two clusters."""
    first = _leader(leaders, first_id)
    second = _leader(leaders, second_id)
    leaders[max(first, second)] = min(first, second)


def _leader(leaders: dict[int, int], image_id: int) -> int:
    """The lowest id of the image's cluster so far; shortens the way there for the next time."""
    leader = leaders.setdefault(image_id, image_id)
    while leader != leaders[leader]:
        leaders[leader] = leaders[leaders[leader]]
        leader = leaders[leader]
    leaders[image_id] = leader
    return leader


def licence_rank(url: str | None, name: str | None) -> int:
    """0 for the public domain, then Creative Commons' spectrum; the largest where unknown.

    The order is that of creativecommons.org/share-your-work/cclicenses, most to least permissive.
    """
    short = name or ""
    for word, letters in _WORDS:
        short = word.sub(letters, short)
    for text in (url or "", short):
        if _PUBLIC_DOMAIN.search(text):
            return PUBLIC_DOMAIN_RANK
        match = _CREATIVE_COMMONS.search(text)
        if match:
            return 1 + _SPECTRUM.index(match.group(1).lower())
    return UNKNOWN_RANK
