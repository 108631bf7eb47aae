"""Photographs of one event: one owner took them seconds or minutes apart, and they look alike.

They are linked, not removed, so that they never fall on both sides of a split.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

TAKEN_FORMATS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y:%m:%d %H:%M:%S")
SECS_OF_BURST = 60
MIN_SIMILARITY_OF_BURST = 0.38
MIN_SIMILARITY = 0.45
MOST_NEIGHBOURS = 50
"""On each clock: a thousand photographs may be uploaded at once."""


@dataclass(frozen=True)
class Shot:
    """When an image was taken (its owner's clock) or uploaded, and by whom."""

    image_id: int
    owner: str
    taken_at: datetime | None
    uploaded_at: datetime | None


@dataclass(frozen=True)
class Nearness:
    """Two images of one owner, the lower id first, and how far apart they were taken or uploaded.

    `are_other_shots` says that the owner's camera gave them different times, so that neither is a
    copy of the other, however alike they are.
    """

    first_id: int
    second_id: int
    gap_secs: float
    are_other_shots: bool

    @property
    def min_similarity(self) -> float:
        """How alike they must look to be of one event."""
        is_burst = self.are_other_shots and self.gap_secs <= SECS_OF_BURST
        return MIN_SIMILARITY_OF_BURST if is_burst else MIN_SIMILARITY


def find_near_shots(
    shots: Iterable[Shot], new_ids: set[int], max_gap_secs: float
) -> dict[tuple[int, int], Nearness]:
    """Every two images, one of them new, that one owner took or uploaded so near to one another.

    The time of taking decides where both have one.
    """
    by_owner: defaultdict[str, list[Shot]] = defaultdict(list)
    for shot in shots:
        by_owner[shot.owner].append(shot)
    found: dict[tuple[int, int], Nearness] = {}
    for some in by_owner.values():
        for one, other in (
            *_neighbours(some, max_gap_secs, "taken_at"),
            *_neighbours(some, max_gap_secs, "uploaded_at"),
        ):
            pair = min(one.image_id, other.image_id), max(one.image_id, other.image_id)
            if pair[0] == pair[1] or not new_ids.intersection(pair) or pair in found:
                continue
            nearness = _measure(one, other, pair)
            if nearness.gap_secs <= max_gap_secs:
                found[pair] = nearness
    return found


def parse_taken_at(text: str | None, *, is_unknown: bool) -> datetime | None:
    """The owner's local time, or None where it is not known to the second."""
    if text is None or is_unknown:
        return None
    for pattern in TAKEN_FORMATS:
        try:
            return datetime.strptime(text.strip(), pattern)  # noqa: DTZ007  it has no time zone
        except ValueError:
            continue
    return None


def _neighbours(shots: list[Shot], max_gap_secs: float, clock: str) -> Iterator[tuple[Shot, Shot]]:
    """Every two shots that are so near on one clock."""
    known = sorted(
        (shot for shot in shots if getattr(shot, clock) is not None),
        key=lambda shot: (getattr(shot, clock), shot.image_id),
    )
    start = 0
    for place, shot in enumerate(known):
        while _gap_secs(getattr(known[start], clock), getattr(shot, clock)) > max_gap_secs:
            start += 1
        nearest = known[max(start, place - MOST_NEIGHBOURS) : place]
        yield from ((other, shot) for other in nearest)


def _measure(one: Shot, other: Shot, pair: tuple[int, int]) -> Nearness:
    if one.taken_at is not None and other.taken_at is not None:
        gap_secs = _gap_secs(one.taken_at, other.taken_at)
        return Nearness(*pair, gap_secs, are_other_shots=gap_secs > 0)
    assert one.uploaded_at is not None
    assert other.uploaded_at is not None
    return Nearness(*pair, _gap_secs(one.uploaded_at, other.uploaded_at), are_other_shots=False)


def _gap_secs(one: datetime, other: datetime) -> float:
    return abs((other - one).total_seconds())
