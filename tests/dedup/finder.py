"""The finder on signatures in memory, without a catalogue or a store."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from catalog.settings import DedupSettings
from dedup.candidates import Census, ViewTable
from dedup.executors import default_workers, open_threads
from dedup.matching import Matcher, Source
from dedup.pairs import Pair
from dedup.signature.signature import Signature, gradient_quality
from dedup.signature_rows import COPY_SHARE, Ids, make_pictures, stack_views
from dedup.verify.pictures import Pictures

BYTES_PER_MB = 1 << 20


def find_pairs_among(
    signatures: Sequence[Signature],
    settings: DedupSettings,
    *,
    is_new: NDArray[np.bool_] | None = None,
    workers: int | None = None,
) -> list[Pair]:
    """Every two of the signatures that belong together, named by their places; in order.

    With `is_new` only pairs of which one is new. Signatures of less quality than the settings ask
    for are copies of better ones at most.
    """
    workers = workers or default_workers()
    qualities = np.array([gradient_quality(one.luma) for one in signatures])
    places = np.flatnonzero(qualities >= COPY_SHARE * settings.min_quality)
    everything_new = np.ones(len(qualities), np.bool_)
    with open_threads(workers) as executor:
        matcher = Matcher(
            hold_signatures(signatures),
            settings.max_distance_64_bits,
            settings.memory_mb * BYTES_PER_MB,
            executor,
            workers,
            plain=np.flatnonzero(qualities < settings.min_quality),
        )
        census = Census(places, (everything_new if is_new is None else is_new)[places])
        return sorted(matcher.match(census), key=lambda pair: pair.ids)


def hold_signatures(signatures: Sequence[Signature]) -> Source:
    """A source of the hashes and pictures of these signatures, named by their places."""

    def load_views(census: Census) -> ViewTable:
        views = [signatures[place].views for place in census.image_ids.tolist()]
        return stack_views(census.image_ids, census.is_new, views)

    def load_some_pictures(places: Ids) -> tuple[Ids, Pictures]:
        wanted = np.unique(places)
        some = [signatures[place] for place in wanted.tolist()]
        return wanted, make_pictures([one.luma for one in some], [one.layout for one in some])

    return Source(load_views, load_some_pictures)
