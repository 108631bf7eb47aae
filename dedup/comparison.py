"""All pairs of a party's images that belong together and of which one is new."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from functools import partial

from catalog.party import Party
from catalog.settings import DedupSettings

from .clusters import Candidate
from .completion import Verify, complete_pairs, join_pairs
from .decisions import load_candidates, load_former_kept, load_representatives, slices
from .errors import WorkersEndedError
from .events import find_events, part_shots
from .executors import Watch, Workforce, telling_of_shortage, unwatched
from .labels import Verdict, apply_labels, load_labels
from .matching import Matcher, Source, Task
from .pairs import Pair
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
    new = int(census.is_new.sum())
    with open_matcher(read_source(party), settings, force, new, watch=watch) as matcher:
        verify = partial(_verify, party, matcher)
        pairs = list(part_shots(party, matcher.match(census)))
        pairs = _represent(pairs, stands_for, verify)
        pairs = complete_pairs(pairs, verify, partial(_load_members, party))
        pairs = _part_plain(party, pairs, plain)
    pairs += find_events(party, census, pairs)
    with party.catalogue.reading() as session:
        labels: dict[tuple[int, int], Verdict] = {}
        for some_ids in slices(census.image_ids[census.is_new]):
            labels |= load_labels(session, some_ids.tolist())
    return apply_labels(pairs, labels)


@contextmanager
def open_matcher(
    source: Source,
    settings: DedupSettings,
    force: Workforce,
    images: int,
    *,
    watch: Watch = unwatched,
) -> Iterator[Matcher]:
    """What compares the images of a source, of which so many are new.

    Raises WorkersEndedError where a process that compares them is ended, and ShortageError.
    """
    are_processes = force.needs_processes(images)
    try:
        with telling_of_shortage(), force.open(are_processes=are_processes) as executor:
            yield Matcher(
                source,
                settings.max_distance_64_bits,
                settings.memory_bytes,
                executor,
                force.workers,
                watch=watch,
            )
    except BrokenExecutor as error:
        raise WorkersEndedError(
            "A process that compared images was ended, perhaps for want of memory; run this again "
            "with fewer --workers, it goes on where it stopped."
        ) from error


def _represent(pairs: Sequence[Pair], stands_for: dict[int, int], verify: Verify) -> list[Pair]:
    """The pairs of images that were put aside as pairs of those that were kept for them."""
    known = {pair.ids: pair for pair in pairs if not stands_for.keys() & set(pair.ids)}
    wanted = set()
    for pair in pairs:
        ids = {stands_for.get(image_id, image_id) for image_id in pair.ids}
        if len(ids) == 2 and (min(ids), max(ids)) not in known:
            wanted.add((min(ids), max(ids)))
    known |= join_pairs(wanted, verify)
    return [known[ids] for ids in sorted(known)]


def _part_plain(party: Party, pairs: Sequence[Pair], plain: set[int]) -> list[Pair]:
    """The pairs without those of two plain images, unless both were put aside for one image."""
    both = [pair for pair in pairs if plain.issuperset(pair.ids)]
    with party.catalogue.reading() as session:
        kept = load_former_kept(session, {image_id for pair in both for image_id in pair.ids})
    parted = {pair.ids for pair in both if kept[pair.first_id].isdisjoint(kept[pair.second_id])}
    return [pair for pair in pairs if pair.ids not in parted]


def _verify(
    party: Party, matcher: Matcher, wanted: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], Pair]:
    tasks = [Task(ids, []) for ids in sorted(wanted)]
    return {pair.ids: pair for pair in part_shots(party, matcher.verify(tasks))}


def _load_members(party: Party, ids: set[int], cluster: Sequence[Pair]) -> list[Candidate]:
    least = party.settings.dedup.min_quality
    with party.catalogue.reading() as session:
        return load_candidates(session, ids, cluster, least, is_locked=False)
