"""Images of which there are very many copies: the best of them is compared with all the others.

Where more images share a hash than can all be compared with one another, candidates hold only one
of them with each of the others. That one may be put aside itself, and would leave the others alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from .clusters import Candidate
from .pairs import Pair
from .verify.verdicts import Relation

PAIRS_OF_HUB = 24
BEST_COMPARED = 3

Key = tuple[int, int]
Rank = Callable[[Sequence[int]], Sequence[Candidate]]
Verify = Callable[[Sequence[Key]], Iterable[Pair]]


def complete_hubs(pairs: Sequence[Pair], rank: Rank, verify: Verify) -> list[Pair]:
    """The pairs, and those of the best copies of what has very many copies, in order of ids.

    `rank` gives what decides about images, `verify` those pairs that belong together.
    """
    known = {(pair.first_id, pair.second_id): pair for pair in pairs}
    for hub, copies in sorted(_find_hubs(pairs).items()):
        ranked = sorted(rank([hub, *copies]), key=lambda candidate: candidate.rank)
        best = [candidate.image_id for candidate in ranked[:BEST_COMPARED]]
        keys = {_key(one, other) for one in best for other in copies if one != other}
        for pair in verify(sorted(keys - known.keys())):
            known[pair.first_id, pair.second_id] = pair
    return [known[key] for key in sorted(known)]


def _find_hubs(pairs: Iterable[Pair]) -> dict[int, list[int]]:
    """The images that have very many copies, with these."""
    copies: defaultdict[int, list[int]] = defaultdict(list)
    for pair in pairs:
        if pair.relation is Relation.DUPLICATE:
            copies[pair.first_id].append(pair.second_id)
            copies[pair.second_id].append(pair.first_id)
    return {one: sorted(others) for one, others in copies.items() if len(others) >= PAIRS_OF_HUB}


def _key(one: int, other: int) -> Key:
    return min(one, other), max(one, other)
