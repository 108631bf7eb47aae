"""Hashing and matching on real Dask clusters on this machine.

Workers are processes where a test needs them, or else threads, which start faster.
"""

import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from itertools import chain
from typing import Any

import pytest

from catalog.party import Party
from dedup import cluster as cluster_module
from dedup import executors, matching
from dedup.cluster import count_threads, open_cluster
from dedup.errors import ClusterError, DedupError
from dedup.executors import run_batches
from dedup.hashing import HashTask, call_waiting
from dedup.jobs import DedupSummary, remove_duplicates

from .images import add_file, clock, load_duplicates, load_states
from .photographs import jpeg, originals, resize
from .poison import POISON_ID, die, hash_but_die_of_poison
from .test_cli import invoke

WAIT_SECS = 600.0

MISSING = "Dask is not installed; it comes with the extra `scale`."
dask: Any = pytest.importorskip("dask", reason=MISSING)
pytestmark = pytest.mark.skipif(find_spec("distributed") is None, reason=MISSING)


@contextmanager
def run_cluster(workers: int, **options: Any) -> Iterator[Any]:
    """A separate cluster; a task that kills its worker is not tried on another.

    Dask does not restart a worker that dies before its nanny knows it: with the three usual
    retries, no worker might be left. It would also end one that takes over 15 s to come back.
    """
    distributed: Any = pytest.importorskip("distributed")  # here: loading takes half a second

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    settings: dict[str, Any] = {
        "distributed.scheduler.allowed-failures": 0,
        "distributed.deploy.lost-worker-timeout": "10 minutes",
    }
    quiet: dict[str, Any] = {"dashboard_address": ":0", "silence_logs": logging.CRITICAL}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=workers, host="127.0.0.1", protocol="tcp://", **quiet, **options
        ) as cluster,
    ):
        yield cluster


@pytest.fixture(autouse=True)
def patient_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine gives a scheduler time to answer."""
    pytest.importorskip("distributed")  # which makes its settings known
    monkeypatch.setitem(dask.config.get("distributed.comm.timeouts"), "connect", "100s")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A cluster of two processes, which no test may end: later tests use it."""
    with run_cluster(2, threads_per_worker=1) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def empty() -> Iterator[Any]:
    """A scheduler without workers."""
    with run_cluster(0, threads_per_worker=1, processes=False) as cluster:
        yield cluster


def add_photographs(party: Party) -> dict[int, int]:
    """Two photographs and a copy of each; the kept one for each copy."""
    photographs = [originals()[name] for name in ("coffee", "rocket")]
    kept = [
        add_file(party, jpeg(photograph), size_wh=photograph.size) for photograph in photographs
    ]
    copies = [
        add_file(party, jpeg(resize(photograph, 0.5)), size_wh=(250, 188))
        for photograph in photographs
    ]
    return dict(zip(copies, kept, strict=True))


@pytest.mark.parametrize("where", ["cluster", "processes"])
def test_a_cluster_and_processes_give_the_same_result_as_threads(
    party: Party, address: str, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert count_threads(address) == 2
    monkeypatch.setattr(executors, "PROCESSES_FROM_IMAGES", 1)
    copies = add_photographs(party)
    dask_address = address if where == "cluster" else None
    done = remove_duplicates(party, workers=2, dask_address=dask_address, clock=clock)
    assert done == DedupSummary(hashed=4, duplicates=2, pool=2)
    assert load_duplicates(party) == copies


def test_a_process_that_dies_while_comparing_is_told_in_one_sentence(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "PROCESSES_FROM_IMAGES", 1)
    monkeypatch.setattr(matching, "verify_batch", die)
    copies = add_photographs(party)
    with pytest.raises(DedupError, match="ended, perhaps for want of memory; run this again"):
        remove_duplicates(party, workers=2, clock=clock)
    monkeypatch.undo()
    remove_duplicates(party, workers=2, clock=clock)
    assert load_duplicates(party) == copies


def test_a_file_that_kills_cluster_workers_loses_no_other_file(party: Party) -> None:
    """It kills two: at least one of the two first workers is there, or comes back."""
    data = jpeg(originals()["rocket"])
    tasks = [HashTask(number, party.store.put(data)) for number in range(4)]
    with run_cluster(2, threads_per_worker=1) as cluster:
        open_executor = partial(open_cluster, cluster.scheduler_address, WAIT_SECS)
        how = open_executor, open_executor, partial(hash_but_die_of_poison, party.store)
        done = run_batches(*how, [tasks[:2], tasks[2:]], call_waiting, ahead=2)
        outcomes = list(chain.from_iterable(done))
    reasons = {outcome.image_id: outcome.reason for outcome in outcomes}
    expected = dict.fromkeys(range(4)) | {POISON_ID: "decoding the file ended the process"}
    assert reasons == expected


def test_work_waits_until_there_are_workers(empty: Any, caplog: pytest.LogCaptureFixture) -> None:
    address = empty.scheduler_address
    with open_cluster(address, WAIT_SECS, notice_secs=0.01) as executor:
        waiting = executor.submit(abs, -3)
        while not caplog.messages:
            with suppress(TimeoutError):
                waiting.result(timeout=0.1)
        assert caplog.messages[0].startswith(f"the Dask cluster at {address} has no workers")
        empty.scale(1)
        assert waiting.result(timeout=300) == 3


def test_a_cluster_without_workers_is_given_up_and_a_rerun_works(party: Party, empty: Any) -> None:
    copies = add_photographs(party)
    with (party.folder / "party.toml").open("a", encoding="utf-8") as file:
        file.write("\n[dedup]\ncluster_wait_secs = 0.5\n")
    command = (party.folder, "--dask", empty.scheduler_address)
    status, output, errors = invoke(*command)
    assert (status, output) == (1, "")
    expected = f"Error: The Dask cluster at {empty.scheduler_address} had no workers for 0.5 "
    assert errors.splitlines()[-1].startswith(expected)
    assert set(load_states(party).values()) == {"fetched"}
    empty.scale(1)
    empty.wait_for_workers(1, timeout=300)
    status, output, _errors = invoke(*command)
    assert (status, output.split(",")[0]) == (0, "4 hashed")
    assert load_duplicates(party) == copies


def test_a_scheduler_that_drops_work_is_reported_in_one_sentence() -> None:
    with (
        dask.config.set({"distributed.scheduler.no-workers-timeout": "1ms"}),
        run_cluster(0, processes=False) as cluster,
        open_cluster(cluster.scheduler_address, WAIT_SECS) as executor,
        pytest.raises(ClusterError, match="gave up waiting for workers; start some with"),
    ):
        executor.submit(abs, -3).result(timeout=300)


def test_a_scheduler_that_vanishes_is_reported(empty: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Running work learns of it, and so does work that is submitted later."""
    connect = cluster_module._connect

    def connect_once(address: str) -> Any:
        client = connect(address)
        client._timeout = 0.5  # for a second time
        return client

    monkeypatch.setattr(cluster_module, "_connect", connect_once)
    with open_cluster(empty.scheduler_address, WAIT_SECS) as executor:
        under_way = executor.submit(abs, -3)
        empty.close()
        with pytest.raises(ClusterError, match="went away; start it and its workers again"):
            under_way.result(timeout=300)
        for _ in range(3):
            with pytest.raises(ClusterError, match="went away"):
                executor.submit(abs, -3).result(timeout=300)


def test_a_missing_scheduler_is_reported(party: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(dask.config.get("distributed.comm.timeouts"), "connect", "0.5s")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # no other process can listen there meanwhile
        port = taken.getsockname()[1]
        with pytest.raises(ClusterError, match="No Dask scheduler answers"):
            remove_duplicates(party, dask_address=f"tcp://127.0.0.1:{port}", clock=clock)
    with pytest.raises(ClusterError, match="No Dask scheduler answers"):
        remove_duplicates(party, dask_address="nonsense://there", clock=clock)
