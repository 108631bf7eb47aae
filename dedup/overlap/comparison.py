"""Which of another's images show what images of ours show, part by part within bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np

from catalog.party import Party
from dedup.candidates import BYTES_PER_MB, Census, ViewTable, make_view_table
from dedup.executors import Watch, default_workers, open_threads, unwatched, use_one_thread
from dedup.matching import Batch, Matcher, Source, verify_batch
from dedup.pairs import Pair, Relation
from dedup.signature.features import Words
from dedup.signature.signature import Shown
from dedup.signature_rows import Ids, read_source

from .ours import OurImage
from .sameness import find_same_files, find_same_pictures
from .theirs import PLAIN_QUALITY, TheirImage
from .unseen import verify_unseen

THEIRS_FROM = 1 << 40
"""Added to the places of their images, so that they are no ids of ours."""
BYTES_PER_THEIRS = 80_000


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
    return min_quality if _have_pictures(theirs) else max(min_quality, PLAIN_QUALITY)


def _have_pictures(theirs: Sequence[TheirImage]) -> bool:
    """Whether we were given pictures, not only hashes."""
    return all(image.signature is not None for image in theirs)


def _find_same(
    party: Party, theirs: Sequence[TheirImage], ours: Sequence[OurImage]
) -> Iterator[Overlap]:
    by_id = {image.image_id: image for image in ours}
    likeness = (1.0, None) if _have_pictures(theirs) else (None, 0)
    for same in chain(find_same_files(theirs, ours), find_same_pictures(party, theirs, ours)):
        yield Overlap(same[0].name, by_id[same[1]], Relation.DUPLICATE, *likeness)


def _find_alike(
    party: Party,
    theirs: Sequence[TheirImage],
    ours: Sequence[OurImage],
    workers: int,
    watch: Watch,
) -> Iterator[Overlap]:
    """What is alike, theirs in parts that memory holds; features of theirs take most of it."""
    settings = party.settings.dedup
    by_id = {it.image_id: it for it in ours if it.is_hashed and not it.is_aside}
    our_ids = np.array(sorted(by_id), np.int64)
    step = max(settings.memory_mb * BYTES_PER_MB // 4 // BYTES_PER_THEIRS, 1)
    with open_threads(workers) as executor:
        for start in range(0, len(theirs), step):
            some = theirs[start : start + step]
            matcher = Matcher(
                _join_sources(read_source(party), some),
                settings.max_distance_64_bits,
                settings.memory_mb * BYTES_PER_MB // 2,
                executor,
                workers,
                watch,
                work=verify_batch if _have_pictures(some) else partial(_verify_unseen, some),
            )
            places = THEIRS_FROM + np.arange(len(some))
            is_new = np.arange(len(our_ids) + len(some)) >= len(our_ids)
            census = Census(np.concatenate([our_ids, places]), is_new)
            for pair in matcher.match(census, our_ids):
                bits = pair.distance_bits
                yield Overlap(
                    some[pair.second_id - THEIRS_FROM].name,
                    by_id[pair.first_id],
                    pair.relation,
                    pair.similarity if bits is None else None,
                    bits,
                )


def _join_sources(ours: Source, theirs: Sequence[TheirImage]) -> Source:
    """Our images by their ids, and theirs by their places from `THEIRS_FROM` on."""

    def load_views(image_ids: Ids) -> ViewTable:
        table = ours.load_views(image_ids[image_ids < THEIRS_FROM])
        places = image_ids[image_ids >= THEIRS_FROM].tolist()
        other = make_view_table(places, [theirs[it - THEIRS_FROM].views for it in places])
        return ViewTable(
            np.concatenate([table.owners, other.owners]),
            np.concatenate([table.codes, other.codes]),
            np.concatenate([table.hashes, other.hashes]),
        )

    def load_words(image_ids: Ids) -> list[Words]:
        if len(image_ids) and image_ids[0] >= THEIRS_FROM:
            return [_take_words(theirs[it - THEIRS_FROM]) for it in image_ids.tolist()]
        return ours.load_words(image_ids)

    def load_known(image_ids: Ids) -> dict[int, Shown]:
        found = dict(ours.load_known(image_ids[image_ids < THEIRS_FROM]))
        for place in image_ids[image_ids >= THEIRS_FROM].tolist():
            signature = theirs[place - THEIRS_FROM].signature
            if signature is not None:
                found[place] = signature
        return found

    return Source(load_views, load_words, load_known)


def _take_words(image: TheirImage) -> Words:
    """The words of a picture, or those of its few coded features; these are not mirrored."""
    if image.signature is not None:
        return image.signature.words
    return np.repeat(image.features.words[:, None], 4, axis=1)


def _verify_unseen(theirs: Sequence[TheirImage], batch: Batch) -> list[Pair]:
    """The pairs of which our picture, laid under their hashes, shows the same."""
    use_one_thread()
    found = []
    for task in batch.tasks:
        ours = batch.known.get(task.ids[0])
        image = theirs[task.ids[1] - THEIRS_FROM]
        if ours is None or image.quality < PLAIN_QUALITY:
            continue
        codes = [(there, here) for here, there in task.guesses]
        bits = verify_unseen(image, ours, codes[0] if codes else None)
        if bits is not None:
            found.append(Pair(*task.ids, Relation.DUPLICATE, 0.0, distance_bits=bits))
    return found
