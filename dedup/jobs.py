"""The job of `vocparty dedup`: hash what was fetched, match it, put near-duplicates aside.

Every step is small, durable and repeatable. Whatever is interrupted leaves images as `fetched` or
`hashed`, and the next run goes on with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime
from functools import partial

from sqlalchemy import and_, or_, select
from sqlalchemy.orm import Session

from catalog.errors import ImageStoreError
from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Image
from catalog.transitions import move_images

from .clusters import Removal, cluster_pairs, plan_removals
from .comparison import find_pairs
from .decisions import (
    COUNTED,
    free_orphans,
    load_candidates,
    save_link,
    save_removal,
    save_ties,
    slices,
)
from .executors import (
    BATCH_FILES,
    Watch,
    Workforce,
    default_workers,
    run_batches,
    unwatched,
)
from .hashing import HashOutcome, HashTask, call_waiting, hash_batch, save_broken, save_hashed
from .pairs import Pair, Relation, tie_by_third
from .signature.signature import RECIPE
from .signature_rows import load_new_ids, mark_compared

Clock = Callable[[], datetime]
TO_POOL = ImageState.HASHED, ImageState.POOL


@dataclass(frozen=True)
class DedupSummary:
    """How many images one run hashed, found broken, put aside and let into the pool.

    `linked` is how many pairs were linked of which both images stay, `waiting` how many images wait
    for a file that the store lost, or whose decoding ended its process. `doubted` wait for another
    run, since so many files at once could not be decoded.
    """

    hashed: int = 0
    broken: int = 0
    duplicates: int = 0
    pool: int = 0
    linked: int = 0
    waiting: int = 0
    doubted: int = 0

    def __add__(self, other: DedupSummary) -> DedupSummary:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return DedupSummary(*(mine + theirs for mine, theirs in pairs))


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
    the store is out of reach, ClusterError when the Dask cluster at the address is, and
    WorkersEndedError or MemoryError when the machine is short of memory; the same call then goes
    on where it stopped.
    """
    if dask_address is not None and workers is None:
        from .cluster import count_threads

        workers = count_threads(dask_address)  # a cluster may have no workers yet
    wait_secs = party.settings.dedup.cluster_wait_secs
    force = Workforce(workers or default_workers(), dask_address, wait_secs)
    summary = DedupSummary()
    began = clock()
    while True:
        freed = 1
        while freed:
            with party.catalogue.writing() as session:
                freed = free_orphans(session, at=clock())
        summary = replace(summary, waiting=0, doubted=0)
        summary += hash_images(party, force, began, clock=clock, watch=watch)
        settled, left = settle_images(party, force, clock=clock, watch=watch)
        summary += settled
        if settled == DedupSummary() and not left:
            return summary


def hash_images(
    party: Party, force: Workforce, began: datetime, *, clock: Clock = now, watch: Watch = unwatched
) -> DedupSummary:
    """What came of hashing every image that needs it, in a run that `began` then.

    Processes hash many files of this machine. Raises ImageStoreError for an empty store, since a
    disk that is not mounted breaks no image, and DecoderError where no file can be decoded here.
    """
    summary = DedupSummary()
    due = _load_due(party)
    if not due:
        return summary
    are_processes = force.needs_processes(len(due)) and party.store.folder is not None
    done = run_batches(
        partial(force.open, are_processes=are_processes),
        partial(force.open, 1, are_processes=True),
        partial(hash_batch, party.store),
        [due[at : at + BATCH_FILES] for at in range(0, len(due), BATCH_FILES)],
        call_waiting,
        ahead=2 * force.workers,
    )
    unreadable = list[HashOutcome]()
    decoded = 0
    with watch("Hashing", len(due), "images") as advance:
        for outcomes in done:
            waiting = sum(outcome.is_waiting for outcome in outcomes)
            if waiting:
                _refuse_empty_store(party)
            with party.catalogue.writing() as session:
                save_hashed(session, outcomes, at=clock())
            hashed = sum(outcome.hashed is not None for outcome in outcomes)
            summary += DedupSummary(hashed=hashed, waiting=waiting)
            decoded += hashed
            unreadable += [outcome for outcome in outcomes if outcome.is_broken]
            advance(len(outcomes))
    if unreadable:
        with party.catalogue.writing() as session:
            broken, doubted = save_broken(session, unreadable, decoded, at=clock(), began=began)
        summary += DedupSummary(broken=broken, doubted=doubted)
    return summary


def _load_due(party: Party) -> list[HashTask]:
    """The images to hash: those fetched since, and those hashed by an older recipe."""
    is_old = and_(Image.state.in_(COUNTED), Image.hash_recipe.is_distinct_from(RECIPE))
    is_due = or_(Image.state == ImageState.FETCHED, is_old)
    with party.catalogue.reading() as session:
        rows = session.execute(select(Image.id, Image.sha256).where(is_due).order_by(Image.id))
        return [HashTask(image_id, sha256) for image_id, sha256 in rows]


def _refuse_empty_store(party: Party) -> None:
    if next(party.store.digests(), None) is None:
        raise ImageStoreError(
            f"The image store {party.settings.images} is empty although the catalogue knows of "
            "images in it; mount its disk or correct `images` in party.toml, then run this again."
        )


def settle_images(
    party: Party, force: Workforce, *, clock: Clock = now, watch: Watch = unwatched
) -> tuple[DedupSummary, int]:
    """What became of the hashed images, and how many were left because others changed meanwhile.

    The matching holds no lock; each cluster is decided on again from its rows of that moment.
    """
    with party.catalogue.reading() as session:
        are_new = load_new_ids(session)
    summary = DedupSummary()
    left = 0
    if not are_new:
        return summary, left
    pairs = find_pairs(party, force, watch=watch)
    copies = [pair for pair in pairs if pair.relation is Relation.DUPLICATE]
    links = [pair for pair in pairs if pair.relation is not Relation.DUPLICATE]
    for some in slices(links):  # an image must not be admitted before its links are saved
        with party.catalogue.writing() as session:
            linked = sum(save_link(session, pair, at=clock()) for pair in some)
        summary += DedupSummary(linked=linked)
    with watch("Deciding", len(are_new), "images") as advance:
        for clusters in slices(cluster_pairs(copies)):
            with party.catalogue.writing() as session:
                least = party.settings.dedup.min_quality
                settled, skipped = _settle_clusters(session, clusters, least, clock())
            summary, left = summary + settled, left + skipped
            advance(sum(len(_ids(cluster) & are_new) for cluster in clusters))
        for some_ids in slices(sorted(are_new - _ids(copies))):
            with party.catalogue.writing() as session:
                admitted = move_images(session, some_ids, *TO_POOL, at=clock())
                mark_compared(session, some_ids)
            summary += DedupSummary(pool=admitted)
            advance(len(some_ids))
    return summary, left


def _settle_clusters(
    session: Session, clusters: Sequence[Sequence[Pair]], min_quality: float, at: datetime
) -> tuple[DedupSummary, int]:
    """What became of some clusters, and how many images were left alone.

    A cluster is left alone where one of its images does not count any more. Two images that both
    have to stay are only linked.
    """
    pairs = [pair for cluster in clusters for pair in cluster]
    candidates = load_candidates(session, _ids(pairs), pairs, min_quality)
    counted = {candidate.image_id: candidate for candidate in candidates}
    summary = DedupSummary()
    left = 0
    for cluster in clusters:
        ids = _ids(cluster)
        if ids <= counted.keys():
            removals = plan_removals([counted[image_id] for image_id in ids], cluster)
            summary += _settle_cluster(session, cluster, removals, at)
        else:
            left += len(ids)
    return summary, left


def _settle_cluster(
    session: Session, cluster: Sequence[Pair], removals: Sequence[Removal], at: datetime
) -> DedupSummary:
    """Put the removed images aside, link those that stay, and let these into the pool."""
    ids = _ids(cluster)
    removed = linked = 0
    for removal in removals:
        removed += save_removal(session, removal, at=at)
        linked += save_ties(session, removal, at=at)
    stands_for = {removal.image_id: removal.kept_image_id for removal in removals}
    for pair in cluster:
        first_id, second_id = (stands_for.get(image_id, image_id) for image_id in pair.ids)
        if first_id == second_id:
            continue
        both_stay = pair.ids == (first_id, second_id)
        tie = pair if both_stay else tie_by_third(first_id, second_id)
        linked += save_link(session, tie, at=at)
    admitted = move_images(session, ids - stands_for.keys(), *TO_POOL, at=at)
    mark_compared(session, ids)
    return DedupSummary(duplicates=removed, linked=linked, pool=admitted)


def _ids(pairs: Iterable[Pair]) -> set[int]:
    return {image_id for pair in pairs for image_id in pair.ids}
