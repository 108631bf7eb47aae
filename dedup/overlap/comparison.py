"""Which of another's images show what images of ours show, within bounded memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import isclose

import numpy as np

from catalog.party import Party
from catalog.settings import DedupSettings
from dedup.candidates import Census, ViewTable, make_view_table
from dedup.decisions import slices
from dedup.executors import Watch, default_workers, open_threads, unwatched, use_one_thread
from dedup.matching import Batch, Matcher, Source, join_sources, verify_batch
from dedup.pairs import Pair, Relation
from dedup.signature.features import Words
from dedup.signature.signature import Shown
from dedup.signature_rows import Ids, load_known, read_source

from .details import hash_levels
from .ours import OurImage
from .theirs import TheirImage
from .unseen import verify_unseen

THEIRS_FROM = 1 << 40
"""Added to the places of their images, so that they are no ids of ours."""


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
    overlaps = {
        (overlap.name, overlap.image.image_id): overlap
        for overlap in _find_alike(party, theirs, ours, workers or default_workers(), watch)
    }
    for overlap in _find_same(party, theirs, [image for image in ours if not image.is_aside]):
        key = overlap.name, overlap.image.image_id
        if key not in overlaps or overlaps[key].relation is not Relation.DUPLICATE:
            overlaps[key] = overlap
    copied_names = {
        name for (name, _), overlap in overlaps.items() if overlap.relation is Relation.DUPLICATE
    }
    for overlap in _find_same(party, theirs, [image for image in ours if image.is_aside]):
        if overlap.name not in copied_names:
            overlaps[overlap.name, overlap.image.image_id] = overlap
    return [overlaps[key] for key in sorted(overlaps)]


def _find_same(
    party: Party, theirs: Sequence[TheirImage], ours: Sequence[OurImage]
) -> Iterator[Overlap]:
    """The same files and pictures, however little there is to be seen in them.

    Of plain pictures nothing else can be said: any two black frames lie on one another. So a
    picture is the same if it has the same shape and levels and is more than an even slope of grey.
    """
    likeness = (1.0, None) if _have_pictures(theirs) else (None, 0)
    by_file = {image.sha256: image for image in ours}
    by_hash: defaultdict[str | None, list[TheirImage]] = defaultdict(list)
    for image in theirs:
        if image.sha256 in by_file:
            yield Overlap(image.name, by_file[image.sha256], Relation.DUPLICATE, *likeness)
        if image.levels_sha256 is not None:
            by_hash[f"{image.views[0]:016x}"].append(image)
    near = {
        image.image_id: image for image in ours if image.is_hashed and image.phash_64 in by_hash
    }
    for some_ids in slices(np.array(sorted(near), np.int64)):
        with party.catalogue.reading() as session:
            known = load_known(session, some_ids)
        for image_id, shown in sorted(known.items()):
            levels_sha256 = hash_levels(shown.levels)
            aspect = shown.layout.aspect
            for image in by_hash[near[image_id].phash_64]:
                has_shape = isclose(image.layout.aspect, aspect, rel_tol=1e-4)
                if image.levels_sha256 == levels_sha256 and has_shape:
                    yield Overlap(image.name, near[image_id], Relation.DUPLICATE, *likeness)


def _have_pictures(theirs: Sequence[TheirImage]) -> bool:
    """Whether we were given pictures, not only hashes."""
    return all(image.signature is not None for image in theirs)


def _find_alike(
    party: Party,
    theirs: Sequence[TheirImage],
    ours: Sequence[OurImage],
    workers: int,
    watch: Watch,
) -> Iterator[Overlap]:
    """What is alike, as far as images are not put aside."""
    by_id = {image.image_id: image for image in ours if image.is_hashed and not image.is_aside}
    our_ids = np.array(sorted(by_id), np.int64)
    settings = party.settings.dedup
    for pair in match_theirs(read_source(party), our_ids, theirs, settings, workers, watch=watch):
        bits = pair.distance_bits
        yield Overlap(
            theirs[pair.second_id - THEIRS_FROM].name,
            by_id[pair.first_id],
            pair.relation,
            pair.similarity if bits is None else None,
            bits,
        )


def match_theirs(
    source: Source,
    our_ids: Ids,
    theirs: Sequence[TheirImage],
    settings: DedupSettings,
    workers: int,
    *,
    watch: Watch = unwatched,
) -> Iterator[Pair]:
    """The pairs of an image of the source and one of theirs, whose id is THEIRS_FROM + its place.

    `our_ids` ascend.
    """
    places = THEIRS_FROM + np.arange(len(theirs))
    ids = np.concatenate([our_ids, places])
    verify_hashes = partial(_verify_unseen, theirs, settings.min_quality)
    with open_threads(workers) as executor:
        matcher = Matcher(
            join_sources(source, _make_source(theirs), THEIRS_FROM),
            settings.max_distance_64_bits,
            settings.memory_bytes // 2,
            executor,
            workers,
            watch,
            work=verify_batch if _have_pictures(theirs) else verify_hashes,
        )
        yield from matcher.match(Census(ids, ids >= THEIRS_FROM), our_ids)


def _make_source(theirs: Sequence[TheirImage]) -> Source:
    """Their images by their places."""

    def load_views(places: Ids) -> ViewTable:
        some = places.tolist()
        return make_view_table(some, [theirs[place].views for place in some])

    def load_words(places: Ids) -> list[Words]:
        return [
            np.repeat(image.features.words[:, None], 4, axis=1)  # of hashes alone, not mirrored
            if image.signature is None
            else image.signature.words
            for image in (theirs[place] for place in places.tolist())
        ]

    def load_known(places: Ids) -> dict[int, Shown]:
        signatures = {place: theirs[place].signature for place in places.tolist()}
        return {
            place: signature for place, signature in signatures.items() if signature is not None
        }

    return Source(load_views, load_words, load_known)


def _verify_unseen(theirs: Sequence[TheirImage], min_quality: float, batch: Batch) -> list[Pair]:
    """The pairs of which our picture, laid under their hashes, shows the same."""
    use_one_thread()
    pairs = []
    for task in batch.tasks:
        ours = batch.known.get(task.ids[0])
        image = theirs[task.ids[1] - THEIRS_FROM]
        if ours is None or image.quality < min_quality:
            continue
        codes = [(there, here) for here, there in task.guesses]
        bits = verify_unseen(image, ours, codes[0] if codes else None)
        if bits is not None:
            pairs.append(Pair(*task.ids, Relation.DUPLICATE, 0.0, distance_bits=bits))
    return pairs
