"""Hashing and matching on a real Dask cluster of two processes on this machine."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pytest

from catalog.image_store import ImageStore
from catalog.party import Party
from dedup.among import hold_signatures
from dedup.budget import BYTES_PER_IMAGE
from dedup.cluster import count_threads, open_cluster
from dedup.errors import ClusterError
from dedup.executors import open_threads
from dedup.hashing import HashOutcome, HashTask, hash_batch, hash_batches
from dedup.jobs import DedupSummary, remove_duplicates
from dedup.matching import Matcher
from dedup.search import Resources, find_pairs_within
from dedup.signature_rows import Census

from .images import add_file, clock, load_duplicates
from .photographs import jpeg, originals, resize
from .test_finder import many_signatures

POISON_ID = 2


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    dask, distributed = pytest.importorskip("dask"), pytest.importorskip("distributed")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with (
        # a worker that dies of its first task, before its nanny has heard that it began, is not
        # begun again: with Dask's three repetitions both may be lost so
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
        ) as cluster,
    ):
        yield cluster.scheduler_address


def hash_but_die_of_poison(store: ImageStore, batch: Sequence[HashTask]) -> list[HashOutcome]:
    if any(task.image_id == POISON_ID for task in batch):
        os._exit(7)
    return hash_batch(store, batch)


def test_a_cluster_does_what_this_machine_does(party: Party, address: str) -> None:
    photographs = [originals()[name] for name in ("coffee", "rocket")]
    kept = [add_file(party, jpeg(it), size_wh=it.size) for it in photographs]
    copies = [add_file(party, jpeg(resize(it, 0.5)), size_wh=(250, 188)) for it in photographs]
    done = remove_duplicates(party, dask_address=address, clock=clock)
    assert done == DedupSummary(hashed=4, duplicates=2, pool=2)
    assert load_duplicates(party) == dict(zip(copies, kept, strict=True))


def test_a_file_that_kills_the_cluster_s_workers_costs_only_itself(
    party: Party, address: str
) -> None:
    data = jpeg(originals()["rocket"])
    tasks = [HashTask(number, party.store.put(data)) for number in range(4)]
    open_executor = partial(open_cluster, address)
    outcomes = [
        outcome
        for done in hash_batches(
            party.store,
            [tasks[:2], tasks[2:]],
            open_executor,
            open_executor,
            ahead=2,
            work=hash_but_die_of_poison,
        )
        for outcome in done
    ]
    reasons = {outcome.image_id: outcome.reason for outcome in outcomes}
    expected = dict.fromkeys(range(4)) | {POISON_ID: "decoding the file ended the process"}
    assert reasons == expected


def test_hashes_are_searched_on_a_cluster_with_the_same_result(address: str) -> None:
    random = np.random.default_rng(0)
    hashes = random.integers(0, 1 << 63, 3000, dtype=np.uint64)
    hashes[1000:1500] = hashes[:500] ^ np.uint64(0b1011)
    here = find_pairs_within(hashes, 10)
    with open_cluster(address) as executor:
        # so little memory that there are several shards
        resources = Resources(memory_bytes=100_000, workers=2, executor=executor)
        there = find_pairs_within(hashes, 10, resources=resources)
    assert np.array_equal(there.pairs.first, here.pairs.first)
    assert np.array_equal(there.pairs.second, here.pairs.second)
    assert len(here.pairs) >= 500


@pytest.mark.slow
def test_a_catalogue_larger_than_memory_is_matched_on_a_cluster_with_the_same_result(
    address: str,
) -> None:
    """In one part here, in two parts there, searched and verified by its workers."""
    signatures = many_signatures()[:6]
    census = Census(np.arange(len(signatures)), np.ones(len(signatures), np.bool_))
    source = hold_signatures(signatures)
    with open_threads(1) as here, open_cluster(address) as there:
        whole = Matcher(source, 10, 1 << 30, here, 1)
        parts = Matcher(source, 10, 8 * BYTES_PER_IMAGE, there, 2, is_remote=True)
        found = [sorted(it.match(census), key=lambda pair: pair.ids) for it in (whole, parts)]
    assert [(it.ids, it.relation) for it in found[1]] == [(it.ids, it.relation) for it in found[0]]
    assert len(found[0]) >= 4  # each of two photographs with both of its copies


def test_the_threads_of_a_cluster_are_counted(address: str) -> None:
    """Another test may have killed a worker just now, which comes back."""
    deadline = time.monotonic() + 60
    while count_threads(address) != 2:
        assert time.monotonic() < deadline


def test_an_address_where_nobody_listens_gets_one_sentence(party: Party) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ClusterError, match="No Dask scheduler answers"):
        remove_duplicates(party, dask_address=f"tcp://127.0.0.1:{port}", clock=clock)


def test_an_address_that_is_none_gets_one_sentence(party: Party) -> None:
    with pytest.raises(ClusterError, match="No Dask scheduler answers"):
        remove_duplicates(party, dask_address="nonsense://there", clock=clock)
