"""The job of `vocparty dedup`: hash what was fetched, match it, put near-duplicates aside.

Every step is small, durable and repeatable. Whatever is interrupted leaves images as `fetched` or
`hashed`, and the next run goes on with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from catalog.errors import ImageStoreError
from catalog.party import Party
from catalog.states import ImageState

from .clusters import Candidate, cluster_pairs, plan_removals
from .comparison import find_pairs
from .decisions import (
    admit_images,
    free_orphans,
    load_candidates,
    save_link,
    save_removal,
    save_ties,
    slices,
)
from .executors import BATCH_FILES, BATCHES_AHEAD, Watch, Workforce, gather_workforce, unwatched
from .hashing import (
    HashOutcome,
    count_due,
    hash_batches,
    iterate_due,
    load_new_ids,
    save_outcomes,
)
from .pairs import Pair, Relation, tie_by_third

Clock = Callable[[], datetime]


@dataclass(frozen=True)
class DedupSummary:
    """How many images one run hashed, found broken, put aside and let into the pool.

    `linked` is how many pairs were linked of which both images stay, `waiting` how many images wait
    for a file that the store lost.
    """

    hashed: int = 0
    broken: int = 0
    duplicates: int = 0
    pool: int = 0
    linked: int = 0
    waiting: int = 0

    def __add__(self, other: DedupSummary) -> DedupSummary:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return DedupSummary(*(one + two for one, two in pairs))


def now() -> datetime:
    """The moment in UTC."""
    return datetime.now(UTC)


def remove_duplicates(
    party: Party,
    *,
    workers: int | None = None,
    dask_address: str | None = None,
    clock: Clock = now,
    watch: Watch = unwatched,
) -> DedupSummary:
    """What was done so that no image is left `fetched` or `hashed` but those that cannot be read.

    Images whose kept one was taken down or displaced are matched anew. Raises ImageStoreError when
    the store is out of reach, and ClusterError when the Dask cluster at the address is; the same
    call then goes on where it stopped.
    """
    wait_secs = party.settings.dedup.cluster_wait_secs
    force = gather_workforce(workers, dask_address, wait_secs)
    summary = DedupSummary()
    while True:
        _free_all_orphans(party, clock)
        summary = replace(summary, waiting=0)
        summary += hash_images(party, force, clock=clock, watch=watch)
        settled, left = settle_images(party, force, clock=clock, watch=watch)
        summary += settled
        if settled == DedupSummary() and not left:
            return summary


def hash_images(
    party: Party, force: Workforce, *, clock: Clock = now, watch: Watch = unwatched
) -> DedupSummary:
    """What came of hashing every image that needs it."""
    with party.catalogue.reading() as session:
        due = count_due(session)
    if not due:
        return DedupSummary()
    done = hash_batches(
        party.store,
        iterate_due(party.catalogue, BATCH_FILES),
        force.choose_hashers(party.store, due),
        force.open_single,
        ahead=force.workers * BATCHES_AHEAD,
    )
    summary = DedupSummary()
    with watch("Hashing", due, "images") as advance:
        for outcomes in done:
            summary += _save_outcomes(party, outcomes, clock())
            advance(len(outcomes))
    return summary


def settle_images(
    party: Party, force: Workforce, *, clock: Clock = now, watch: Watch = unwatched
) -> tuple[DedupSummary, int]:
    """What became of the hashed images, and how many were left because others changed meanwhile.

    The matching holds no lock; each cluster is decided on again from its rows of that moment.
    """
    with party.catalogue.reading() as session:
        are_new = set(load_new_ids(session).tolist())
    if not are_new:
        return DedupSummary(), 0
    pairs = find_pairs(party, force, watch=watch)
    copies = [pair for pair in pairs if pair.relation is Relation.DUPLICATE]
    links = [pair for pair in pairs if pair.relation is not Relation.DUPLICATE]
    summary, left = DedupSummary(linked=_save_links(party, links, clock)), 0
    with watch("Deciding", len(are_new), "images") as advance:
        for clusters in slices(cluster_pairs(copies)):
            settled, skipped = _settle_clusters(party, clusters, clock())
            summary, left = summary + settled, left + skipped
            advance(sum(len(_ids(cluster) & are_new) for cluster in clusters))
        for some_ids in slices(sorted(are_new - _ids(copies))):
            with party.catalogue.writing() as session:
                admitted = admit_images(session, some_ids, at=clock())
            summary += DedupSummary(pool=admitted)
            advance(len(some_ids))
    return summary, left


def _save_links(party: Party, links: Sequence[Pair], clock: Clock) -> int:
    """How many pairs were linked; an image must not be admitted before its links are saved."""
    saved = 0
    for some in slices(links):
        with party.catalogue.writing() as session:
            saved += sum(save_link(session, pair, at=clock()) for pair in some)
    return saved


def _free_all_orphans(party: Party, clock: Clock) -> None:
    freed = 1
    while freed:
        with party.catalogue.writing() as session:
            freed = free_orphans(session, at=clock())


def _save_outcomes(party: Party, outcomes: Sequence[HashOutcome], at: datetime) -> DedupSummary:
    waiting = sum(outcome.is_lost for outcome in outcomes)
    if waiting:
        _require_some_file(party)
    with party.catalogue.writing() as session:
        entered = save_outcomes(session, outcomes, at=at)
    return DedupSummary(
        hashed=entered.count(ImageState.HASHED),
        broken=entered.count(ImageState.BROKEN),
        waiting=waiting,
    )


def _require_some_file(party: Party) -> None:
    """Raises ImageStoreError for an empty store: a disk that is not mounted breaks no image."""
    if next(party.store.digests(), None) is None:
        raise ImageStoreError(
            f"The image store {party.settings.images} is empty although the catalogue knows of "
            "images in it; mount its disk or correct `images` in party.toml, then run this again."
        )


def _settle_clusters(
    party: Party, clusters: Sequence[Sequence[Pair]], at: datetime
) -> tuple[DedupSummary, int]:
    """What became of some clusters in one transaction, and how many images were left alone.

    A cluster is left alone where one of its images does not count any more.
    """
    summary, left = DedupSummary(), 0
    image_ids = {image_id for cluster in clusters for image_id in _ids(cluster)}
    pairs = [pair for cluster in clusters for pair in cluster]
    with party.catalogue.writing() as session:
        found = load_candidates(session, image_ids, pairs, party.settings.dedup.min_quality)
        counted = {it.image_id: it for it in found}
        for cluster in clusters:
            candidates = [counted[one] for one in _ids(cluster) if one in counted]
            if len(candidates) < len(_ids(cluster)):
                left += len(_ids(cluster))
            else:
                summary += _settle_cluster(session, candidates, cluster, at)
    return summary, left


def _settle_cluster(
    session: Session, candidates: Sequence[Candidate], pairs: Sequence[Pair], at: datetime
) -> DedupSummary:
    """What became of one cluster; two images that both have to stay are only linked."""
    removals = plan_removals(candidates, pairs)
    stands_for = {removal.image_id: removal.kept_image_id for removal in removals}
    removed = linked = 0
    for removal in removals:
        removed += save_removal(session, removal, at=at)
        linked += save_ties(session, removal, at=at)
    for pair in pairs:
        one, other = (stands_for.get(it, it) for it in pair.ids)
        if one != other:
            both_stay = pair.ids == (one, other)
            linked += save_link(session, pair if both_stay else tie_by_third(one, other), at=at)
    admitted = admit_images(session, _ids(pairs) - stands_for.keys(), at=at)
    return DedupSummary(duplicates=removed, linked=linked, pool=admitted)


def _ids(pairs: Sequence[Pair]) -> set[int]:
    return {image_id for pair in pairs for image_id in (pair.first_id, pair.second_id)}
