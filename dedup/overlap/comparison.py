"""Which of somebody's images show what images of ours show, part by part within bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
from .theirs import TheirImage
from .verification import THEIRS_FROM, OurPart, choose_verification, least_quality

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

    Images of ours without hashes, and images of less quality than the settings ask for, are
    compared with nothing.
    """
    min_quality = least_quality(theirs, party.settings.dedup.min_quality)
    theirs = [image for image in theirs if image.quality >= min_quality]
    comparable = {
        image.image_id: image for image in ours if image.is_hashed and image.quality >= min_quality
    }
    found = [
        overlap
        for their_part, our_part in _list_parts(party, theirs, np.array(sorted(comparable)))
        for overlap in _compare(
            party, their_part, our_part, comparable, workers or default_workers(), watch
        )
    ]
    return sorted(found, key=lambda overlap: (overlap.name, overlap.image.image_id))


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
    candidates = find_candidates(
        _make_view_table(theirs),
        our_views,
        Search(settings.max_distance_64_bits, Resources(budget.search_bytes, workers)),
    )
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
