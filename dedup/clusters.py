"""Which image of each cluster of near-duplicates is kept, and which are put aside for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from .pairs import NEARLY_ALL, Pair

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

FEW = 16
"""Copies of which each is compared with all others, so that none hides the flaws of another."""

_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Candidate:
    """What decides which of several near-duplicates is kept.

    `flaws` counts what the other copies show of it, see ranking.py. `is_fixed` marks an image that
    people have worked on or that was released: it is never put aside. `licence_rank` is 0 for the
    freest, `jpeg_quality` 0 to 100. `real_px` decides where nothing else does. `is_plain` marks one
    that is compared only with what is not: if it were kept, its other copies would stay as well.
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
class Removal:
    """One image to put aside for another, and the pair of the two that says why."""

    image_id: int
    kept_image_id: int
    pair: Pair


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

    def rank(one: Candidate) -> tuple[Any, ...]:
        met = len(neighbours.get(one.image_id, ()))
        is_central = most <= FEW or met >= NEARLY_ALL * most
        return not one.is_fixed, not is_central, *one.rank

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
    first, second = _leader(leaders, first_id), _leader(leaders, second_id)
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
        found = _CREATIVE_COMMONS.search(text)
        if found:
            return 1 + _SPECTRUM.index(found.group(1).lower())
    return UNKNOWN_RANK
