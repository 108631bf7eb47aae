"""Which of their pictures are the very same as ours, however little there is to be seen in them.

Of plain pictures nothing else can be said: any two black frames lie on one another. So these are
the same file, or have the same levels everywhere, in what is more than an even slope of grey too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from catalog.party import Party
from dedup.signature.picture import Levels
from dedup.signature_rows import cut_ids, load_known

from .contrast import Floats, has_relief, hash_levels, take_relief
from .ours import OurImage
from .theirs import TheirImage

PLAIN_QUALITY = 5.0
"""What is not so plain is told by what it shows, unless the settings ask for more."""

MOST_RMS_LEVELS = 1.0
MIN_CORRELATION = 0.9
"""Of plain pictures saved again."""

MOST_UNLIKE_SHAPES = 0.02
AT_ONCE = 2000

RowPairs = Iterator[tuple[int, int, float]]


@dataclass(frozen=True)
class Same:
    """One of their images, by its place, and one of ours that is the same picture.

    `similarity` is 1 for the same file or the same levels.
    """

    place: int
    image_id: int
    similarity: float


def find_same_files(theirs: Sequence[TheirImage], ours: Iterable[OurImage]) -> Iterator[Same]:
    """Those that have the same bytes."""
    ids = {image.sha256: image.image_id for image in ours}
    for place, image in enumerate(theirs):
        if image.sha256 in ids:
            yield Same(place, ids[image.sha256], 1.0)


def find_same_pictures(
    party: Party, theirs: Sequence[TheirImage], ours: Iterable[OurImage]
) -> Iterator[Same]:
    """Plain ones that have the same levels; nearly the same, where we have their pictures."""
    least = max(PLAIN_QUALITY, party.settings.dedup.min_quality)
    plain = [image.image_id for image in ours if image.is_hashed and image.quality < least]
    places = [place for place, image in enumerate(theirs) if image.quality < least]
    for some_ids in cut_ids(np.array(sorted(plain), np.int64)):
        with party.catalogue.reading() as session:
            known = load_known(session, some_ids)
        if not known:
            continue
        ids = sorted(known)
        levels = np.stack([known[it].levels for it in ids])
        for start in range(0, len(places), AT_ONCE):
            some = places[start : start + AT_ONCE]
            for row, our_row, similarity in _match([theirs[it] for it in some], levels):
                shapes = theirs[some[row]].layout.aspect, known[ids[our_row]].layout.aspect
                if abs(np.log(shapes[0] / shapes[1])) <= MOST_UNLIKE_SHAPES:
                    yield Same(some[row], ids[our_row], similarity)


def _match(theirs: Sequence[TheirImage], ours: Levels) -> RowPairs:
    lumas = [image.signature.levels for image in theirs if image.signature is not None]
    if len(lumas) == len(theirs):
        return _match_levels(np.array(lumas), ours)
    return _match_hashes([image.levels_sha256 for image in theirs], ours)


def _match_hashes(theirs: Sequence[str | None], ours: Levels) -> RowPairs:
    rows_of: dict[str | None, list[int]] = {}
    for our_row, luma in enumerate(ours):
        rows_of.setdefault(hash_levels(luma), []).append(our_row)
    for row, one in enumerate(theirs):
        for our_row in rows_of.get(one, ()) if one is not None else ():
            yield row, our_row, 1.0


def _match_levels(theirs: Levels, ours: Levels) -> RowPairs:
    reliefs = take_relief(ours)
    means = [it.mean(axis=(1, 2)) for it in (theirs, ours)]
    for row, mean in enumerate(means[0].tolist()):
        is_near = np.abs(means[1] - mean) <= MOST_RMS_LEVELS  # as no pictures so alike differ more
        our_rows = np.flatnonzero(is_near & has_relief(reliefs))
        found = _correlate(theirs[row], ours[our_rows], reliefs[our_rows])
        for our_row, similarity in zip(our_rows.tolist(), found.tolist(), strict=True):
            if similarity >= MIN_CORRELATION:
                yield row, our_row, similarity


def _correlate(one: Levels, others: Levels, reliefs: Floats) -> Floats:
    """How alike the reliefs are; -1 where the levels are too far apart or `one` has no relief."""
    relief = take_relief(one[None])
    if not has_relief(relief)[0]:
        return np.full(len(others), -1, np.float32)
    differences = (others.astype(np.float32) - one).reshape(-1, one.size)
    lengths = np.linalg.norm(reliefs, axis=1) * np.linalg.norm(relief)
    is_near = np.sqrt((differences**2).mean(axis=1)) <= MOST_RMS_LEVELS
    products = np.einsum("ij,j", reliefs, relief[0])  # BLAS' threads cost more for so few
    alike: Floats = np.where(is_near, products / lengths, np.float32(-1))
    return alike
