"""Plain copies of an image that is gone: they are of one photograph, as was known through it.

Two plain images are never compared with one another. Without this each plain copy of an image that
is taken down would come back for itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import exists, select
from sqlalchemy.orm import Session, aliased

from catalog.states import ImageState
from catalog.tables import Duplicate, Image, PairLabel

from .crowds import ROUNDS, Rank
from .decisions import COUNTED
from .labels import is_label_of_row
from .pairs import BY_GONE_IMAGE, Pair, Relation
from .signature.maps import Map, compose, invert
from .verify.frames import coverage
from .verify.verdicts import MIN_COVERED_OF_LARGER, MIN_COVERED_OF_SMALLER


@dataclass(frozen=True)
class GoneCopy:
    """A plain image to be matched anew, and the image that is gone, whose copy it was by the rules.

    `to_kept` maps its frame to that one's, `doubt` says how doubtful the decision was.
    """

    image_id: int
    kept_image_id: int
    to_kept: Map
    doubt: float


def load_gone_copies(session: Session, min_quality: float) -> list[GoneCopy]:
    """All such images, those of one image one after the other; not what people have parted."""
    kept, label = aliased(Image), aliased(PairLabel)
    is_denied = exists(label.id).where(
        is_label_of_row(label), label.verdict != Relation.DUPLICATE.value
    )
    rows = session.scalars(
        select(Duplicate)
        .join(Image, Image.id == Duplicate.image_id)
        .join(kept, kept.id == Duplicate.kept_image_id)
        .where(Image.state == ImageState.HASHED, Image.quality < min_quality)
        .where(kept.state.not_in(COUNTED), Duplicate.undone_at.is_not(None), ~is_denied)
        .where(Duplicate.relation == Relation.DUPLICATE, Duplicate.person_id.is_(None))
        .order_by(Duplicate.kept_image_id, Duplicate.image_id)
    )
    return [copy for row in rows if (copy := _read_row(row)) is not None]


def pair_siblings(copies: Iterable[GoneCopy], rank: Rank) -> Iterator[Pair]:
    """The best copy of each image that is gone with those that show what it shows.

    What it shows too little of is paired with the next best, and so on.
    """
    for _, group in groupby(copies, key=lambda copy: copy.kept_image_id):
        by_id = {copy.image_id: copy for copy in group}
        ranked = sorted(rank(list(by_id)), key=lambda candidate: candidate.rank)
        left = [by_id[candidate.image_id] for candidate in ranked]
        for _ in range(ROUNDS):
            if len(left) < 2:
                break
            best, *others = left
            maps = [_map_between(best, other) for other in others]
            are_one = _cover_one_another(np.stack(maps))
            yield from (
                _make_pair(best, other, map_)
                for other, map_, is_one in zip(others, maps, are_one, strict=True)
                if is_one
            )
            left = [other for other, is_one in zip(others, are_one, strict=True) if not is_one]


def _read_row(row: Duplicate) -> GoneCopy | None:
    numbers = (row.evidence or {}).get("first_to_second")
    if numbers is None:
        return None
    first_to_second = np.array(numbers, np.float64).reshape(2, 3)
    is_first = row.image_id < row.kept_image_id
    to_kept = first_to_second if is_first else invert(first_to_second)
    return GoneCopy(row.image_id, row.kept_image_id, to_kept, row.doubt or 0.0)


def _map_between(one: GoneCopy, other: GoneCopy) -> Map:
    """From the frame of the one with the lower id to the other's."""
    first, second = sorted((one, other), key=lambda copy: copy.image_id)
    return compose(invert(second.to_kept), first.to_kept)


def _cover_one_another(maps: Map) -> NDArray[np.bool_]:
    """Whether two pictures share as much as verification asks of two copies."""
    covered = np.stack([coverage(maps), coverage(invert(maps))])
    is_enough: NDArray[np.bool_] = (covered.max(axis=0) >= MIN_COVERED_OF_SMALLER) & (
        covered.min(axis=0) >= MIN_COVERED_OF_LARGER
    )
    return is_enough


def _make_pair(one: GoneCopy, other: GoneCopy, first_to_second: Map) -> Pair:
    first_id, second_id = sorted((one.image_id, other.image_id))
    return Pair(
        first_id,
        second_id,
        Relation.DUPLICATE,
        1 - (1 - one.doubt) * (1 - other.doubt),
        how=BY_GONE_IMAGE,
        first_to_second=tuple(np.round(first_to_second.ravel(), 5).tolist()),
    )
