"""Who agrees with whom, at a glance: fast enough for a board that is looked at all day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

from catalog.settings import QaSettings

from .intervals import Interval, estimate_share
from .matched import MatchedPairs, match_pairs
from .work import load_seen_twice


@dataclass(frozen=True)
class MatrixCell:
    """Two people on the images that both annotated blind.

    `both` is the share of the objects that either has which both have; its interval takes objects
    for independent, so it is a little narrow. `mean_overlap` is of those, None where there are
    none.
    """

    first_id: int
    second_id: int
    images: int
    both: Interval
    mean_overlap: float | None


def load_agreement_matrix(session: Session, settings: QaSettings) -> list[MatrixCell]:
    """A cell for every two people who annotated an image both, in order of their ids."""
    pairs = load_seen_twice(session, is_blind=True)
    return make_matrix(match_pairs(pairs, (), least_overlap=settings.match_overlap))


def summarise_people(cells: Sequence[MatrixCell]) -> dict[int, Interval]:
    """Each person's agreement with everybody else: of what either has, the share that both have."""
    hits: Counter[int] = Counter()
    counts: Counter[int] = Counter()
    for cell in cells:
        for person_id in (cell.first_id, cell.second_id):
            if cell.both.count:
                hits[person_id] += round(cell.both.value * cell.both.count)
                counts[person_id] += cell.both.count
    return {person: estimate_share(hits[person], counts[person]) for person in sorted(counts)}


def make_matrix(matched: MatchedPairs) -> list[MatrixCell]:
    """The cells of matched annotations."""
    images = matched.images
    drawn = np.bincount(matched.object_image, minlength=images)
    both = np.bincount(matched.pair_image, minlength=images)
    overlaps = np.bincount(matched.pair_image, weights=matched.overlaps, minlength=images)
    sums: dict[tuple[int, int], list[float]] = {}
    rows = zip(matched.people.tolist(), drawn, both, overlaps, strict=True)
    for (first, second), drawn_count, both_count, overlap in rows:
        cell = sums.setdefault((first, second), [0, 0, 0, 0.0])
        for place, value in enumerate((1, drawn_count, both_count, overlap)):
            cell[place] += value
    return [_make_cell(people, *sums[people]) for people in sorted(sums)]


def _make_cell(
    people: tuple[int, int], images: float, drawn: float, both: float, overlaps: float
) -> MatrixCell:
    share = estimate_share(round(both), round(drawn - both))
    return MatrixCell(*people, round(images), share, overlaps / both if both else None)
