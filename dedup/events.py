"""Photographs of one event: one owner took them seconds or minutes apart, and they look alike.

They are linked, not removed, so that they never fall on both sides of a split.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

TAKEN_FORMATS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y:%m:%d %H:%M:%S")
SECS_OF_BURST = 60
MIN_SIMILARITY_OF_BURST = 0.38
MIN_SIMILARITY = 0.45
MIN_SIMILARITY_BY_UPLOAD = 0.55
LEAST_DOUBT_BY_UPLOAD = 0.5
"""A moment of uploading says little: many upload the photographs of years at once. Of 5,831 pairs
of unrelated pictures 2.1 % are alike to 0.45 and 0.6 % to 0.55."""
MOST_NEIGHBOURS = 50
"""On each clock: a thousand photographs may be uploaded at once."""


@dataclass(frozen=True, slots=True)
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
    copy of the other, however alike they are; `is_by_upload` that only the uploads are so near.
    """

    first_id: int
    second_id: int
    gap_secs: float
    are_other_shots: bool
    is_by_upload: bool = False

    @property
    def min_similarity(self) -> float:
        """How alike they must look to be of one event."""
        if self.is_by_upload:
            return MIN_SIMILARITY_BY_UPLOAD
        is_burst = self.are_other_shots and self.gap_secs <= SECS_OF_BURST
        return MIN_SIMILARITY_OF_BURST if is_burst else MIN_SIMILARITY

    def doubt(self, similarity: float) -> float:
        """How doubtful it is that two so alike are of one event: 0 certain, 1 on the threshold."""
        doubt = 1 - (similarity - self.min_similarity) / (1 - self.min_similarity)
        least = LEAST_DOUBT_BY_UPLOAD if self.is_by_upload else 0.0
        return least + (1 - least) * doubt


def find_near_shots(
    shots: Sequence[Shot], new_ids: set[int], max_gap_secs: float
) -> Iterator[Nearness]:
    """Every two images of one owner, one of them new, taken or uploaded so near to one another.

    The time of taking decides where both have one. A pair comes again where photos of it do.
    """
    for clock in ("taken_at", "uploaded_at"):
        for one, other in _neighbours(shots, max_gap_secs, clock):
            is_told = one.taken_at is not None and other.taken_at is not None
            if is_told and clock != "taken_at":
                continue
            if one.image_id != other.image_id and not new_ids.isdisjoint(
                (one.image_id, other.image_id)
            ):
                yield _measure(one, other)


def find_gap_secs(first: Iterable[Shot], second: Sequence[Shot]) -> float | None:
    """How far apart a camera's clock says two images were taken, or None where none says it.

    Of several photos of them the two that are nearest in time decide.
    """
    gaps_secs = (
        _gap_secs(one.taken_at, other.taken_at)
        for one in first
        for other in second
        if one.owner == other.owner and one.taken_at is not None and other.taken_at is not None
    )
    return min(gaps_secs, default=None)


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


def _neighbours(
    shots: Sequence[Shot], max_gap_secs: float, clock: str
) -> Iterator[tuple[Shot, Shot]]:
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


def _measure(one: Shot, other: Shot) -> Nearness:
    ids = min(one.image_id, other.image_id), max(one.image_id, other.image_id)
    if one.taken_at is not None and other.taken_at is not None:
        gap_secs = _gap_secs(one.taken_at, other.taken_at)
        return Nearness(*ids, gap_secs, are_other_shots=gap_secs > 0)
    assert one.uploaded_at is not None
    assert other.uploaded_at is not None
    gap_secs = _gap_secs(one.uploaded_at, other.uploaded_at)
    return Nearness(*ids, gap_secs, are_other_shots=False, is_by_upload=True)


def _gap_secs(one: datetime, other: datetime) -> float:
    return abs((other - one).total_seconds())
