"""A room of annotators on one server: times of each kind of request, errors, memory, nothing lost.

Each person holds six connections, as a browser does, and works as the page does: the next image
with two reserved ahead, each image's bytes once, a draft about every two seconds with one object
more, the end of the image after three to seven. At the end the server is killed with SIGKILL, and
each revision that it acknowledged is looked up. With `--proposals`, one person more asks for an
outline of an object of 450 x 340 pixels every three seconds.

    python -m benchmarks.serve_load --people 100 --minutes 10 --database postgresql
"""

from __future__ import annotations

import argparse
import io
import itertools
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import requests
from PIL import Image as Picture
from sqlalchemy import func, insert, select

from catalog.party import Party, make_party, open_party
from catalog.states import ImageState, Role
from catalog.tables import Annotation, Image, Object, Person, SegmentChoice
from simulate.demo_people import make_link
from simulate.party_client import PartyClient
from tests.postgres import running_server

Json = dict[str, Any]

DRAFTS_PER_IMAGE = (3, 7)
SAVE_EVERY_SECS = 2.0
SETTLING_SECS = 12.0  # everybody begins in these, and nothing is measured yet
PROPOSAL_EVERY_SECS = 3.0
CONNECTIONS = 6
IMAGES_AHEAD = 2
GOAL_MS = 250.0
IMAGE_WH = (500, 375)


Usage = tuple[float, float]
"""Megabytes of memory and seconds of the processor."""


@dataclass
class Load:
    """A server under load and what the annotators saw of it; filled by all their threads."""

    base_url: str
    begins: float
    ends: float
    millis: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter)
    acknowledged: dict[int, int] = field(default_factory=dict)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--images", type=int, default=6000, help="in the pool at the start")
    parser.add_argument("--threads", default="8", help="of the server")
    parser.add_argument("--workers", default="1", help="processes of the server")
    parser.add_argument("--proposals", action="store_true", help="ask for outlines, too")
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "party"
        values: Json = {"annotate": {"signins_per_minute": 10_000}}
        if given.database == "postgresql":
            server = stack.enter_context(running_server())
            values["catalogue"] = server.url(server.make_database())
        make_party(folder, name="Benchmark", preset="voc2012", values=values)
        with open_party(folder) as party:
            fill_pool(party, given.images)
            links = [
                make_link(party, f"p{number}", Role.ANNOTATOR) for number in range(given.people)
            ]
            if given.proposals:
                choose_one(party)
                links.append(make_link(party, "segmenter", Role.ANNOTATOR))
        measure(folder, links, given)


def fill_pool(party: Party, count: int) -> None:
    """Photographs of VOC's usual size and weight; few pictures, told apart by a comment."""
    rng = random.Random(1)
    now = datetime.now(UTC)
    looks = {"width": IMAGE_WH[0], "height": IMAGE_WH[1], "stored_at": now}
    looks |= {"state": ImageState.POOL, "state_at": now}
    pictures = []
    rows = []
    for _ in range(8):
        small = Picture.frombytes("RGB", (225, 169), rng.randbytes(225 * 169 * 3))
        file = io.BytesIO()
        small.resize(IMAGE_WH).save(file, "JPEG", quality=85)
        pictures.append(file.getvalue())
    for number in range(count):
        comment = f"image {number}".encode()
        segment = b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment
        data = pictures[number % 8][:2] + segment + pictures[number % 8][2:]
        rows.append({"sha256": party.store.put(data), "bytes": len(data), **looks})
    with party.catalogue.writing() as session:
        session.execute(insert(Image), rows)


def measure(folder: Path, links: list[str], given: argparse.Namespace) -> None:
    """Serve the party, let people work, kill the server, and print what they saw."""
    command = [sys.executable, "-m", "vocparty", "serve", "--party", str(folder), "--port", "0"]
    command += ["--threads", given.threads, "--workers", given.workers]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        base_url = wait_for_server(process)
        clients = [sign_in(base_url, link) for link in links]
        begins = time.monotonic() + SETTLING_SECS
        load = Load(base_url, begins, begins + 60 * given.minutes)
        usage = let_work(load, clients, process.pid, with_proposals=given.proposals)
        os.killpg(process.pid, signal.SIGKILL)
    print_figures(load, usage, given)
    lost = find_missing(folder, load.acknowledged)
    print(
        f"  errors: {dict(load.errors) or 'none'}; {len(load.acknowledged)} revisions, {lost} lost"
    )
    is_met = percentile(load.millis["save"], 99) < GOAL_MS and not load.errors and not lost
    print(f"  goal (p99 of a save under {GOAL_MS:.0f} ms, no error, nothing lost): {is_met}")


def wait_for_server(process: subprocess.Popen[str]) -> str:
    """The address of the server, which answers by now."""
    began = time.monotonic()
    assert process.stdout is not None
    line = next(line for line in process.stdout if "http://" in line)
    base_url = line[line.index("http://") :].split()[0].rstrip("/.;,")
    requests.get(f"{base_url}/healthz", timeout=60).raise_for_status()
    print(f"The first answer came {time.monotonic() - began:.1f} s after the start.")
    return base_url


def let_work(
    load: Load, clients: list[list[PartyClient]], process_id: int, *, with_proposals: bool
) -> list[Usage]:
    """The server's use of memory and processor at the start, in the middle and at the end."""
    usage = []
    with ThreadPoolExecutor(len(clients)) as pool:
        asking = [clients.pop()] if with_proposals else []
        working = [pool.submit(annotate, load, *client) for client in enumerate(clients)]
        working += [pool.submit(ask_outlines, load, client[0]) for client in asking]
        for moment in (load.begins, (load.begins + load.ends) / 2, load.ends):
            time.sleep(max(moment - time.monotonic(), 0))
            usage.append(read_usage(process_id))
        for future in working:
            future.result()
    return usage


def print_figures(load: Load, usage: Sequence[Usage], given: argparse.Namespace) -> None:
    """How many requests were answered, how fast, and what the server used."""
    millis = load.millis
    secs = load.ends - load.begins
    count = sum(map(len, millis.values()))
    memory = ", ".join(f"{memory_mb:.0f}" for memory_mb, _ in usage)
    print(
        f"{given.people} people with {CONNECTIONS} connections, {secs:.0f} s, {given.database}, "
        f"{given.workers} process(es); load average {os.getloadavg()[1]:.1f}\n"
        f"  {count / secs:.1f} requests/s, "
        f"{1000 * (usage[2][1] - usage[0][1]) / count:.1f} ms of processor each; "
        f"server's memory at start, middle, end: {memory} MB"
    )
    for name, times in sorted(millis.items()):
        shown = "  ".join(f"p{part} {percentile(times, part):6.1f}" for part in (50, 95, 99))
        print(f"  {name:<10} {len(times):6}  {shown}  max {max(times):7.1f} ms")


def sign_in(base_url: str, link: str) -> list[PartyClient]:
    """The open connections of one person."""
    first = PartyClient(base_url, requests.Session())
    first.sign_in(link)
    clients = [first, *(PartyClient(base_url, requests.Session()) for _ in range(CONNECTIONS - 1))]
    for client in clients[1:]:
        client.opened_for = first.opened_for
        client.http.cookies = first.http.cookies
        client.http.headers = first.http.headers
        client.http.get(f"{base_url}/static/site.css", timeout=60)
    return clients


def annotate(load: Load, number: int, clients: list[PartyClient]) -> None:
    """One person's party: image after image until the end."""
    rng = random.Random(number)
    turns = itertools.cycle(clients)
    time.sleep(rng.uniform(0, SETTLING_SECS))  # they do not press all at once
    seen: set[str] = set()
    while time.monotonic() < load.ends:
        answer = send(load, next(turns), "next", "/api/v1/tasks/annotate", {"ahead": IMAGES_AHEAD})
        if not answer or not (task := answer["task"]):
            break
        for url in {image["image_url"] for image in (task, *answer["ahead"])} - seen:
            seen.add(url)
            send(load, next(turns), "image", url)
        head_id = task["annotation"] and task["annotation"]["id"]
        drafts = rng.randint(*DRAFTS_PER_IMAGE)
        objects: list[Json] = []
        while len(objects) <= drafts and time.monotonic() < load.ends:
            time.sleep(rng.uniform(0.75, 1.25) * SAVE_EVERY_SECS)
            objects.append(make_object(rng, len(objects) + 1))
            body: Json = {"save_key": str(uuid.uuid4()), "parent_id": head_id, "objects": objects}
            body |= {"active_secs": SAVE_EVERY_SECS, "finish": len(objects) > drafts}
            path = f"/api/v1/images/{task['image_id']}/revisions"
            if saved := send(load, next(turns), "save", path, body):
                head_id = saved["annotation"]["id"]
                load.acknowledged[head_id] = len(objects)


def choose_one(party: Party) -> None:
    """Let the last image be segmented; its one object nearly fills it."""
    now = datetime.now(UTC)
    box = {"xmin": 26, "ymin": 18, "xmax": 475, "ymax": 357}
    with party.catalogue.writing() as session:
        image = session.scalars(select(Image).order_by(Image.id.desc()).limit(1)).one()
        drawer = session.scalars(select(Person).limit(1)).one()
        whose = {"image_id": image.id, "person_id": drawer.id, "saved_at": now}
        drawn = Annotation(save_key="segmented", is_finished=True, **whose)
        drawn.objects = [Object(number=1, object_key="a", class_id="person", **box)]
        session.add_all([drawn, SegmentChoice(image_id=image.id, chosen_at=now)])
        session.flush()
        image.state = ImageState.CHECKED
        image.annotation_id = drawn.id


def ask_outlines(load: Load, client: PartyClient) -> None:
    """Ask for the outline of one object again and again; the first one starts the process."""
    task = client.send("POST", "/api/v1/tasks/segment", {})["task"]
    path = f"/api/v1/images/{task['image_id']}/proposals"
    stroke = [200, 150, 300, 200]
    while time.monotonic() < load.ends:
        send(load, client, "proposal", path, {"object_key": "a", "add": [stroke]})
        time.sleep(PROPOSAL_EVERY_SECS)


def send(load: Load, client: PartyClient, name: str, path: str, body: Json | None = None) -> Json:
    """The answer to a request, which is timed to its last byte; empty where there is none."""
    began = time.monotonic()
    try:
        method = "GET" if body is None else "POST"
        answer = client.http.request(
            method, load.base_url + path, json=client.address(body), timeout=60
        )
        status = str(answer.status_code)
    except requests.RequestException as error:
        status = type(error).__name__
    if began >= load.begins:
        load.millis[name].append((time.monotonic() - began) * 1000)
    if status not in ("200", "201"):
        load.errors[f"{name} {status}"] += 1
        return {}
    document: Json = answer.json() if body is not None else {}
    return document


def make_object(rng: random.Random, number: int) -> Json:
    """An object that breaks no rule."""
    xmin = rng.randint(1, 300)
    ymin = rng.randint(1, 200)
    box = [xmin, ymin, xmin + rng.randint(40, 190), ymin + rng.randint(40, 170)]
    looks = {"class": "person", "view": "Frontal", "truncated": False, "occluded": number % 2 > 0}
    return {"key": f"o-{number}", "box": box, "actions": ["walking"], "drawn_secs": 4.0, **looks}


def read_usage(group: int) -> tuple[float, float]:
    """Resident megabytes and seconds of processor time of a process group, on Linux."""
    pages = ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        values = path.read_text().rpartition(")")[2].split() if path.exists() else []
        if values and int(values[2]) == group:
            pages, ticks = pages + int(values[21]), ticks + int(values[11]) + int(values[12])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6, ticks / os.sysconf("SC_CLK_TCK")


def find_missing(folder: Path, acknowledged: dict[int, int]) -> int:
    """How many acknowledged revisions the database lacks, or has with other objects."""
    with open_party(folder) as opened, opened.catalogue.reading() as session:
        counts = (
            select(Annotation.id, func.count(Object.id)).outerjoin(Object).group_by(Annotation.id)
        )
        stored = dict(session.execute(counts).tuples().all())
    return sum(stored.get(key) != count for key, count in acknowledged.items())


def percentile(times: list[float], percent: int) -> float:
    """The value that this percentage of them does not exceed."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


if __name__ == "__main__":
    main()
