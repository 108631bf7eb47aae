"""More pairs of the same images, so that the best of each cluster is known and meets all others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations

from .clusters import Candidate, cluster_pairs
from .constants import BEST_ROUNDS, COPIES_THAT_ALL_MEET
from .pairs import Pair, Relation, tie_by_third

Ids = tuple[int, int]
Verify = Callable[[Iterable[Ids]], Mapping[Ids, Pair]]
"""Takes two ids each, the lower one first; gives the pairs of those that belong together."""
LoadMembers = Callable[[set[int], Sequence[Pair]], Sequence[Candidate]]
"""Takes the images of a cluster and its pairs; gives what decides which of them is kept."""


def complete_pairs(pairs: Iterable[Pair], verify: Verify, load_members: LoadMembers) -> list[Pair]:
    """The pairs, and those of a few copies with one another, of many with the best of them.

    These pairs may tell that another image is better still, which then meets all others too.
    """
    known = {pair.ids: pair for pair in pairs}
    few = [
        {image_id for pair in some for image_id in pair.ids}
        for some in _cluster_copies(known.values())
    ]
    wanted = {
        ids
        for copies in few
        if len(copies) <= COPIES_THAT_ALL_MEET
        for ids in combinations(sorted(copies), 2)
    }
    known |= verify(wanted - known.keys())
    clusters = _cluster_copies(known.values())
    for _ in range(BEST_ROUNDS):
        wanted = set()
        unsure = set()
        for cluster in clusters:
            ids = {image_id for pair in cluster for image_id in pair.ids}
            members = load_members(ids, cluster)
            best = min(members, key=lambda candidate: candidate.rank, default=None)
            if best is not None:
                best_id = best.image_id
                missing = {
                    (min(best_id, image_id), max(best_id, image_id)) for image_id in ids - {best_id}
                } - known.keys()
                wanted |= missing
                unsure |= ids if missing else set()
        if not wanted:
            break
        known |= join_pairs(wanted, verify)
        clusters = _cluster_copies(pair for pair in known.values() if unsure.issuperset(pair.ids))
    return [known[ids] for ids in sorted(known)]


def join_pairs(wanted: Iterable[Ids], verify: Verify) -> dict[Ids, Pair]:
    """A pair for each of these; what verification does not join is linked through a third image."""
    verified = verify(wanted)
    return {ids: verified.get(ids, tie_by_third(*ids)) for ids in wanted}


def _cluster_copies(pairs: Iterable[Pair]) -> list[list[Pair]]:
    """The clusters of more than two images."""
    copies = [pair for pair in pairs if pair.relation is Relation.DUPLICATE]
    return [cluster for cluster in cluster_pairs(copies) if len(cluster) > 1]
