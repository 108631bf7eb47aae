"""All pairs of a party's images that belong together and of which one is new."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from itertools import combinations

from catalog.party import Party

from .clusters import cluster_pairs
from .constants import BEST_ROUNDS, COPIES_THAT_ALL_MEET
from .decisions import load_candidates, load_former_kept, load_representatives, slices
from .errors import WorkersEndedError
from .events import find_events, part_shots
from .executors import Watch, Workforce, telling_of_shortage, unwatched
from .labels import Verdict, apply_labels, load_labels
from .matching import Matcher, Task
from .pairs import Pair, Relation, tie_by_third
from .signature_rows import load_census, load_plain_ids, read_source


def find_pairs(party: Party, force: Workforce, *, watch: Watch = unwatched) -> list[Pair]:
    """The pairs in order of their ids, as hashes, pictures, owners' clocks and people have it.

    Each image that was put aside stands for the one that was kept: a pair with it becomes a pair
    with that one. The best image of each cluster is paired with every other of it.
    """
    with party.catalogue.reading() as session:
        census = load_census(session)
        stands_for = load_representatives(session)
        plain = load_plain_ids(session, party.settings.dedup.min_quality)
    settings = party.settings.dedup
    are_processes = force.needs_processes(int(census.is_new.sum()))
    with (
        _tell_of_death(),
        telling_of_shortage(),
        force.open(are_processes=are_processes) as executor,
    ):
        matcher = Matcher(
            read_source(party),
            settings.max_distance_64_bits,
            settings.memory_bytes,
            executor,
            force.workers,
            watch=watch,
        )
        pairs = list(part_shots(party, matcher.match(census)))
        pairs = _represent(party, matcher, pairs, stands_for)
        pairs = _part_plain(party, _complete(party, matcher, pairs), plain)
    pairs += find_events(party, census, pairs)
    with party.catalogue.reading() as session:
        labels: dict[tuple[int, int], Verdict] = {}
        for some_ids in slices(census.image_ids[census.is_new]):
            labels |= load_labels(session, some_ids.tolist())
    return apply_labels(pairs, labels)


@contextmanager
def _tell_of_death() -> Iterator[None]:
    try:
        yield
    except BrokenExecutor as error:
        raise WorkersEndedError(
            "A process that compared images was ended, perhaps for want of memory; run this again "
            "with fewer --workers, it goes on where it stopped."
        ) from error


def _represent(
    party: Party, matcher: Matcher, pairs: Sequence[Pair], stands_for: dict[int, int]
) -> list[Pair]:
    """The pairs of images that were put aside as pairs of those that were kept for them."""
    known = {pair.ids: pair for pair in pairs if not stands_for.keys() & set(pair.ids)}
    wanted = set()
    for pair in pairs:
        ids = {stands_for.get(image_id, image_id) for image_id in pair.ids}
        if len(ids) == 2 and (min(ids), max(ids)) not in known:
            wanted.add((min(ids), max(ids)))
    return _add_verified(party, matcher, known, wanted)


def _complete(party: Party, matcher: Matcher, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs, and those of a few copies with one another, of many with the best of them.

    These pairs may tell that another image is better still, which then meets all others too.
    """
    known = {pair.ids: pair for pair in pairs}
    few = [{image_id for pair in some for image_id in pair.ids} for some in _cluster_copies(pairs)]
    wanted = {
        ids
        for copies in few
        if len(copies) <= COPIES_THAT_ALL_MEET
        for ids in combinations(sorted(copies), 2)
    }
    known |= _verify(party, matcher, wanted - known.keys())
    clusters = _cluster_copies(known.values())
    least = party.settings.dedup.min_quality
    for _ in range(BEST_ROUNDS):
        wanted = set()
        unsure = set()
        for cluster in clusters:
            ids = {image_id for pair in cluster for image_id in pair.ids}
            with party.catalogue.reading() as session:
                members = load_candidates(session, ids, cluster, least, is_locked=False)
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
        _add_verified(party, matcher, known, wanted)
        clusters = _cluster_copies(pair for pair in known.values() if unsure.issuperset(pair.ids))
    return [known[ids] for ids in sorted(known)]


def _cluster_copies(pairs: Iterable[Pair]) -> list[list[Pair]]:
    """The clusters of more than two images."""
    copies = [pair for pair in pairs if pair.relation is Relation.DUPLICATE]
    return [cluster for cluster in cluster_pairs(copies) if len(cluster) > 1]


def _part_plain(party: Party, pairs: Sequence[Pair], plain: set[int]) -> list[Pair]:
    """The pairs without those of two plain images, unless both were put aside for one image."""
    both = [pair for pair in pairs if plain.issuperset(pair.ids)]
    with party.catalogue.reading() as session:
        kept = load_former_kept(session, {image_id for pair in both for image_id in pair.ids})
    parted = {pair.ids for pair in both if kept[pair.first_id].isdisjoint(kept[pair.second_id])}
    return [pair for pair in pairs if pair.ids not in parted]


def _add_verified(
    party: Party,
    matcher: Matcher,
    known: dict[tuple[int, int], Pair],
    wanted: Iterable[tuple[int, int]],
) -> list[Pair]:
    """The pairs with these; what verification does not join is linked through a third image."""
    verified = _verify(party, matcher, wanted)
    for first_id, second_id in wanted:
        known[first_id, second_id] = verified.get(
            (first_id, second_id), tie_by_third(first_id, second_id)
        )
    return [known[ids] for ids in sorted(known)]


def _verify(
    party: Party, matcher: Matcher, wanted: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], Pair]:
    tasks = [Task(ids, []) for ids in sorted(wanted)]
    return {pair.ids: pair for pair in part_shots(party, matcher.verify(tasks))}
