"""Every two hashes within a distance, row by row; the search itself is in `dedup.search`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Rows = NDArray[np.int64]
RowPairs = tuple[Rows, Rows]


def pairs_within(queries: Hashes, base: Hashes, max_distance_bits: int) -> Iterator[RowPairs]:
    """Rows of `queries` and of `base` within the distance, each pair once, in bounded chunks.

    Equal hashes give all of their pairs: where many rows share one, use `find_pairs_within`.
    """
    from .search import stream_matches_within  # imports numba, which takes half a second
    from .search.stars import expand_pairs

    of_queries, of_base, chunks = stream_matches_within(queries, base, max_distance_bits)
    query_stars, base_stars = of_queries.make_stars(), of_base.make_stars()
    for pairs in chunks:
        yield from expand_pairs(pairs.first, pairs.second, query_stars, base_stars)
