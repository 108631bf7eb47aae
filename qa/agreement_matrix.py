"""Who agrees with whom, at a glance: fast enough for a board that is looked at all day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from catalog.settings import QaSettings

from .agreement import match_objects
from .intervals import Interval, estimate_share_by_image
from .load import load_boxes_of
from .subjects import CheckedObject
from .work import list_blind


@dataclass(frozen=True)
class Sharing:
    """What two annotations of one image share: objects that either has, that both have, overlap."""

    either: int
    both: int
    overlaps: float


@dataclass(frozen=True)
class MatrixCell:
    """Two people on the images that both annotated blind.

    `both` is the share of the objects that either has which both have, its interval by image, its
    count that of the objects. `mean_overlap` is of those that both have, None where there are none.
    """

    first_id: int
    second_id: int
    both: Interval
    mean_overlap: float | None
    shared: tuple[Sharing, ...]

    @property
    def images(self) -> int:
        """How many images both annotated."""
        return len(self.shared)


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
    drawn = load_boxes_of(session, [key for one in news for key in one.annotation_ids])
    for double in news:
        first, second = (drawn.get(key, ()) for key in double.annotation_ids)
        memory[(*double.annotation_ids, least)] = share(first, second, least)
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
    shared: dict[int, list[Sharing]] = defaultdict(list)
    for cell in cells:
        for person_id in (cell.first_id, cell.second_id):
            shared[person_id] += cell.shared
    shares = {person: _share_of(shared[person]) for person in sorted(shared)}
    return {person: share for person, share in shares.items() if share.count}


def make_matrix(images: Iterable[tuple[tuple[int, int], Sharing]]) -> list[MatrixCell]:
    """The cells of images, each with its two people and what they share of it."""
    cells: dict[tuple[int, int], list[Sharing]] = defaultdict(list)
    for people, sharing in images:
        cells[min(people), max(people)].append(sharing)
    return [_make_cell(people, cells[people]) for people in sorted(cells)]


def _make_cell(people: tuple[int, int], images: Sequence[Sharing]) -> MatrixCell:
    both = sum(one.both for one in images)
    overlap = sum(one.overlaps for one in images) / both if both else None
    return MatrixCell(*people, _share_of(images), overlap, tuple(images))


def _share_of(images: Sequence[Sharing]) -> Interval:
    """Of the objects that either has on these images, the share that both have."""
    return estimate_share_by_image([one.both for one in images], [one.either for one in images])
