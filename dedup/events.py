"""Photographs of one event: one owner took them seconds or minutes apart, and they look alike.

They are linked, not removed, so that they never fall on both sides of a split.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any

import numpy as np
from sqlalchemy import Select, and_, func, select
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Duplicate, Image, Photo

from .candidates import Census
from .clusters import find_leaders
from .constants import (
    EVENT_SCENE_SIMILARITY,
    EVENT_SCENE_SIMILARITY_BY_UPLOAD,
    MOST_NEIGHBOURS,
)
from .decisions import SOME, slices
from .pairs import BY_TIME, BY_UPLOAD, Pair, Relation
from .signature_rows import load_known
from .verify.scenes import scene_similarity

TAKEN_FORMATS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y:%m:%d %H:%M:%S")


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

    `is_by_upload` says that only the uploads are so near.
    """

    first_id: int
    second_id: int
    gap_secs: float
    is_by_upload: bool = False

    @property
    def min_similarity(self) -> float:
        """How alike they must look to be of one event."""
        if self.is_by_upload:
            return EVENT_SCENE_SIMILARITY_BY_UPLOAD
        return EVENT_SCENE_SIMILARITY

    def doubt(self, similarity: float) -> float:
        """How doubtful it is that two so alike are of one event: 0 certain, 1 on the threshold.

        Half a doubt is left where only the uploads tell.
        """
        doubt = 1 - (similarity - self.min_similarity) / (1 - self.min_similarity)
        return (1 + doubt) / 2 if self.is_by_upload else doubt


def find_events(party: Party, census: Census, pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Pairs of images of the census, one of them new, that show one event by owner and time.

    Those that are found to belong together already, be it through others, are left out. An image
    that was put aside stands for the kept one: a shot may be of one event with a copy of another
    owner's.
    """
    known = {pair.ids for pair in pairs}
    leaders = find_leaders(pair for pair in pairs if pair.relation is Relation.DUPLICATE)
    near = (
        nearness
        for nearness in _iterate_near_shots(party, census)
        if (nearness.first_id, nearness.second_id) not in known
        and leaders.get(nearness.first_id, -1) != leaders.get(nearness.second_id, -2)
    )
    while some := list(islice(near, SOME)):
        with party.catalogue.reading() as session:
            yield from _compare(session, some)


def part_shots(party: Party, pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The pairs, but two shots of one camera at different times are no copies of one another.

    Of several photos of them the two that are nearest in time decide.
    """
    most_secs = party.settings.dedup.same_event_minutes * 60
    pairs = iter(pairs)
    while some := list(islice(pairs, SOME)):
        copies = [pair for pair in some if pair.relation is Relation.DUPLICATE]
        shots: dict[int, list[Shot]] = {}
        for some_ids in slices(sorted({image_id for pair in copies for image_id in pair.ids})):
            of_these = Photo.image_id.in_(some_ids), Photo.owner_id.is_not(None)
            with party.catalogue.reading() as session:
                statement = _select_shots(Photo.image_id).where(*of_these)
                shots |= _load_shots(session, statement, "image_id")
        for pair in some:
            first, second = (shots.get(image_id, []) for image_id in pair.ids)
            gaps_secs = (
                _gap_secs(shot.taken_at, other_shot.taken_at)
                for shot in first
                for other_shot in second
                if shot.owner == other_shot.owner and shot.taken_at and other_shot.taken_at
            )
            gap_secs = min(gaps_secs, default=0.0)
            if pair.relation is Relation.DUPLICATE and 0 < gap_secs <= most_secs:
                event = Relation.SAME_EVENT
                pair = replace(pair, relation=event, doubt=0.0, how=BY_TIME, gap_secs=gap_secs)
            yield pair


def find_near_shots(
    shots: Sequence[Shot], new_ids: set[int], max_gap_secs: float
) -> Iterator[Nearness]:
    """Every two images of one owner, one of them new, taken or uploaded so near to one another.

    The time of taking decides where both have one. Where several photos
    of two images are near, their pair comes again, the nearest in time last.
    """
    for clock in ("taken_at", "uploaded_at"):
        known = sorted(
            (shot for shot in shots if getattr(shot, clock) is not None),
            key=lambda shot: (getattr(shot, clock), shot.image_id),
        )
        for place, shot in enumerate(known):
            for other in known[max(place - MOST_NEIGHBOURS, 0) : place]:
                gap_secs = _gap_secs(getattr(other, clock), getattr(shot, clock))
                if gap_secs > max_gap_secs:
                    continue
                is_told = other.taken_at is not None and shot.taken_at is not None
                ids = {other.image_id, shot.image_id}
                if is_told == (clock == "taken_at") and len(ids) == 2 and ids & new_ids:
                    yield Nearness(min(ids), max(ids), gap_secs, not is_told)


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


def _gap_secs(first: datetime, second: datetime) -> float:
    return abs((second - first).total_seconds())


def _iterate_near_shots(party: Party, census: Census) -> Iterator[Nearness]:
    """Each two images that one owner took so near in time; some owners in memory at a time.

    A photo that was put aside is one of the kept image.
    """
    max_gap_secs = party.settings.dedup.same_event_minutes * 60
    if not max_gap_secs:
        return
    owners: set[str] = set()
    for some_ids in slices(census.image_ids[census.is_new]):
        of_these = Photo.image_id.in_(some_ids.tolist()), Photo.owner_id != ""
        with party.catalogue.reading() as session:
            owners |= set(session.scalars(select(Photo.owner_id).where(*of_these)))
    stands_for = and_(
        Duplicate.image_id == Photo.image_id,
        Duplicate.relation == Relation.DUPLICATE,
        Duplicate.undone_at.is_(None),
        Image.state == ImageState.DUPLICATE,
    )
    statement = (
        _select_shots(func.coalesce(Duplicate.kept_image_id, Photo.image_id))
        .join(Image, Image.id == Photo.image_id)
        .outerjoin(Duplicate, stands_for)
    )
    for some_owners in slices(sorted(owners)):
        with party.catalogue.reading() as session:
            theirs = statement.where(Photo.owner_id.in_(some_owners))
            by_owner = _load_shots(session, theirs, "owner")
        for _, shots in sorted(by_owner.items()):
            is_new = census.find_new(shot.image_id for shot in shots)
            counted = [shot for shot in shots if shot.image_id in is_new]
            new_ids = {image_id for image_id, one_is_new in is_new.items() if one_is_new}
            yield from find_near_shots(counted, new_ids, max_gap_secs)


def _select_shots(image_id: Any) -> Select[Any]:
    taken = Photo.taken_at_text, Photo.taken_at_unknown
    columns = (image_id, Photo.source, Photo.owner_id, *taken, Photo.uploaded_at)
    return select(*columns).order_by(Photo.id)


def _load_shots(session: Session, statement: Select[Any], key: str) -> dict[Any, list[Shot]]:
    """The shots by their owner or image_id."""
    shots: defaultdict[Any, list[Shot]] = defaultdict(list)
    for image_id, source, owner, taken, is_unknown, uploaded_at in session.execute(statement):
        taken_at = parse_taken_at(taken, is_unknown=is_unknown)
        shot = Shot(image_id, f"{source.value} {owner}", taken_at, uploaded_at)
        shots[getattr(shot, key)].append(shot)
    return shots


def _compare(session: Session, near: list[Nearness]) -> Iterator[Pair]:
    """The pairs of near shots that look alike enough to show one event."""
    ids = np.array([(nearness.first_id, nearness.second_id) for nearness in near], np.int64)
    known = load_known(session, ids.ravel())
    for nearness in near:
        if nearness.first_id not in known or nearness.second_id not in known:
            continue
        similarity = scene_similarity(
            known[nearness.first_id].levels, known[nearness.second_id].levels
        )
        if similarity >= nearness.min_similarity:
            yield Pair(
                nearness.first_id,
                nearness.second_id,
                Relation.SAME_EVENT,
                nearness.doubt(similarity),
                how=BY_UPLOAD if nearness.is_by_upload else BY_TIME,
                gap_secs=nearness.gap_secs,
                scene_similarity=similarity,
            )
