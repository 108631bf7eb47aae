"""Who agrees with whom, at a glance, for the board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from catalog.settings import QaSettings

from .agreement import group_by_people
from .findings import SeenTwice
from .intervals import Interval, estimate_share_by_image
from .matching import MatchedImage, match_pairs
from .work import load_seen_twice


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
    shared: Sequence[MatchedImage]

    @property
    def images(self) -> int:
        """How many images both annotated."""
        return len(self.shared)


def load_agreement_matrix(session: Session, settings: QaSettings) -> list[MatrixCell]:
    """A cell for every two people who annotated an image both, in order of their ids."""
    return make_matrix(load_seen_twice(session, is_blind=True), settings.match_overlap)


def make_matrix(pairs: Sequence[SeenTwice], least_overlap: float) -> list[MatrixCell]:
    """The cells of images that two people have."""
    matched = match_pairs(pairs, (), least_overlap=least_overlap)
    cells = []
    for people, images in group_by_people(matched.images):
        overlaps = [match.overlap for image in images for match in image.matches]
        mean = sum(overlaps) / len(overlaps) if overlaps else None
        cells.append(MatrixCell(*people, _share_of(images), mean, images))
    return cells


def summarise_people(cells: Sequence[MatrixCell]) -> dict[int, Interval]:
    """Each person's agreement with all others: of what either has, the share that both have."""
    people = sorted({person for cell in cells for person in (cell.first_id, cell.second_id)})
    shares = {}
    for person in people:
        theirs = [cell for cell in cells if person in (cell.first_id, cell.second_id)]
        shares[person] = _share_of([image for cell in theirs for image in cell.shared])
    return {person: share for person, share in shares.items() if share.count}


def _share_of(images: Sequence[MatchedImage]) -> Interval:
    """Of the objects that either has on these images, the share that both have."""
    both = [len(image.matches) for image in images]
    either = [len(it.first) + len(it.second) - len(it.matches) for it in images]
    return estimate_share_by_image(both, either)
