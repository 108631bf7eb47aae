"""Teams that send results to one challenge, beside a party whose pages as many people look at.

The hour is 50 teams, 500 submissions of 2 million rows, and a page of each team every five seconds;
of it the first `--minutes` are run, at the same rate and with that share of the submissions, on a
challenge of 4,952 images in 20 classes. `--rows` makes each smaller where the machine is. A team
sends its archive, confirms, asks how far it is every two seconds as the page does, and publishes
what is scored. Meanwhile as many annotators open pages of a party, served by a process of its own,
at the same rate: its p99 is what the challenge's is held against.

With `--kill`, every so many seconds the worker or the whole server is killed with SIGKILL, in turn,
and the server is started again; teams send again what was not acknowledged. At the end each
submission whose confirmation was acknowledged is looked up: scored once, and one result taken.

    python -m benchmarks.challenge_load [--minutes 6] [--rows 2000000] [--kill 20]
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import requests
from sqlalchemy import func, select

from benchmarks.evaluate import write_detections, write_tree
from benchmarks.serve_load import fill_pool, percentile, wait_for_server
from catalog.party import make_party, open_party
from catalog.states import Role
from challenge import teams
from challenge.folder import Challenge, open_challenge
from challenge.making import Order, make_challenge
from challenge.tables import QuotaUse, Scoring, Submission
from challenge.values import Phase, ScoringState, State
from simulate.demo_people import make_link
from simulate.party_client import PartyClient, RefusedError
from simulate.team_client import TeamClient, pack_folder
from tests.postgres import running_server
from vockit.evaluate.curves import Rules
from vockit.evaluate.truth import open_truth

TEAMS = 50
AN_HOUR = 500
"""Submissions of an hour."""
ROWS = 2_000_000
METHOD = "method"
PAGE_EVERY_SECS = 5.0
ASK_EVERY_SECS = 2.0
AGAIN_SECS = 1.0
DRAINING_SECS = 1200.0
"""For what is queued when the last submission was sent."""
SAMPLE_SECS = 1.0
TEAM_PAGES = ("/team", "/board/comp3", "/", "/board/comp3/history")
PARTY_PAGES = ("/", "/annotate", "/guidelines", "/feedback")


@dataclass
class Load:
    """What the teams and the annotators saw; filled by all their threads."""

    ends: float
    millis: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter)
    confirmed: list[int] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    """Seconds from the confirmation to the score."""


@dataclass
class ServedChallenge:
    """A challenge's server, a process group of its own, which is killed every `kill_secs`, if any.

    It is started again where it was.
    """

    folder: Path
    kill_secs: float = 0.0
    port: int = 0
    process: subprocess.Popen[str] = field(init=False)

    def start(self) -> None:
        """Start the server and wait for its first answer."""
        command = [sys.executable, "-m", "vocparty", "challenge", "serve"]
        command += ["--challenge", str(self.folder), "--port", str(self.port)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        self.port = int(wait_for_server(self.process).rpartition(":")[2])

    @property
    def base_url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        """End every process of it at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def kill_worker(self) -> None:
        """End the process that scores."""
        for process_id in list_processes(self.process.pid):
            if "multiprocessing.spawn" in read_command(process_id):
                os.kill(process_id, signal.SIGKILL)

    def read_memory_mb(self) -> float:
        """What the processes that stay hold: not those of one check or one scoring."""
        return sum(map(read_resident_mb, [self.process.pid, *list_processes(self.process.pid)]))


def list_processes(parent_id: int) -> list[int]:
    """The processes that a process started itself."""
    children = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            values = path.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        if int(values[1]) == parent_id:
            children.append(int(path.parent.name))
    return children


def read_command(process_id: int) -> str:
    """The words of a process's command."""
    return Path(f"/proc/{process_id}/cmdline").read_text().replace("\0", " ")


def read_resident_mb(process_id: int) -> float:
    """Resident megabytes of a process; 0 where it is gone."""
    try:
        pages = int(Path(f"/proc/{process_id}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teams", type=int, default=TEAMS)
    parser.add_argument("--minutes", type=float, default=6.0)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--kill", type=float, default=0.0, metavar="SECS")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    given = parser.parse_args()
    count = max(1, round(AN_HOUR * given.minutes / 60))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        root = make_contest(folder, per_week=AN_HOUR, database=choose_database(stack, given))
        archive = write_archive(folder / METHOD, root, given.rows)
        tokens = invite_teams(folder / "challenge", given.teams)
        links = make_annotators(folder / "party", given.teams)
        party = stack.enter_context(serving_party(folder / "party", links))
        served = ServedChallenge(folder / "challenge", kill_secs=given.kill)
        served.start()
        stack.callback(served.kill)
        load = Load(time.monotonic() + 60 * given.minutes)
        entrants = [TeamClient(served.base_url, token) for token in tokens]
        memory = run_load(load, served, party, entrants, archive, count)
        print_figures(load, memory, count, given)
        print_rows(folder / "challenge", load)


def choose_database(stack: ExitStack, given: argparse.Namespace) -> str:
    """The URL of a new database on PostgreSQL; nothing for a file of SQLite."""
    if given.database == "sqlite":
        return ""
    server = stack.enter_context(running_server())
    return server.url(server.make_database())


def make_contest(folder: Path, *, per_week: int, database: str = "") -> Path:
    """Make a challenge on its rolling server; the tree that it is of."""
    root = folder / "VOCdevkit" / "VOC2012"
    write_tree(root)
    now = datetime.now(UTC)
    days_ago = {Phase.TRAINING: 40, Phase.SUBMISSIONS: 30, Phase.CLOSED: 20, Phase.ROLLING: 10}
    dates = {phase: now - timedelta(days=days) for phase, days in days_ago.items()}
    order = Order("Benchmark", dates, competitions=("comp3",), per_week=per_week, database=database)
    make_challenge(folder / "challenge", root, order, now)
    return root


def write_archive(folder: Path, root: Path, rows: int) -> bytes:
    """An archive of so many detections in all classes."""
    write_detections(folder, open_truth(root, "test", Rules.VOC2012), rows, seed=1)
    archive = pack_folder(folder)
    print(f"{rows:,} rows, packed {len(archive) / 1e6:.0f} MB", flush=True)
    return archive


def invite_teams(folder: Path, count: int) -> list[str]:
    """The tokens of new teams."""
    tokens = [teams.make_token() for _ in range(count)]
    with open_challenge(folder) as challenge, challenge.catalogue.writing() as session:
        for number, token in enumerate(tokens):
            teams.invite(session, f"team {number}", "", token=token, now=datetime.now(UTC))
    return tokens


def make_annotators(folder: Path, count: int) -> list[str]:
    """The links of the annotators of a new party."""
    values: dict[str, Any] = {"annotate": {"signins_per_minute": 10_000}}
    make_party(folder, name="Benchmark", preset="voc2012", values=values)
    with open_party(folder) as party:
        fill_pool(party, 200)
        return [make_link(party, f"p{number}", Role.ANNOTATOR) for number in range(count)]


@contextmanager
def serving_party(folder: Path, links: Sequence[str]) -> Iterator[list[PartyClient]]:
    """The browsers of people who signed in to a party's server, which ends with the block."""
    command = [sys.executable, "-m", "vocparty", "serve", "--party", str(folder), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            base_url = wait_for_server(process)
            clients = [PartyClient(base_url) for _ in links]
            for client, link in zip(clients, links, strict=True):
                client.sign_in(link)
            yield clients
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def run_load(
    load: Load,
    served: ServedChallenge,
    party: Sequence[PartyClient],
    entrants: Sequence[TeamClient],
    archive: bytes,
    count: int,
) -> list[float]:
    """Let all work until everything that was confirmed is scored; the memory by the second."""
    memory: list[float] = []
    is_over = threading.Event()
    began = time.monotonic()
    moments = [began + (load.ends - began) * number / count for number in range(count)]
    watcher = threading.Thread(target=watch, args=(load, served, memory, is_over))
    watcher.start()
    with ThreadPoolExecutor(2 * len(entrants)) as pool:
        looking = [
            pool.submit(annotate, load, client, number) for number, client in enumerate(party)
        ]
        competing = [
            pool.submit(compete, load, entrant, archive, moments[number :: len(entrants)], number)
            for number, entrant in enumerate(entrants)
        ]
        for future in [*competing, *looking]:
            future.result()
    is_over.set()
    watcher.join()
    return memory


def watch(
    load: Load, served: ServedChallenge, memory: list[float], is_over: threading.Event
) -> None:
    """Note the server's memory each second, and kill the worker and the server in turn.

    While what is left is scored at the end, nothing is killed.
    """
    kills = 0
    killed_at = time.monotonic()
    while not is_over.wait(SAMPLE_SECS):
        memory.append(served.read_memory_mb())
        now = time.monotonic()
        if not served.kill_secs or now - killed_at < served.kill_secs or now > load.ends:
            continue
        if kills % 2:
            served.kill()
            served.start()
        else:
            served.kill_worker()
        kills += 1
        killed_at = time.monotonic()
    print(f"  {kills} kills", flush=True)


def compete(
    load: Load, client: TeamClient, archive: bytes, moments: Sequence[float], number: int
) -> None:
    """One team's hour: pages, and a submission at each of its moments."""
    chance = random.Random(number)
    retry(load, "sign in", client.sign_in)
    retry(load, "method", lambda: client.add_method(METHOD))
    for moment in moments:
        while time.monotonic() < moment:
            open_page(load, "challenge", client, chance.choice(TEAM_PAGES))
            time.sleep(chance.uniform(0.5, 1.5) * PAGE_EVERY_SECS)
        enter(load, client, archive)
    while time.monotonic() < load.ends:
        open_page(load, "challenge", client, chance.choice(TEAM_PAGES))
        time.sleep(chance.uniform(0.5, 1.5) * PAGE_EVERY_SECS)
    client.close()


def enter(load: Load, client: TeamClient, archive: bytes) -> None:
    """Send results, confirm them, follow them to their score, and publish them."""
    began = time.monotonic()
    verdict = retry(load, "upload", lambda: client.upload(METHOD, archive))
    load.millis["upload and verdict"].append(1000 * (time.monotonic() - began))
    number: int = verdict["id"]
    retry(load, "confirm", lambda: client.confirm(number))
    load.confirmed.append(number)
    confirmed_at = time.monotonic()
    while time.monotonic() < load.ends + DRAINING_SECS:
        time.sleep(ASK_EVERY_SECS)
        asked_at = time.monotonic()
        state = retry(load, "follow", lambda: client.follow(number))["state"]
        load.millis["how far it is"].append(1000 * (time.monotonic() - asked_at))
        if state == State.SCORED:
            load.waited.append(time.monotonic() - confirmed_at)
            retry(load, "publish", lambda: client.publish(number))
            return
        if state == State.FAILED:  # its scoring was stopped twice
            load.errors["scoring stopped twice"] += 1
            retry(load, "confirm", lambda: client.confirm(number))


def open_page(load: Load, whose: str, client: TeamClient | PartyClient, path: str) -> None:
    """Open a page, timed to its last byte."""
    began = time.monotonic()
    try:
        answer = client.http.get(client.base_url + path, timeout=60)
    except requests.RequestException as error:
        load.errors[f"{whose} page {type(error).__name__}"] += 1
        return
    load.millis[f"page of the {whose}"].append(1000 * (time.monotonic() - began))
    load.millis[f"{whose} {path}"].append(1000 * (time.monotonic() - began))
    if not answer.ok:
        load.errors[f"{whose} {path} {answer.status_code}"] += 1


def annotate(load: Load, client: PartyClient, number: int) -> None:
    """One annotator, who opens pages at the pace of the teams."""
    chance = random.Random(number)
    while time.monotonic() < load.ends:
        open_page(load, "party", client, chance.choice(PARTY_PAGES))
        time.sleep(chance.uniform(0.5, 1.5) * PAGE_EVERY_SECS)
    client.close()


def retry(load: Load, what: str, ask: Callable[[], Any]) -> Any:
    """What a request gives, asked again until the server answers; other answers are errors."""
    while True:
        try:
            return ask()
        except requests.RequestException as error:
            load.errors[f"{what} {type(error).__name__}"] += 1
        except RefusedError as error:
            load.errors[f"{what} {re.sub('[0-9]+', 'N', str(error))[:160]}"] += 1
        time.sleep(AGAIN_SECS)
        if time.monotonic() > load.ends + DRAINING_SECS:
            raise TimeoutError(what)


def print_figures(
    load: Load, memory: Sequence[float], count: int, given: argparse.Namespace
) -> None:
    """How fast requests were answered, how long scores took, and what the server held."""
    third = max(1, len(memory) // 3)
    parts = [memory[at : at + third] for at in (0, third, 2 * third)]
    shown = ", ".join(f"{sorted(part)[len(part) // 2]:.0f}" for part in parts if part)
    print(
        f"{given.teams} teams, {count} submissions, {given.minutes:g} minutes, {given.database}, "
        f"kill every {given.kill:g} s; load average {os.getloadavg()[1]:.1f}\n"
        f"  server's memory, medians of the thirds: {shown} MB"
    )
    for name, times in sorted(load.millis.items()):
        quantiles = "  ".join(f"p{part} {percentile(times, part):7.1f}" for part in (50, 95, 99))
        print(f"  {name:<34} {len(times):6}  {quantiles}  max {max(times):8.1f} ms")
    if load.waited:
        print(
            f"  confirmed to scored: median {percentile(load.waited, 50):.0f} s, "
            f"longest {max(load.waited):.0f} s"
        )
    print(f"  errors: {dict(load.errors) or 'none'}")


def print_rows(folder: Path, load: Load) -> None:
    """Whether the database has each confirmed submission scored once, and one result for it."""
    with open_challenge(folder) as challenge:
        lost, twice, wrong = count_faults(challenge, load.confirmed)
    print(f"  {len(load.confirmed)} confirmed: {lost} lost, {twice} scored twice, {wrong} of quota")


def count_faults(challenge: Challenge, confirmed: Sequence[int]) -> tuple[int, int, int]:
    """Confirmed submissions without a score, with several, and results of the quota that differ."""
    with challenge.catalogue.reading() as session:
        states = dict(session.execute(select(Submission.id, Submission.state)).tuples().all())
        scored = (
            select(Scoring.submission_id, func.count())
            .where(Scoring.state == ScoringState.DONE)
            .group_by(Scoring.submission_id)
        )
        scorings = dict(session.execute(scored).tuples().all())
        taken = set(session.scalars(select(QuotaUse.submission_id)))
    lost = sum(
        states.get(number) is not State.SCORED or not scorings.get(number) for number in confirmed
    )
    twice = sum(count > 1 for count in scorings.values())
    wrong = taken ^ {number for number, state in states.items() if state is State.SCORED}
    return lost, twice, len(wrong)


if __name__ == "__main__":
    main()
