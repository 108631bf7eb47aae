"""Collectors that are killed, or lose their disk or catalogue, lose and duplicate nothing."""

import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import select, update

import vocparty
from catalog.party import Party, make_party, open_party
from catalog.states import PhotoState
from catalog.tables import Image, Photo
from collect.job import load_progress
from simulate.flickr.faults import API_ONLY, IMAGE_ONLY, FaultKind, Faults, Rule, parse_rule
from simulate.flickr.server import StandIn
from tests.postgres import Server, running_server
from tests.rows import load_rows
from tests.warm import Main, Warm

from . import haste, small_disk
from .flickrs import FEW, Holding, Losing, leading_to
from .rows import find_reason
from .test_job import check_that_totals_add_up


def make(folder: Path, flickr: StandIn, *, patience_secs: float = 30, **values: Any) -> Path:
    settings = {
        **leading_to(flickr, timeout_secs=patience_secs / 2),
        "collect": {
            "workers": 3,
            "target_images": 40,
            "connect_timeout_secs": patience_secs,
            "read_timeout_secs": patience_secs,
            "total_timeout_secs": 2 * patience_secs,
        },
        **values,
    }
    make_party(folder, name="Killed party", preset="few.toml", preset_text=FEW, values=settings)
    return folder


Start = Callable[..., Warm]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a collector of three classes; if it still runs after the test, it is killed."""
    started: list[Warm] = []

    def start(folder: Path, *arguments: str, main: Main = haste.main, **variables: str) -> Warm:
        classes = [word for name in ("cat", "sheep", "sofa") for word in ("--class", name)]
        words = ["collect", "--party", str(folder), *classes, *arguments]
        started.append(Warm(words, {"NO_PROXY": "127.0.0.1,localhost", **variables}, main))
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
            process.communicate()


def finish(process: Warm) -> tuple[str, str]:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out, err


LOOK_EVERY_SECS = 0.05  # a look takes milliseconds, which the collector then lacks


def wait_for_images(party: Party, count: int, process: Warm) -> None:
    """Return when the catalogue holds `count` images, or the process has ended."""
    deadline = time.monotonic() + 180
    while load_progress(party) < count and process.poll() is None:
        assert time.monotonic() < deadline
        with suppress(subprocess.TimeoutExpired):
            process.wait(LOOK_EVERY_SECS)


def find_unrecorded(party: Party) -> bool:
    """Whether a file is stored that has no row."""
    stored = set(party.store.digests())
    return bool(stored - set(load_rows(party, select(Image.sha256))))


def let_claims_run_out(party: Party, killed: Warm) -> None:
    """Let the time pass after which others may take the claims of a killed collector."""
    with party.catalogue.writing() as session:
        held = update(Photo).where(Photo.claimed_by.contains(f"/{killed.process_id}/"))
        session.execute(held.values(claimed_until_at=datetime(2020, 1, 1, tzinfo=UTC)))


def test_a_killed_collector_resumes_without_duplicates_or_gaps(
    tmp_path: Path, large_flickr: StandIn, start: Start, any_catalogue: dict[str, Any]
) -> None:
    folder = make(tmp_path / "party", large_flickr, **any_catalogue)
    large_flickr.faults = Faults((parse_rule("latency@20=1"),))
    with open_party(folder) as party:
        for count in (4, 8):
            process = start(folder, main=haste.main_until_files_are_in_hand, COUNT=str(count))
            process.kill_when_stopped()
            assert find_unrecorded(party)
            let_claims_run_out(party, process)
        assert load_progress(party) < 40
        out, _err = finish(start(folder))
        assert load_progress(party) == 40
        assert out.startswith("Fetched ")
        check_that_totals_add_up(party)
        parts = [path for path in (folder / "images").rglob("*") if path.suffix == ".part"]
        assert len(parts) <= 12  # at most one unfinished file for each of 6 threads, killed twice


def test_ctrl_c_releases_all_claims(tmp_path: Path, large_flickr: StandIn, start: Start) -> None:
    folder = make(tmp_path / "party", large_flickr)
    large_flickr.faults = holding = Holding(answered=8)  # it is not done before the signal
    with open_party(folder) as party:
        process = start(folder, "--target", "70")
        wait_for_images(party, 5, process)
        process.send_signal(signal.SIGINT)
        large_flickr.faults = Faults((parse_rule("latency@100=1"),))
        holding.release.set()
        out, err = process.communicate(timeout=120)
        assert process.returncode == 130
        assert "Run the same command again to continue" in err
        assert "Traceback" not in err
        assert out.startswith("Fetched ")
        assert load_rows(party, select(Photo).where(Photo.claimed_by.is_not(None))) == []
        check_that_totals_add_up(party)


def test_ctrl_c_breaks_off_downloads_that_do_not_end(
    tmp_path: Path, large_flickr: StandIn, start: Start
) -> None:
    folder = make(tmp_path / "party", large_flickr, patience_secs=150)
    large_flickr.faults = holding = Holding(answered=8)
    with open_party(folder) as party:
        process = start(folder, "--target", "70")
        assert holding.holds.wait(180)
        process.send_signal(signal.SIGINT)
        _out, err = process.communicate(timeout=100)
        holding.release.set()
        assert process.returncode == 130
        assert "Run the same command again to continue" in err
        assert load_rows(party, select(Photo).where(Photo.claimed_by.is_not(None))) == []
        states = set(load_rows(party, select(Photo.state)))
        assert states <= {PhotoState.FETCHED, PhotoState.FOUND}
        check_that_totals_add_up(party)


def test_several_collectors_on_one_catalogue_fetch_nothing_twice(
    tmp_path: Path, large_flickr: StandIn, start: Start, any_catalogue: dict[str, Any]
) -> None:
    folder = make(tmp_path / "party", large_flickr, **any_catalogue)
    for process in [start(folder, "--seed", str(number)) for number in range(3)]:
        finish(process)
    with open_party(folder) as party:
        assert load_progress(party) >= 40
        check_that_totals_add_up(party)
        assert large_flickr.requests["image"] == count_fetched(party)


STATUSES = ("429", "500", "503", "404", "403")
SLOW = FaultKind.LATENCY  # every answer has it
SLOWEST = FaultKind.DRIP  # holds a download until its time is over, so it comes rarely


def mixed_rules(share: float) -> tuple[Rule, ...]:
    """Every fault there is, at each host with the probability `share`."""
    kinds = [kind for kind in FaultKind if kind not in (FaultKind.STATUS, SLOW, SLOWEST)]
    image = [kind.value for kind in kinds if kind not in API_ONLY] + list(STATUSES)
    api = [kind.value for kind in kinds if kind not in IMAGE_ONLY] + ["429", "500", "503"]
    rules = [f"image:{name}={share / len(image):.4f}" for name in image]
    rules += [f"api:{name}={share / len(api):.4f}" for name in api]
    return tuple(map(parse_rule, [*rules, "image:drip@20=0.01", "api:drip@20=0.01", "latency@5=1"]))


@pytest.mark.timeout(600)  # hosts that refuse are rested, second after second
def test_the_target_is_reached_despite_all_faults_and_repeated_kills(
    tmp_path: Path, large_flickr: StandIn, start: Start, any_catalogue: dict[str, Any]
) -> None:
    folder = make(tmp_path / "party", large_flickr, patience_secs=2, **any_catalogue)
    large_flickr.faults = Losing(mixed_rules(0.2), seed=4)
    rng = random.Random(4)
    with open_party(folder) as party:
        running = [start(folder) for _ in range(3)]
        for count in (3, 12, 24):
            wait_for_images(party, count, running[0])
            victim = running.pop(rng.randrange(3))
            victim.send_signal(signal.SIGKILL)
            victim.communicate()
            let_claims_run_out(party, victim)
            running.append(start(folder))
        for process in running:
            out, err = finish(process)
            assert out.startswith("Fetched ")
            assert "Traceback" not in err
        assert load_progress(party) >= 40
        check_that_totals_add_up(party)
        lost = load_rows(party, select(Photo.reason).where(Photo.reason.is_not(None)))
    assert lost
    assert None not in {find_reason(reason) for reason in lost}


@pytest.fixture(scope="module")
def namespaces() -> None:
    """Skips where this machine allows no private file system."""
    tried = Warm([], main=small_disk.try_to_mount)
    tried.communicate()
    if tried.returncode:
        pytest.skip("This machine allows no mount of its own, so no small disk can fill up.")


def collect_twice(folder: Path, disk: Path, out: Path, left_kb: int) -> Warm:
    """Run the same command on a disk that fills up, and again when there is room."""
    saved = out / "saved"
    out.mkdir()
    classes = [word for name in ("cat", "sheep", "sofa") for word in ("--class", name)]
    variables = {
        "NO_PROXY": "127.0.0.1,localhost",
        "DISK": str(disk),
        "SAVED": str(saved),
        "OUT": str(out),
        "LEFT_KB": str(left_kb),
    }
    words = ["collect", "--party", str(folder), *classes]
    done = Warm(words, variables, small_disk.collect_twice)
    done.communicate(timeout=240)
    shutil.copytree(saved, disk, dirs_exist_ok=True)
    claim = ["doctor", "--claim-store", "--party", str(folder)]
    CliRunner().invoke(vocparty.main, claim)
    return done


@pytest.mark.usefixtures("namespaces", "own_log")
@pytest.mark.parametrize(
    ("part", "left_kb", "says"),
    [
        ("images", 60, "Error: The image store did not take a file: [Errno 28] No space left"),
        ("rows", 250, "Error: The disk of the catalogue is full. Nothing is lost."),
    ],
)
def test_a_full_disk_ends_in_one_sentence_and_the_same_command_resumes(
    tmp_path: Path, large_flickr: StandIn, part: str, left_kb: int, says: str
) -> None:
    disks = tmp_path / "disks"
    out = tmp_path / "out"
    for name in ("images", "rows"):
        (disks / name).mkdir(parents=True)
    images = str(disks / "images")
    catalogue = f"sqlite:///{disks}/rows/catalogue.db"
    folder = make(tmp_path / "party", large_flickr, images=images, catalogue=catalogue)
    done = collect_twice(folder, disks / part, out, left_kb)
    full = (out / "full").read_text()
    free = (out / "free").read_text()
    assert done.returncode == 0, done.communicate()[1] + free
    assert (out / "status").read_text() == "1"
    assert says in full
    assert "Traceback" not in full
    with open_party(folder) as party:
        assert load_progress(party) == 40
        check_that_totals_add_up(party)
        unfinished = [path for path in (disks / "images").rglob("*") if path.suffix == ".part"]
        assert unfinished == []
    fetched_before = int(full.partition("Fetched ")[2].partition(";")[0])
    fetched_after = int(free.partition("Fetched ")[2].partition(";")[0])
    assert fetched_before + fetched_after == 40  # nothing that was stored came twice


TARGET = 40
LOSSES = 2
IN_HAND = 9  # files of 3 workers


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A separate server for this module, since it is stopped."""
    with running_server() as server:
        yield server


@pytest.fixture
def slow_flickr(large_flickr: StandIn) -> StandIn:
    large_flickr.faults = Faults((parse_rule("latency@20=1"),))
    return large_flickr


def end(process: Warm) -> None:
    """Check that the collector reaches its target or says in one sentence why not."""
    out, err = process.communicate(timeout=240)
    assert "Traceback" not in err
    assert out.startswith("Fetched ")
    assert process.returncode == 0 or (
        process.returncode == 1
        and "Error: Cannot use the catalogue: " in err
        and "run the same command again when this is fixed" in err
    )


def count_fetched(party: Party) -> int:
    return len(load_rows(party, select(Photo.id).where(Photo.state == PhotoState.FETCHED)))


def cut(server: Server, name: str) -> None:
    server.cut_connections(name)


def restart(server: Server, _name: str) -> None:
    server.stop()
    server.start()


@pytest.mark.postgres
@pytest.mark.parametrize("lose", [cut, restart])
def test_a_collector_that_lost_its_database_resumes_with_the_same_command(
    tmp_path: Path,
    server: Server,
    slow_flickr: StandIn,
    start: Start,
    lose: Callable[[Server, str], None],
) -> None:
    name = server.make_database()
    folder = make(tmp_path / "party", slow_flickr, catalogue=server.url(name))
    with open_party(folder) as party:
        for _ in range(LOSSES):
            before = load_progress(party)
            process = start(folder)
            wait_for_images(party, before + 4, process)  # which this one has fetched
            lose(server, name)
            party.catalogue.close()  # the test's own connections are cut too
            end(process)
        end(start(folder))
        assert load_progress(party) == TARGET
        check_that_totals_add_up(party)
        asked_in_vain = slow_flickr.requests["image"] - count_fetched(party)
        assert asked_in_vain <= IN_HAND * LOSSES


@pytest.mark.postgres
def test_a_collector_without_its_database_says_so_and_sends_no_request(
    tmp_path: Path, server: Server, slow_flickr: StandIn, start: Start
) -> None:
    folder = make(tmp_path / "party", slow_flickr, catalogue=server.url(server.make_database()))
    server.stop()
    try:
        process = start(folder)
        _out, err = process.communicate(timeout=240)
    finally:
        server.start()
    assert process.returncode == 1
    assert err.startswith("Error: ")
    assert "Traceback" not in err
    assert slow_flickr.requests.total() == 0
    with open_party(folder) as party:
        assert load_progress(party) == 0
