"""Many annotators at once over HTTP: requests a second, times of a save, and nothing lost.

A server of its own process (`vocparty serve`, SQLite, WAL, a synchronous commit for every save) is
used by simulated annotators as the page uses it: the next image with two reserved ahead, each
image's bytes once, a draft about every two seconds of drawing with one object more, the end of the
image after three to seven of them, a heartbeat every 150 s. They sit down within the first twelve
seconds, in which nothing is measured yet. At the end the server is killed with SIGKILL, and
every revision that it acknowledged is looked up in the database.

    python -m benchmarks.party_load --people 50 --secs 300
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]

DRAFTS_PER_IMAGE = (3, 7)
SETTLING_SECS = 12.0
SAVE_EVERY_SECS = 2.0
HEARTBEAT_SECS = 150.0
IMAGES_AHEAD = 2
GOAL_MS = 250.0
SIGN_IN_SECS = 120.0
IMAGE_WH = (500, 375)


@dataclass(frozen=True)
class Plan:
    """What is measured."""

    people: int
    secs: float
    images: int
    threads: int
    workers: int


@dataclass
class Tally:
    """What the annotators saw; filled by all their threads."""

    millis: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter)
    acknowledged: dict[int, int] = field(default_factory=dict)
    begins: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, name: str, status: int, secs: float) -> None:
        """One answer: its kind, its status, and how long it took."""
        with self.lock:
            if time.monotonic() >= self.begins:
                self.millis[name].append(secs * 1000)
            if status >= 400 or status == 0:
                self.errors[f"{name} {status}"] += 1

    def keep(self, answer: Json) -> None:
        """A revision that the server says it has, and how many objects it holds."""
        revision = answer["annotation"]
        with self.lock:
            self.acknowledged[revision["id"]] = len(revision["objects"])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--secs", type=float, default=300.0)
    parser.add_argument("--images", type=int, default=3000, help="in the pool at the start")
    parser.add_argument("--threads", type=int, default=8, help="of the server")
    parser.add_argument("--workers", type=int, default=1, help="processes of the server")
    parser.add_argument("--part", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        run_annotators(Path(given.part[0]), given.part[1], given.people, given.secs)
        return
    plan = Plan(given.people, given.secs, given.images, given.threads, given.workers)
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder) / "party", plan)


def measure(party: Path, plan: Plan) -> None:
    """Fill a party, let people at it, and print what they saw."""
    links = make_full_party(party, plan)
    (party / "links.json").write_text(json.dumps(links))
    before = os.getloadavg()
    with serving(party, plan) as (base_url, server):
        report = run_part(party, base_url, plan)
        used_secs = cpu_secs(server)
        os.killpg(server.pid, signal.SIGKILL)
    print_report(report, plan, used_secs, (before, os.getloadavg()))
    acknowledged = {int(key): count for key, count in report["acknowledged"].items()}
    missing = find_missing(party, acknowledged)
    print(
        f"  acknowledged revisions: {len(acknowledged)}, "
        f"missing or wrong after kill -9: {len(missing)}"
    )
    p99 = percentile(report["millis"]["save"], 99)
    is_met = p99 < GOAL_MS and not report["errors"] and not missing
    print(f"  goal (p99 of a save under {GOAL_MS:.0f} ms, no error, nothing missing): {is_met}")


def make_full_party(folder: Path, plan: Plan) -> list[str]:
    """The paths of the people's links, into a party whose pool is full."""
    from catalog.new_party import make_party
    from catalog.party import open_party
    from catalog.states import Role
    from simulate.demo_people import make_link

    values: Json = {"annotate": {"signins_per_minute": 10_000}}
    make_party(folder, name="Benchmark", preset="voc2012", values=values)
    with open_party(folder) as party:
        fill_pool(party, plan.images)
        names = [f"person {number}" for number in range(plan.people)]
        return [make_link(party, name, Role.ANNOTATOR) for name in names]


def fill_pool(party: Any, count: int) -> None:
    """Photographs of VOC's usual size and weight; few pictures, told apart by a comment."""
    import io
    from datetime import UTC, datetime

    from PIL import Image as Picture
    from sqlalchemy import insert

    from catalog.states import ImageState
    from catalog.tables import Image

    now, rng = datetime.now(UTC), random.Random(1)
    pictures = []
    for _ in range(8):
        small = Picture.frombytes("RGB", (225, 169), rng.randbytes(225 * 169 * 3))
        file = io.BytesIO()
        small.resize(IMAGE_WH).save(file, "JPEG", quality=85)
        pictures.append(file.getvalue())
    rows = []
    for number in range(count):
        comment = f"image {number}".encode()
        segment = b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment
        data = pictures[number % 8]
        data = data[:2] + segment + data[2:]
        rows.append(
            {
                "sha256": party.store.put(data),
                "width": IMAGE_WH[0],
                "height": IMAGE_WH[1],
                "bytes": len(data),
                "stored_at": now,
                "state": ImageState.POOL,
                "state_at": now,
            }
        )
    with party.catalogue.writing() as session:
        session.execute(insert(Image), rows)


@contextmanager
def serving(party: Path, plan: Plan) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address and the process group of a server of its own."""
    command = [sys.executable, "-m", "vocparty", "serve", "--party", str(party), "--port", "0"]
    command += ["--threads", str(plan.threads), "--workers", str(plan.workers)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True, cwd=Path.cwd()
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if "http://" in line:
                address = line[line.index("http://") :].split()[0].rstrip("/.;,")
                yield address, process
                break
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def run_part(party: Path, base_url: str, plan: Plan) -> Json:
    """What the annotators saw; they run in a process of their own."""
    command = [sys.executable, "-m", "benchmarks.party_load", "--people", str(plan.people)]
    command += ["--secs", str(plan.secs), "--part", str(party / "links.json"), base_url]
    subprocess.run(command, check=True)
    report: Json = json.loads((party / "links.json").with_name("report.json").read_text())
    return report


def run_annotators(links: Path, base_url: str, people: int, secs: float) -> None:
    """Write down what they saw beside the file of links."""
    tally = Tally()
    signed_in = threading.Barrier(people + 1)
    ends = [0.0]
    threads = [
        threading.Thread(
            target=annotate, args=(base_url, link, number, tally, signed_in, ends), daemon=True
        )
        for number, link in enumerate(json.loads(links.read_text()))
    ]
    for thread in threads:
        thread.start()
    ends[0] = tally.begins = time.monotonic() + 3600
    signed_in.wait(timeout=SIGN_IN_SECS)
    began = tally.begins = time.monotonic() + SETTLING_SECS
    ends[0] = began + secs
    for thread in threads:
        thread.join()
    report = {
        "secs": time.monotonic() - began,
        "millis": tally.millis,
        "errors": tally.errors,
        "acknowledged": tally.acknowledged,
    }
    links.with_name("report.json").write_text(json.dumps(report))


def annotate(
    base_url: str,
    link: str,
    number: int,
    tally: Tally,
    signed_in: threading.Barrier,
    ends: list[float],
) -> None:
    """One person's party: image after image until the end."""
    import requests

    from simulate.party_client import PartyClient

    client, rng = PartyClient(base_url, requests.Session()), random.Random(number)
    client.sign_in(link)
    person = Person(client, base_url, tally, rng)
    signed_in.wait(timeout=SIGN_IN_SECS)
    time.sleep(rng.uniform(0, SETTLING_SECS))  # they do not press all at once
    task = person.ask({"ahead": IMAGES_AHEAD})
    while task is not None and time.monotonic() < ends[0]:
        person.draw(task, ends[0])
        task = person.ask({"ahead": IMAGES_AHEAD})
    client.close()


@dataclass
class Person:
    """Somebody at the page; every request is timed."""

    client: Any
    base_url: str
    tally: Tally
    rng: random.Random
    beaten_at: float = field(default_factory=time.monotonic)
    seen: set[str] = field(default_factory=set)

    def ask(self, body: Json) -> Json | None:
        """The next image, and the bytes of those that come after it."""
        answer = self.post("next", "/api/v1/tasks/annotate", body)
        if not answer or not answer["task"]:
            return None
        for task in (answer["task"], *answer["ahead"]):
            if task["image_url"] not in self.seen:
                self.seen.add(task["image_url"])
                self.send("image", "GET", task["image_url"], None)
        task = answer["task"]
        return task if isinstance(task, dict) else None

    def draw(self, task: Json, ends: float) -> None:
        """Drafts with one object more each, then the end of the image."""
        head = task["annotation"]
        parent_id = head["id"] if head else None
        objects: list[Json] = []
        drafts = self.rng.randint(*DRAFTS_PER_IMAGE)
        for count in itertools.count(1):
            time.sleep(self.rng.uniform(0.75, 1.25) * SAVE_EVERY_SECS)
            objects.append(make_object(self.rng, count))
            is_end = count > drafts
            parent_id = self.save(task, parent_id, objects, is_end)
            if not is_end:
                self.beat(task)
            if is_end or time.monotonic() >= ends:
                return

    def save(
        self, task: Json, parent_id: int | None, objects: list[Json], is_end: bool
    ) -> int | None:
        """The id of the new revision; the old one where the server did not take it."""
        body = {
            "save_key": str(uuid.uuid4()),
            "parent_id": parent_id,
            "finish": is_end,
            "active_secs": SAVE_EVERY_SECS,
            "objects": objects,
        }
        answer = self.post("save", f"/api/v1/images/{task['image_id']}/revisions", body)
        if not answer:
            return parent_id
        self.tally.keep(answer)
        return int(answer["annotation"]["id"])

    def beat(self, task: Json) -> None:
        """Keep the lease, now and then."""
        if time.monotonic() - self.beaten_at > HEARTBEAT_SECS:
            self.beaten_at = time.monotonic()
            self.post("heartbeat", f"/api/v1/leases/{task['lease']['id']}/heartbeat", {})

    def post(self, name: str, path: str, body: Json) -> Json | None:
        """The answer's body, or None where it is an error."""
        return self.send(name, "POST", path, body)

    def send(self, name: str, method: str, path: str, body: Json | None) -> Json | None:
        """One request, timed to the last byte of its answer."""
        import requests

        began = time.monotonic()
        try:
            answer = self.client.http.request(method, self.base_url + path, json=body, timeout=60)
            status = answer.status_code
        except requests.RequestException:
            status = 0
        self.tally.note(name, status, time.monotonic() - began)
        if status in (200, 201) and method == "POST":
            content: Json = answer.json()
            return content
        return None


def make_object(rng: random.Random, number: int) -> Json:
    """An object that breaks no rule."""
    xmin, ymin = rng.randint(1, 300), rng.randint(1, 200)
    return {
        "key": f"object-{number}",
        "class": "person",
        "box": [xmin, ymin, xmin + rng.randint(40, 190), ymin + rng.randint(40, 170)],
        "view": "Frontal",
        "truncated": False,
        "occluded": bool(number % 2),
        "actions": ["walking"],
        "parts": [{"name": "head", "box": [xmin, ymin, xmin + 20, ymin + 20]}],
        "drawn_secs": 4.0,
    }


def cpu_secs(server: subprocess.Popen[str]) -> float:
    """Processor time of the server and its children so far, on Linux."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        if int(fields[2]) == server.pid:  # the process group
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def find_missing(party: Path, acknowledged: dict[int, int]) -> list[int]:
    """Acknowledged revisions that the database lacks, or that hold another number of objects."""
    from sqlalchemy import func, select

    from catalog.party import open_party
    from catalog.tables import Annotation, Object

    with open_party(party) as opened, opened.catalogue.reading() as session:
        rows = session.execute(
            select(Annotation.id, func.count(Object.id))
            .outerjoin(Object, Object.annotation_id == Annotation.id)
            .group_by(Annotation.id)
        )
        stored = dict(rows.tuples().all())
    return [key for key, count in acknowledged.items() if stored.get(key) != count]


def print_report(
    report: Json, plan: Plan, used_secs: float, loads: tuple[tuple[float, ...], ...]
) -> None:
    """The figures of a run."""
    total = sum(len(found) for found in report["millis"].values())
    print(
        f"\n{plan.people} people, {report['secs']:.0f} s, {plan.images} images, "
        f"{plan.workers} process(es) of {plan.threads} threads, SQLite"
    )
    print(f"  load average before {loads[0][0]:.1f}, after {loads[1][0]:.1f}")
    print(
        f"  {total / report['secs']:.1f} requests/s, "
        f"server busy {100 * used_secs / report['secs']:.0f} % of a core"
    )
    for name, found in sorted(report["millis"].items()):
        print(
            f"  {name:<10} {len(found):6}  p50 {statistics.median(found):6.1f} ms"
            f"  p95 {percentile(found, 95):6.1f}  p99 {percentile(found, 99):6.1f}"
            f"  max {max(found):7.1f}"
        )
    print(f"  errors: {dict(report['errors']) or 'none'}")


def percentile(found: list[float], percent: int) -> float:
    """The value that so many percent of them do not exceed."""
    ordered = sorted(found)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


if __name__ == "__main__":
    main()
