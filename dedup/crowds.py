"""Images of which there are very many copies, without comparing each with each.

Of a crowd every image is compared with its nearest few, which joins the crowd together; then the
best of it is compared with all, as it is the one to be kept. What is not its copy is compared with
the next best, and so on. The result is what comparing all would give, at a cost that grows with
the crowd and not with its square.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from .clusters import Candidate, cluster_pairs
from .pairs import Pair
from .verify.verdicts import Relation

Key = tuple[int, int]
Ids = NDArray[np.int64]
Rank = Callable[[Sequence[int]], Sequence[Candidate]]
Verify = Callable[[Sequence[Key]], Iterable[Pair]]

NEAREST = 8
CROWD = 24
"""From so many images on a cluster is a crowd."""

ROUNDS = 8
"""So many of a crowd's best are compared with all the rest of it."""


def rank_partners(lower: Ids, higher: Ids, distances: Ids) -> Ids:
    """For each pair how many partners are nearer, for that of its images which has the fewest."""
    count = len(lower)
    images = np.concatenate([lower, higher])
    pairs = np.tile(np.arange(count), 2)
    order = np.lexsort((pairs, np.tile(distances, 2), images))
    starts = np.flatnonzero(np.diff(images[order], prepend=-1) != 0)
    lengths = np.diff(starts, append=2 * count)
    places = np.empty(2 * count, np.int64)
    places[order] = np.arange(2 * count) - np.repeat(starts, lengths)
    return np.minimum(places[:count], places[count:])


def find_crowds(pairs: Iterable[Pair]) -> dict[int, int]:
    """The number of the crowd of each image that is in one."""
    copies = [pair for pair in pairs if pair.relation is Relation.DUPLICATE]
    crowds: dict[int, int] = {}
    for number, cluster in enumerate(cluster_pairs(copies)):
        image_ids = {image_id for pair in cluster for image_id in pair.ids}
        if len(image_ids) >= CROWD:
            crowds.update(dict.fromkeys(image_ids, number))
    return crowds


def complete_crowds(pairs: Sequence[Pair], rank: Rank, verify: Verify) -> list[Pair]:
    """The pairs, and those of the best of each crowd with all the rest, in order of ids.

    `rank` gives what decides about images, `verify` those pairs that belong together.
    """
    known = {pair.ids: pair for pair in pairs}
    crowds: defaultdict[int, list[int]] = defaultdict(list)
    for image_id, number in sorted(find_crowds(pairs).items()):
        crowds[number].append(image_id)
    for crowd in crowds.values():
        _complete(crowd, known, rank, verify)
    return [known[ids] for ids in sorted(known)]


def _complete(crowd: Sequence[int], known: dict[Key, Pair], rank: Rank, verify: Verify) -> None:
    ranked = sorted(rank(crowd), key=lambda candidate: candidate.rank)
    left = [candidate.image_id for candidate in ranked]
    for _ in range(ROUNDS):
        if len(left) < CROWD:
            return
        best, *others = left
        keys = [_key(best, other) for other in others]
        for pair in verify([key for key in keys if key not in known]):
            known[pair.ids] = pair
        left = [other for other in others if not _is_copy(known.get(_key(best, other)))]


def _is_copy(pair: Pair | None) -> bool:
    return pair is not None and pair.relation is Relation.DUPLICATE


def _key(one: int, other: int) -> Key:
    return min(one, other), max(one, other)
