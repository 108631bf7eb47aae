"""Many annotators at once over HTTP: requests a second, times of a save, and nothing lost.

A server process (`vocparty serve`, SQLite, WAL, a synchronous commit for every save) is used by
simulated annotators as the page uses it: the next image with two reserved ahead, each image's bytes
once, a draft about every two seconds with one object more, the end of the image after three to
seven of them, a heartbeat every 150 s. They begin within the first twelve seconds, in which nothing
is measured yet. At the end the server is killed with SIGKILL, and every revision that it
acknowledged is looked up in the database.

    python -m benchmarks.party_load --people 50 --secs 300
"""

from __future__ import annotations

import argparse
import io
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import requests
from PIL import Image as Picture
from sqlalchemy import func, insert, select

from catalog.party import Party, make_party, open_party
from catalog.states import ImageState, Role
from catalog.tables import Annotation, Image, Object
from simulate.demo_people import make_link
from simulate.party_client import PartyClient

Json = dict[str, Any]

DRAFTS_PER_IMAGE = (3, 7)
SETTLING_SECS = 12.0
SAVE_EVERY_SECS = 2.0
HEARTBEAT_SECS = 150.0
IMAGES_AHEAD = 2
GOAL_MS = 250.0
SIGN_IN_SECS = 120.0
IMAGE_WH = (500, 375)


@dataclass
class Load:
    """A server under load and what the annotators saw of it; filled by all their threads."""

    base_url: str
    signed_in: threading.Barrier
    millis: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter)
    acknowledged: dict[int, int] = field(default_factory=dict)
    begins: float = math.inf
    ends: float = math.inf
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, name: str, status: int, secs: float) -> None:
        """One answer: its kind, its status, and how long it took."""
        with self.lock:
            if time.monotonic() >= self.begins:
                self.millis[name].append(secs * 1000)
            if status >= 400 or status == 0:
                self.errors[f"{name} {status}"] += 1


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--secs", type=float, default=300.0)
    parser.add_argument("--images", type=int, default=3000, help="in the pool at the start")
    parser.add_argument("--threads", type=int, default=8, help="of the server")
    parser.add_argument("--workers", type=int, default=1, help="processes of the server")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder) / "party", given)


def measure(party: Path, given: argparse.Namespace) -> None:
    """Fill a party, let people at it, and print what they saw."""
    links = make_full_party(party, given)
    before = os.getloadavg()
    with serving(party, given) as (base_url, server):
        load = Load(base_url, threading.Barrier(len(links) + 1))
        secs = let_people_work(load, links, given.secs)
        used_secs = cpu_secs(server)
        os.killpg(server.pid, signal.SIGKILL)
    print(f"load average before {before[0]:.1f}, after {os.getloadavg()[0]:.1f}")
    print_report(load, given, secs, used_secs)
    missing = find_missing(party, load.acknowledged)
    print(
        f"  acknowledged revisions: {len(load.acknowledged)}, "
        f"missing or wrong after kill -9: {len(missing)}"
    )
    is_met = percentile(load.millis["save"], 99) < GOAL_MS and not load.errors and not missing
    print(f"  goal (p99 of a save under {GOAL_MS:.0f} ms, no error, nothing missing): {is_met}")


def make_full_party(folder: Path, given: argparse.Namespace) -> list[str]:
    """The paths of the people's links, into a party whose pool is full."""
    values: Json = {"annotate": {"signins_per_minute": 10_000}}
    make_party(folder, name="Benchmark", preset="voc2012", values=values)
    with open_party(folder) as party:
        fill_pool(party, given.images)
        names = [f"person {number}" for number in range(given.people)]
        return [make_link(party, name, Role.ANNOTATOR) for name in names]


def fill_pool(party: Party, count: int) -> None:
    """Photographs of VOC's usual size and weight; few pictures, told apart by a comment."""
    rng, now = random.Random(1), datetime.now(UTC)
    looks = {"width": IMAGE_WH[0], "height": IMAGE_WH[1], "stored_at": now}
    looks |= {"state": ImageState.POOL, "state_at": now}
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
        rows.append({"sha256": party.store.put(data), "bytes": len(data), **looks})
    with party.catalogue.writing() as session:
        session.execute(insert(Image), rows)


@contextmanager
def serving(party: Path, given: argparse.Namespace) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address and the process group of a server."""
    command = [sys.executable, "-m", "vocparty", "serve", "--party", str(party), "--port", "0"]
    command += ["--threads", str(given.threads), "--workers", str(given.workers)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True, cwd=Path.cwd()
    )
    assert process.stdout is not None
    try:
        line = next(line for line in process.stdout if "http://" in line)
        yield line[line.index("http://") :].split()[0].rstrip("/.;,"), process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def let_people_work(load: Load, links: list[str], secs: float) -> float:
    """Let each person annotate in a thread; the seconds that were measured."""
    with ThreadPoolExecutor(len(links)) as pool:
        working = [pool.submit(annotate, load, *person) for person in enumerate(links)]
        load.signed_in.wait(timeout=SIGN_IN_SECS)
        load.begins = time.monotonic() + SETTLING_SECS
        load.ends = load.begins + secs
        for one in working:
            one.result()
    return time.monotonic() - load.begins


def annotate(load: Load, number: int, link: str) -> None:
    """One person's party: image after image until the end."""
    client, rng = PartyClient(load.base_url, requests.Session()), random.Random(number)
    client.sign_in(link)
    person = Person(client, load, rng)
    load.signed_in.wait(timeout=SIGN_IN_SECS)
    time.sleep(rng.uniform(0, SETTLING_SECS))  # they do not press all at once
    while time.monotonic() < load.ends and (task := person.take()):
        person.draw(task)
    client.close()


@dataclass
class Person:
    """A person at the page; every request is timed."""

    client: PartyClient
    load: Load
    rng: random.Random
    beaten_at: float = field(default_factory=time.monotonic)
    seen: set[str] = field(default_factory=set)

    def take(self) -> Json | None:
        """The next image, and the bytes of those that come after it."""
        answer = self.send("next", "/api/v1/tasks/annotate", {"ahead": IMAGES_AHEAD})
        task: Json | None = answer and answer["task"]
        for one in (task, *answer["ahead"]) if answer and task else ():
            if one["image_url"] not in self.seen:
                self.seen.add(one["image_url"])
                self.send("image", one["image_url"])
        return task

    def draw(self, task: Json) -> None:
        """Drafts with one object more each, then the end of the image."""
        head_id = task["annotation"] and task["annotation"]["id"]
        objects: list[Json] = []
        drafts = self.rng.randint(*DRAFTS_PER_IMAGE)
        while len(objects) <= drafts and time.monotonic() < self.load.ends:
            time.sleep(self.rng.uniform(0.75, 1.25) * SAVE_EVERY_SECS)
            objects.append(make_object(self.rng, len(objects) + 1))
            head_id = self.save(task, head_id, objects, is_end=len(objects) > drafts)
            if time.monotonic() - self.beaten_at > HEARTBEAT_SECS:
                self.beaten_at = time.monotonic()
                self.send("heartbeat", f"/api/v1/leases/{task['lease']['id']}/heartbeat", {})

    def save(self, task: Json, head_id: int | None, objects: list[Json], *, is_end: bool) -> Any:
        """The id of the new revision; the old one where the server did not take it."""
        body: Json = {"save_key": str(uuid.uuid4()), "parent_id": head_id, "finish": is_end}
        body |= {"active_secs": SAVE_EVERY_SECS, "objects": objects}
        answer = self.send("save", f"/api/v1/images/{task['image_id']}/revisions", body)
        if not answer:
            return head_id
        revision = answer["annotation"]
        with self.load.lock:
            self.load.acknowledged[revision["id"]] = len(revision["objects"])
        return revision["id"]

    def send(self, name: str, path: str, body: Json | None = None) -> Json | None:
        """A request, timed to the last byte of its answer; the body of a good answer to a POST."""
        method, url = "GET" if body is None else "POST", self.load.base_url + path
        began = time.monotonic()
        try:
            answer = self.client.http.request(method, url, json=body, timeout=60)
            status = answer.status_code
        except requests.RequestException:
            status = 0
        self.load.note(name, status, time.monotonic() - began)
        good: Json | None = answer.json() if status in (200, 201) and body is not None else None
        return good


def make_object(rng: random.Random, number: int) -> Json:
    """An object that breaks no rule."""
    xmin, ymin = rng.randint(1, 300), rng.randint(1, 200)
    box = [xmin, ymin, xmin + rng.randint(40, 190), ymin + rng.randint(40, 170)]
    head = {"name": "head", "box": [xmin, ymin, xmin + 20, ymin + 20]}
    looks = {"class": "person", "view": "Frontal", "truncated": False, "occluded": number % 2 > 0}
    more = {"actions": ["walking"], "parts": [head], "drawn_secs": 4.0}
    return {"key": f"object-{number}", "box": box, **looks, **more}


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
    with open_party(party) as opened, opened.catalogue.reading() as session:
        rows = session.execute(
            select(Annotation.id, func.count(Object.id))
            .outerjoin(Object, Object.annotation_id == Annotation.id)
            .group_by(Annotation.id)
        )
        stored = dict(rows.tuples().all())
    return [key for key, count in acknowledged.items() if stored.get(key) != count]


def print_report(load: Load, given: argparse.Namespace, secs: float, used_secs: float) -> None:
    """The figures of a run."""
    total = sum(len(found) for found in load.millis.values())
    print(
        f"{given.people} people, {secs:.0f} s, {given.images} images, "
        f"{given.workers} process(es) of {given.threads} threads, SQLite\n"
        f"  {total / secs:.1f} requests/s, server busy {100 * used_secs / secs:.0f} % of a core"
    )
    for name, found in sorted(load.millis.items()):
        shown = "  ".join(f"p{part} {percentile(found, part):6.1f}" for part in (50, 95, 99))
        print(f"  {name:<10} {len(found):6}  {shown}  max {max(found):7.1f} ms")
    print(f"  errors: {dict(load.errors) or 'none'}")


def percentile(found: list[float], percent: int) -> float:
    """The value that this percentage of them does not exceed."""
    ordered = sorted(found)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


if __name__ == "__main__":
    main()
