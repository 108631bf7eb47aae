"""Which of some images belong together, all of them held in memory: no catalogue, no store."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from catalog.settings import DedupSettings

from .candidates import ViewTable
from .executors import default_workers, open_threads
from .matching import Source, match_images
from .pairs import Pair
from .signature.hashes import gradient_quality
from .signature.signature import Signature
from .signature_rows import COPY_SHARE, Census, Ids, make_pictures, stack_views
from .verify.evidence import Pictures
from .watching import Watch, unwatched

BYTES_PER_MB = 1 << 20


def find_pairs_among(
    signatures: Sequence[Signature],
    settings: DedupSettings,
    *,
    is_new: NDArray[np.bool_] | None = None,
    workers: int | None = None,
    watch: Watch = unwatched,
) -> list[Pair]:
    """Every two of the signatures that belong together, named by their places; in order.

    With `is_new` only pairs of which one is new: those of old ones are not looked for. Signatures
    of less quality than the settings ask for are copies of better ones at most.
    """
    workers = workers or default_workers()
    with open_threads(workers) as executor:
        qualities = np.array([gradient_quality(one.luma) for one in signatures])
        pairs = match_images(
            _make_census(qualities, settings, is_new),
            hold_signatures(signatures),
            max_distance_bits=settings.max_distance_64_bits,
            memory_bytes=settings.memory_mb * BYTES_PER_MB,
            executor=executor,
            workers=workers,
            watch=watch,
            plain=np.flatnonzero(qualities < settings.min_quality),
        )
        return sorted(pairs, key=lambda pair: pair.ids)


def hold_signatures(signatures: Sequence[Signature]) -> Source:
    """A source of the hashes and pictures of these signatures, named by their places."""

    def load_views(census: Census) -> ViewTable:
        views = [signatures[place].views for place in census.image_ids.tolist()]
        return stack_views(census.image_ids, census.is_new, views)

    def load_pictures(places: Ids) -> tuple[Ids, Pictures]:
        wanted = np.unique(places)
        some = [signatures[place] for place in wanted.tolist()]
        return wanted, make_pictures([one.luma for one in some], [one.layout for one in some])

    return Source(load_views, load_pictures)


def _make_census(
    qualities: NDArray[np.float64], settings: DedupSettings, is_new: NDArray[np.bool_] | None
) -> Census:
    places = np.flatnonzero(qualities >= COPY_SHARE * settings.min_quality)
    everything_new = np.ones(len(qualities), np.bool_)
    return Census(places, (everything_new if is_new is None else is_new)[places])
