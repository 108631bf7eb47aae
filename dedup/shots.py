"""When and by whom images were taken, out of the catalogue, and which two are of one event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.tables import Photo

from .decisions import slices
from .events import Nearness, Shot, find_near_shots, parse_taken_at
from .pairs import BY_TIME, Pair
from .signature_rows import Census, load_pictures
from .verify.scenes import scene_similarity
from .verify.verdicts import Relation

PAIRS_AT_ONCE = 256

NearShots = dict[tuple[int, int], Nearness]


def load_near_shots(session: Session, census: Census, max_gap_secs: float) -> NearShots:
    """Every two images of the census, one of them new, that one owner took so near in time."""
    new_ids = set(census.image_ids[census.is_new].tolist())
    known_ids = set(census.image_ids.tolist())
    shots = (shot for shot in _load_shots(session, new_ids) if shot.image_id in known_ids)
    return find_near_shots(shots, new_ids, max_gap_secs) if max_gap_secs > 0 else {}


def find_events(session: Session, near_shots: NearShots) -> Iterator[Pair]:
    """The pairs of near shots that look alike enough to show one event."""
    listed = sorted(near_shots.values(), key=lambda near: (near.first_id, near.second_id))
    for at in range(0, len(listed), PAIRS_AT_ONCE):
        yield from _compare(session, listed[at : at + PAIRS_AT_ONCE])


def part_shots(pairs: Iterable[Pair], near_shots: NearShots) -> Iterator[Pair]:
    """The pairs, but two shots of one camera at different times are no copies of one another."""
    for pair in pairs:
        near = near_shots.get((pair.first_id, pair.second_id))
        is_copy = pair.relation is Relation.DUPLICATE and near and near.are_other_shots
        if is_copy:
            yield Pair(
                pair.first_id, pair.second_id, Relation.SAME_EVENT, 0.0, pair.evidence, BY_TIME
            )
        else:
            yield pair


def _load_shots(session: Session, new_ids: set[int]) -> Iterator[Shot]:
    """The shots of all owners that new images have, each photo one."""
    owners: set[tuple[str, str]] = set()
    for some_ids in slices(sorted(new_ids)):
        rows = session.execute(
            select(Photo.source, Photo.owner_id)
            .where(Photo.image_id.in_(some_ids), Photo.owner_id.is_not(None))
            .distinct()
        )
        owners.update((source.value, owner) for source, owner in rows if owner)
    for some_owners in slices(sorted({owner for _, owner in owners})):
        rows = session.execute(
            select(
                Photo.image_id,
                Photo.source,
                Photo.owner_id,
                Photo.taken_at_text,
                Photo.taken_at_unknown,
                Photo.uploaded_at,
            )
            .where(Photo.owner_id.in_(some_owners), Photo.image_id.is_not(None))
            .order_by(Photo.id)
        )
        for image_id, source, owner, taken_at_text, is_unknown, uploaded_at in rows:
            if (source.value, owner) in owners:
                taken_at = parse_taken_at(taken_at_text, is_unknown=is_unknown)
                yield Shot(image_id, f"{source.value} {owner}", taken_at, uploaded_at)


def _compare(session: Session, near: list[Nearness]) -> Iterator[Pair]:
    ids = np.array([(one.first_id, one.second_id) for one in near], np.int64)
    found, pictures = load_pictures(session, ids.ravel())
    there = np.flatnonzero(np.isin(ids, found).all(axis=1))
    rows = np.searchsorted(found, ids[there])
    alike = scene_similarity(pictures, rows[:, 0], rows[:, 1])
    for number, similarity in zip(there.tolist(), alike.tolist(), strict=True):
        one = near[number]
        if similarity >= one.min_similarity:
            doubt = 1 - (similarity - one.min_similarity) / (1 - one.min_similarity)
            yield Pair(one.first_id, one.second_id, Relation.SAME_EVENT, doubt, how=BY_TIME)
