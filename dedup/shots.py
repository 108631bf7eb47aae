"""When and by whom images were taken, out of the catalogue, and which two are of one event."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
from sqlalchemy import Select, and_, func, select
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Duplicate, Image, Photo

from .clusters import find_leaders
from .decisions import slices
from .events import Nearness, Shot, find_gap_secs, find_near_shots, parse_taken_at
from .pairs import BY_TIME, BY_UPLOAD, Pair
from .signature_rows import Census, Ids, cut_ids, load_pictures
from .verify.scenes import scene_similarity
from .verify.verdicts import Relation

PAIRS_AT_ONCE = 256


def find_events(party: Party, census: Census, found: Sequence[Pair]) -> Iterator[Pair]:
    """Pairs of images of the census, one of them new, that show one event by owner and time.

    Those that are found to belong together already, be it through others, are left out. What was
    put aside speaks for the image that it was put aside for: a shot may be of one event with what
    somebody else copied.
    """
    known = {pair.ids for pair in found}
    leaders = find_leaders(pair for pair in found if pair.relation is Relation.DUPLICATE)
    near = (
        one
        for one in _iterate_near_shots(party, census)
        if (one.first_id, one.second_id) not in known
        and leaders.get(one.first_id, -1) != leaders.get(one.second_id, -2)
    )
    while some := list(islice(near, PAIRS_AT_ONCE)):
        with party.catalogue.reading() as session:
            yield from _compare(session, some)


def part_shots(party: Party, pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The pairs, but two shots of one camera at different times are no copies of one another."""
    most_secs = party.settings.dedup.same_event_minutes * 60
    pairs = iter(pairs)
    while some := list(islice(pairs, PAIRS_AT_ONCE)):
        copies = [pair for pair in some if pair.relation is Relation.DUPLICATE]
        with party.catalogue.reading() as session:
            shots = _load_shots_of(session, {one for pair in copies for one in pair.ids})
        for pair in some:
            gap_secs = find_gap_secs(*(shots.get(one, []) for one in pair.ids)) or 0
            is_copy = pair.relation is Relation.DUPLICATE
            yield _make_event(pair, gap_secs) if is_copy and 0 < gap_secs <= most_secs else pair


def _make_event(pair: Pair, gap_secs: float) -> Pair:
    return replace(pair, relation=Relation.SAME_EVENT, doubt=0.0, how=BY_TIME, gap_secs=gap_secs)


def _iterate_near_shots(party: Party, census: Census) -> Iterator[Nearness]:
    """Each two images that one owner took so near in time; some owners in memory at a time."""
    max_gap_secs = party.settings.dedup.same_event_minutes * 60
    if not max_gap_secs:
        return
    with party.catalogue.reading() as session:
        owners = sorted(_load_owners(session, census.image_ids[census.is_new]))
    for some_owners in slices(owners):
        with party.catalogue.reading() as session:
            by_owner = _load_shots_by(session, some_owners)
        for shots in by_owner.values():
            is_new = census.find_new(shot.image_id for shot in shots)
            standing = [shot for shot in shots if shot.image_id in is_new]
            new_ids = {image_id for image_id, one_is_new in is_new.items() if one_is_new}
            yield from find_near_shots(standing, new_ids, max_gap_secs)


def _load_owners(session: Session, new_ids: Ids) -> set[str]:
    """All owners of new images."""
    return {
        owner
        for some_ids in cut_ids(new_ids)
        for owner in session.scalars(
            select(Photo.owner_id).where(Photo.image_id.in_(some_ids.tolist())).distinct()
        )
        if owner
    }


def _load_shots_by(session: Session, owners: Sequence[str]) -> dict[str, list[Shot]]:
    """The shots of each of these owners; a photo that was put aside is one of the kept image."""
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
        .where(Photo.owner_id.in_(owners))
    )
    found: defaultdict[str, list[Shot]] = defaultdict(list)
    for row in session.execute(statement):
        shot = _make_shot(*row)
        found[shot.owner].append(shot)
    return dict(sorted(found.items()))


def _load_shots_of(session: Session, image_ids: Collection[int]) -> dict[int, list[Shot]]:
    """The shots of each of these images."""
    found: defaultdict[int, list[Shot]] = defaultdict(list)
    for some_ids in slices(sorted(image_ids)):
        statement = _select_shots(Photo.image_id).where(Photo.image_id.in_(some_ids))
        for row in session.execute(statement.where(Photo.owner_id.is_not(None))):
            found[row[0]].append(_make_shot(*row))
    return found


def _select_shots(image_id: Any) -> Select[Any]:
    taken = Photo.taken_at_text, Photo.taken_at_unknown
    columns = (image_id, Photo.source, Photo.owner_id, *taken, Photo.uploaded_at)
    return select(*columns).order_by(Photo.id)


def _make_shot(
    image_id: int,
    source: Any,
    owner: str,
    taken_at_text: str | None,
    is_unknown: bool,
    uploaded_at: Any,
) -> Shot:
    taken_at = parse_taken_at(taken_at_text, is_unknown=is_unknown)
    return Shot(image_id, f"{source.value} {owner}", taken_at, uploaded_at)


def _compare(session: Session, near: list[Nearness]) -> Iterator[Pair]:
    """The pairs of near shots that look alike enough to show one event."""
    ids = np.array([(one.first_id, one.second_id) for one in near], np.int64)
    found, pictures = load_pictures(session, ids.ravel())
    there = np.flatnonzero(np.isin(ids, found).all(axis=1))
    rows = np.searchsorted(found, ids[there])
    alike = scene_similarity(pictures, rows[:, 0], rows[:, 1])
    for number, similarity in zip(there.tolist(), alike.tolist(), strict=True):
        one = near[number]
        if similarity >= one.min_similarity:
            yield Pair(
                one.first_id,
                one.second_id,
                Relation.SAME_EVENT,
                one.doubt(similarity),
                how=BY_UPLOAD if one.is_by_upload else BY_TIME,
                gap_secs=one.gap_secs,
                scene_similarity=similarity,
            )
