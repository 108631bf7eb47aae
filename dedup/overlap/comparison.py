"""Which of another's images show what images of ours show, part by part within bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np

from catalog.party import Party
from dedup.candidates import Budget, Candidates, Census, Search, ViewTable, find_candidates
from dedup.columns import stack_rows, take_rows
from dedup.executors import Watch, default_workers, open_threads, run_ahead, unwatched
from dedup.matching import Batch, count_pairs, cut_pairs, order_ids, verify_batch
from dedup.pairs import Relation
from dedup.signature_rows import (
    COPY_SHARE,
    Ids,
    load_pictures,
    load_view_table,
    make_pictures,
    stack_views,
)

from .ours import OurImage
from .sameness import find_same_files, find_same_pictures
from .theirs import TheirImage
from .unseen import THEIRS_FROM, Match, OurPart, verify_unseen

BYTES_PER_MB = 1 << 20

LEAST_QUALITY_UNSEEN = 5.0
"""Of images that we know by hashes alone: plainer ones share hashes by chance."""


@dataclass(frozen=True)
class Overlap:
    """One of their images and one of ours that belong together, and how.

    `similarity` is 1 for the same picture, `distance_bits` how many of 256 bits differ; the one
    is known where we were given the picture, the other where we were given hashes.
    """

    name: str
    image: OurImage
    relation: Relation
    similarity: float | None
    distance_bits: int | None


def find_overlaps(
    party: Party,
    theirs: Sequence[TheirImage],
    ours: Sequence[OurImage],
    *,
    workers: int | None = None,
    watch: Watch = unwatched,
) -> list[Overlap]:
    """Every two that belong together, in order of their names and our ids.

    Of images of less quality than the settings ask for, one of the two may be so plain, as a copy
    that is too dark; two of them only where they are the same picture. Images of ours without
    hashes are found only where a file of theirs is the same, those that were put aside only where
    what they were put aside for is not found.
    """
    found = {
        (overlap.name, overlap.image.image_id): overlap
        for overlap in _find_alike(party, theirs, ours, workers or default_workers(), watch)
    }
    for overlap in _find_same(party, theirs, [image for image in ours if not image.is_aside]):
        key = overlap.name, overlap.image.image_id
        if key not in found or found[key].relation is not Relation.DUPLICATE:
            found[key] = overlap
    told = {name for (name, _), it in found.items() if it.relation is Relation.DUPLICATE}
    for overlap in _find_same(party, theirs, [image for image in ours if image.is_aside]):
        if overlap.name not in told:
            found[overlap.name, overlap.image.image_id] = overlap
    return [found[key] for key in sorted(found)]


def least_quality(theirs: Sequence[TheirImage], min_quality: float) -> float:
    """What an image needs to be compared with any: more where theirs are known by hashes alone."""
    return min_quality if _have_pictures(theirs) else max(min_quality, LEAST_QUALITY_UNSEEN)


def _have_pictures(theirs: Sequence[TheirImage]) -> bool:
    """Whether we were given pictures, not only hashes."""
    return all(image.luma is not None for image in theirs)


def _find_same(
    party: Party, theirs: Sequence[TheirImage], ours: Sequence[OurImage]
) -> Iterator[Overlap]:
    by_id = {image.image_id: image for image in ours}
    are_seen = _have_pictures(theirs)
    for same in chain(find_same_files(theirs, ours), find_same_pictures(party, theirs, ours)):
        likeness = (same.similarity, None) if are_seen else (None, 0)
        name, image = theirs[same.place].name, by_id[same.image_id]
        yield Overlap(name, image, Relation.DUPLICATE, *likeness)


def _find_alike(
    party: Party,
    theirs: Sequence[TheirImage],
    ours: Sequence[OurImage],
    workers: int,
    watch: Watch,
) -> Iterator[Overlap]:
    settings = party.settings.dedup
    budget = Budget(settings.memory_mb * BYTES_PER_MB)
    least = least_quality(theirs, settings.min_quality)
    least *= COPY_SHARE if _have_pictures(theirs) else 1  # a copy may be plainer
    theirs = [image for image in theirs if image.quality >= least]
    comparable = {
        image.image_id: image
        for image in ours
        if image.is_hashed and image.quality >= least and not image.is_aside
    }
    our_ids, step = np.array(sorted(comparable), np.int64), budget.part_images
    for start in range(0, len(theirs), step):
        for our_start in range(0, len(our_ids), step):
            some, some_ids = theirs[start : start + step], our_ids[our_start : our_start + step]
            for it in _compare(party, some, some_ids, comparable, workers, watch):
                image = comparable[it.image_id]
                measures = it.similarity, it.distance_bits
                yield Overlap(some[it.place].name, image, it.relation, *measures)


def _compare(
    party: Party,
    theirs: Sequence[TheirImage],
    our_ids: Ids,
    ours: dict[int, OurImage],
    workers: int,
    watch: Watch,
) -> Iterator[Match]:
    settings = party.settings.dedup
    at_once = Budget(settings.memory_mb * BYTES_PER_MB).count_pairs_at_once(workers)
    with party.catalogue.reading() as session:
        our_views = load_view_table(session, Census(our_ids, np.zeros(len(our_ids), np.bool_)))
    plain = _list_plain(theirs, our_ids, ours, settings.min_quality)
    search = Search(settings.max_distance_64_bits, workers, plain=plain)
    candidates = find_candidates(_make_view_table(theirs), our_views, search)
    parts = (_load_part(party, some) for some in cut_pairs(candidates, at_once))
    verify = partial(verify_seen if _have_pictures(theirs) else verify_unseen, theirs)
    with (
        open_threads(workers) as executor,
        watch("Verifying", count_pairs(candidates), "pairs") as advance,
    ):
        for part, matches in run_ahead(executor, verify, parts, ahead=2 * workers):
            advance(count_pairs(part.candidates))
            yield from matches


def _list_plain(
    theirs: Sequence[TheirImage], our_ids: Ids, ours: dict[int, OurImage], min_quality: float
) -> Ids:
    """Those of the images, no two of which are compared by what they show."""
    least = least_quality(theirs, min_quality)
    plain = [it for it in our_ids.tolist() if ours[it].quality < least]
    plain += [THEIRS_FROM + it for it, image in enumerate(theirs) if image.quality < least]
    return np.array(plain, np.int64)


def _make_view_table(theirs: Sequence[TheirImage]) -> ViewTable:
    places = THEIRS_FROM + np.arange(len(theirs))
    return stack_views(places, np.ones(len(theirs), np.bool_), [one.views for one in theirs])


def _load_part(party: Party, candidates: Candidates) -> OurPart:
    """The candidates with the pictures of our images that are still there."""
    both = np.concatenate([candidates.probe, candidates.view])
    with party.catalogue.reading() as session:
        image_ids, pictures = load_pictures(session, both[both < THEIRS_FROM])
    ours, _theirs = order_ids(candidates)
    return OurPart(take_rows(candidates, np.isin(ours, image_ids)), image_ids, pictures)


def verify_seen(theirs: Sequence[TheirImage], part: OurPart) -> list[Match]:
    """The matches by the evidence that dedup itself goes by."""
    _ours, their_ids = order_ids(part.candidates)
    places = np.unique(their_ids)
    images = [theirs[place - THEIRS_FROM] for place in places.tolist()]
    lumas = [image.luma for image in images if image.luma is not None]
    pictures = make_pictures(lumas, [image.layout for image in images])
    ids = np.concatenate([part.image_ids, places])
    batch = Batch(ids, stack_rows([part.pictures, pictures]), part.candidates)
    return [
        Match(pair.second_id - THEIRS_FROM, pair.first_id, pair.relation, pair.similarity)
        for pair in verify_batch(batch)
    ]
