"""Which of somebody's images show what images of ours show, part by part within bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from catalog.party import Party
from dedup.budget import Budget
from dedup.candidates import Candidates, Search, ViewTable, find_candidates
from dedup.columns import take_rows
from dedup.executors import default_workers, open_threads, run_ahead
from dedup.matching import count_pairs, cut_pairs, order_ids
from dedup.search import Resources
from dedup.signature_rows import Census, Ids, load_pictures, load_view_table, stack_views
from dedup.verify.verdicts import Relation
from dedup.watching import Watch, unwatched

from .ours import OurImage
from .sameness import find_same_files, find_same_pictures
from .theirs import TheirImage
from .verification import (
    THEIRS_FROM,
    OurPart,
    choose_verification,
    have_pictures,
    least_quality,
    least_quality_of_copy,
)

BYTES_PER_MB = 1 << 20


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


def _find_same(
    party: Party, theirs: Sequence[TheirImage], ours: Sequence[OurImage]
) -> Iterator[Overlap]:
    by_id = {image.image_id: image for image in ours}
    are_seen = have_pictures(theirs)
    for same in chain(find_same_files(theirs, ours), find_same_pictures(party, theirs, ours)):
        yield Overlap(
            theirs[same.place].name,
            by_id[same.image_id],
            Relation.DUPLICATE,
            same.similarity if are_seen else None,
            None if are_seen else 0,
        )


def _find_alike(
    party: Party,
    theirs: Sequence[TheirImage],
    ours: Sequence[OurImage],
    workers: int,
    watch: Watch,
) -> Iterator[Overlap]:
    least = least_quality_of_copy(theirs, party.settings.dedup.min_quality)
    theirs = [image for image in theirs if image.quality >= least]
    comparable = {
        image.image_id: image
        for image in ours
        if image.is_hashed and image.quality >= least and not image.is_aside
    }
    for their_part, our_part in _list_parts(party, theirs, np.array(sorted(comparable))):
        yield from _compare(party, their_part, our_part, comparable, workers, watch)


def _list_parts(
    party: Party, theirs: Sequence[TheirImage], our_ids: Ids
) -> Iterator[tuple[Sequence[TheirImage], Ids]]:
    part = _share_memory(party).part_images
    for start in range(0, len(theirs), part):
        for our_start in range(0, len(our_ids), part):
            yield theirs[start : start + part], our_ids[our_start : our_start + part]


def _compare(
    party: Party,
    theirs: Sequence[TheirImage],
    our_ids: Ids,
    ours: dict[int, OurImage],
    workers: int,
    watch: Watch,
) -> Iterator[Overlap]:
    settings, budget = party.settings.dedup, _share_memory(party)
    at_once = budget.count_pairs_at_once(workers)
    with party.catalogue.reading() as session:
        our_views = load_view_table(session, Census(our_ids, np.zeros(len(our_ids), np.bool_)))
    search = Search(
        settings.max_distance_64_bits,
        Resources(budget.search_bytes, workers),
        plain=_list_plain(theirs, our_ids, ours, settings.min_quality),
    )
    candidates = find_candidates(_make_view_table(theirs), our_views, search)
    parts = (_load_part(party, some) for some in cut_pairs(candidates, at_once))
    with (
        open_threads(workers) as executor,
        watch("Verifying", count_pairs(candidates), "pairs") as advance,
    ):
        verify = choose_verification(theirs)
        for part, matches in run_ahead(executor, verify, parts, ahead=2 * workers):
            advance(count_pairs(part.candidates))
            for it in matches:
                name, image = theirs[it.place].name, ours[it.image_id]
                yield Overlap(name, image, it.relation, it.similarity, it.distance_bits)


def _list_plain(
    theirs: Sequence[TheirImage], our_ids: Ids, ours: dict[int, OurImage], min_quality: float
) -> Ids:
    """Those of the images, no two of which are compared by what they show."""
    least = least_quality(theirs, min_quality)
    plain = [it for it in our_ids.tolist() if ours[it].quality < least]
    plain += [THEIRS_FROM + it for it, image in enumerate(theirs) if image.quality < least]
    return np.array(plain, np.int64)


def _share_memory(party: Party) -> Budget:
    return Budget(party.settings.dedup.memory_mb * BYTES_PER_MB)


def _load_part(party: Party, candidates: Candidates) -> OurPart:
    """The candidates with the pictures of our images that are still there."""
    both = np.concatenate([candidates.probe, candidates.view])
    with party.catalogue.reading() as session:
        image_ids, pictures = load_pictures(session, both[both < THEIRS_FROM])
    ours, _theirs = order_ids(candidates)
    return OurPart(take_rows(candidates, np.isin(ours, image_ids)), image_ids, pictures)


def _make_view_table(theirs: Sequence[TheirImage]) -> ViewTable:
    places = THEIRS_FROM + np.arange(len(theirs))
    return stack_views(places, np.ones(len(theirs), np.bool_), [one.views for one in theirs])
