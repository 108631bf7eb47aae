"""Who agrees with whom, at a glance: fast enough for a board that is looked at all day."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from catalog.settings import QaSettings

from .agreement import match_objects
from .intervals import Interval, estimate_share
from .subjects import CheckedObject
from .work import list_blind, load_objects_of_doubles


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


@dataclass(frozen=True)
class Sharing:
    """What two annotations of one image share: objects that either has, that both have, overlap."""

    either: int
    both: int
    overlaps: float


MatchMemory = dict[tuple[int, int, float], Sharing]
"""What was matched, by two revisions and the least overlap; revisions never change."""


def load_agreement_matrix(
    session: Session, settings: QaSettings, memory: MatchMemory | None = None
) -> list[MatrixCell]:
    """A cell for every two people who annotated an image both, in order of their ids.

    Only what `memory` does not hold yet is matched, and put into it.
    """
    memory = {} if memory is None else memory
    least = settings.match_overlap
    doubles = list_blind(session)
    news = [one for one in doubles if (*one.annotation_ids, least) not in memory]
    for double, pair in zip(news, load_objects_of_doubles(session, news), strict=True):
        memory[(*double.annotation_ids, least)] = share(pair.first, pair.second, least)
    return make_matrix((one.people, memory[(*one.annotation_ids, least)]) for one in doubles)


def share(
    first: Sequence[CheckedObject], second: Sequence[CheckedObject], least_overlap: float
) -> Sharing:
    """What two annotations share, matched one to one."""
    matches = match_objects(first, second, least_overlap=least_overlap).matches
    either = len(first) + len(second) - len(matches)
    return Sharing(either, len(matches), sum(match.overlap for match in matches))


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


def make_matrix(images: Iterable[tuple[tuple[int, int], Sharing]]) -> list[MatrixCell]:
    """The cells of images, each with its two people and what they share of it."""
    cells: dict[tuple[int, int], list[Sharing]] = defaultdict(list)
    for people, sharing in images:
        cells[min(people), max(people)].append(sharing)
    return [_make_cell(people, cells[people]) for people in sorted(cells)]


def _make_cell(people: tuple[int, int], images: Sequence[Sharing]) -> MatrixCell:
    both = sum(one.both for one in images)
    overlap = sum(one.overlaps for one in images) / both if both else None
    found = estimate_share(both, sum(one.either for one in images))
    return MatrixCell(*people, len(images), found, overlap)
