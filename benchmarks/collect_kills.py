"""Collectors that are killed every few seconds, under every fault of the stand-in, to the target.

Three processes of three workers each share one catalogue. Every few seconds one of them is killed
(SIGKILL) and started again, until the target is reached and each has ended by itself. Then every
row and file is looked at. `single` takes the faults one by one, each at a fifth of the answers;
`mixed` all at once, together as often. Exits with status 1 where anything is doubled or missing.

    python -m benchmarks.collect_kills --rules mixed
    python -m benchmarks.collect_kills --rules single --part 1/8
    python -m benchmarks.collect_kills --rules single --only api:fail
    python -m benchmarks.collect_kills --rules mixed --catalogue postgresql+psycopg://...
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image as Picture
from sqlalchemy import select

from catalog.image_store import digest_of
from catalog.new_party import make_party
from catalog.party import Party, open_party
from catalog.states import PhotoState
from catalog.tables import Image, Photo
from collect.job import load_progress
from collect.reasons import find_reason
from simulate.flickr.faults import API_ONLY, IMAGE_ONLY, FaultKind, Faults, parse_rule
from simulate.flickr.folder import read_library
from simulate.flickr.server import StandIn
from simulate.flickr.table import write_table

CLASSES = ("cat", "sheep", "sofa")
PROCESSES = 3
SHARE = 0.2
STATUSES = {"image": ("429", "500", "503", "404", "403"), "api": ("429", "500", "503")}
VALUES = {"drip": "@20", "latency": "@60"}
SLOWEST = 0.05
"""The share of answers that drip: each holds its asker until its time is over."""
LATENCY = "latency@150=1"
"""Of every answer, so that a run takes long enough to be killed more than once."""
HEADS = (
    *("faults", "seconds", "kills", "images", "photos", "gone", "broken", "doubled rows"),
    *("files missing or damaged", "lost without a reason", "totals"),
)


def main() -> None:
    """Print a row for each rule, or for all at once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", choices=("mixed", "single"), default="mixed")
    parser.add_argument("--part", default="1/1", help="of the single rules, such as 2/3")
    parser.add_argument("--only", default="", help="of these only those whose text holds this")
    parser.add_argument("--target", type=int, default=150)
    parser.add_argument("--every-secs", type=float, default=4.0, help="between two kills")
    parser.add_argument("--catalogue", help="a PostgreSQL database, which is emptied by nobody")
    given = parser.parse_args()
    rules = [mix_rules()] if given.rules == "mixed" else list_part(given.part)
    rules = [words for words in rules if given.only in " ".join(words)]
    print(f"target {given.target}, a kill every {given.every_secs:g} s, {LATENCY}")
    print(" | ".join(HEADS))
    is_good = True
    for words in rules:
        with tempfile.TemporaryDirectory() as folder:
            found = run(Path(folder), words, given)
        print(found.describe(words), flush=True)
        is_good = is_good and found.is_good
    sys.exit(0 if is_good else 1)


def mix_rules() -> list[str]:
    """Every fault there is, together as often as SHARE at each host."""
    rules = []
    for host in ("image", "api"):
        names = [name for name in list_kinds(host) if name not in ("latency", "drip")]
        names += STATUSES[host]
        rules += [f"{host}:{name}={SHARE / len(names):.4f}" for name in names]
    return [*rules, "image:drip@20=0.01", "api:drip@20=0.01"]


def list_part(part: str) -> list[list[str]]:
    """The single rules of one part of all, each in a list of its own."""
    rules = []
    for host in ("image", "api"):
        for name in list_kinds(host):
            share = SLOWEST if name == "drip" else SHARE
            rules.append([f"{host}:{name}{VALUES.get(name, '')}={share}"])
        rules += [[f"{host}:{status}={SHARE}"] for status in STATUSES[host]]
    number, count = map(int, part.split("/"))
    return rules[number - 1 :: count]


def list_kinds(host: str) -> list[str]:
    """The faults that this host may have, without those by status."""
    others = API_ONLY if host == "image" else IMAGE_ONLY
    kinds = [kind for kind in FaultKind if kind not in others and kind is not FaultKind.STATUS]
    return [kind.value for kind in kinds]


@dataclass(frozen=True)
class Found:
    """What a run left behind."""

    secs: float
    kills: int
    images: int
    photos: Counter[PhotoState]
    doubled: int
    damaged: int
    reasonless: int
    reasons: Counter[str]
    is_sum_right: bool

    @property
    def is_good(self) -> bool:
        """Whether nothing is doubled, missing or unexplained."""
        return not (self.doubled or self.damaged or self.reasonless) and self.is_sum_right

    def describe(self, rules: Sequence[str]) -> str:
        """One row of the table."""
        name = rules[0] if len(rules) == 1 else f"{len(rules)} rules mixed"
        broken = ", ".join(f"{reason} {count}" for reason, count in self.reasons.most_common())
        cells = (
            name,
            f"{self.secs:.0f}",
            self.kills,
            self.images,
            sum(self.photos.values()),
            self.photos[PhotoState.GONE],
            f"{self.photos[PhotoState.BROKEN]} ({broken or 'none'})",
            self.doubled,
            self.damaged,
            self.reasonless,
            "add up" if self.is_sum_right else "DIFFER",
        )
        return " | ".join(map(str, cells))


def run(folder: Path, rules: Sequence[str], given: argparse.Namespace) -> Found:
    """What three collectors leave that are killed one by one until the target is reached."""
    library = read_library(make_pictures(folder / "pictures", 4 * given.target))
    with StandIn(library, cache_folder=folder / "cache") as flickr:
        flickr.faults = Faults(tuple(map(parse_rule, [*rules, LATENCY])), seed=4)
        make(folder / "party", flickr, given)
        with open_party(folder / "party") as party:
            began_secs = time.monotonic()
            kills = collect_and_kill(party, given)
            return look(party, time.monotonic() - began_secs, kills)


def make_pictures(folder: Path, count: int) -> Path:
    """Different pictures, each of its own owner, uploaded over eight years."""
    folder.mkdir()
    rows = []
    for number in range(count):
        name = f"{number:05}.jpg"
        colour = (number % 251, number // 251 * 5 % 251, number * 7 % 241)
        Picture.linear_gradient("L").resize((240, 180)).convert("RGB").point(
            [min(255, value // 2 + part) for part in colour for value in range(256)]
        ).save(folder / name, quality=80)
        rows.append(
            {
                "file": name,
                "title": f"Our {CLASSES[number % len(CLASSES)]}",
                "tags": CLASSES[number % len(CLASSES)],
                "licence": "4",
                "owner": f"owner {number}",
                "uploaded": f"{2010 + number % 8}-{1 + number % 12:02}-{1 + number % 28:02} 10:00",
            }
        )
    write_table(folder, rows)
    return folder


def make(folder: Path, flickr: StandIn, given: argparse.Namespace) -> None:
    """A party that collects from the stand-in."""
    values: dict[str, Any] = {
        "flickr": {
            "key": "k3y",
            "api_url": flickr.api_url,
            "image_hosts": [flickr.image_host],
            "calls_per_hour": 1_000_000,
            "timeout_secs": 2.0,
        },
        "collect": {
            "workers": 3,
            "window_days": 1000,
            "target_images": given.target,
            "connect_timeout_secs": 2.0,
            "read_timeout_secs": 2.0,
            "total_timeout_secs": 4.0,
        },
    }
    if given.catalogue:
        values["catalogue"] = given.catalogue
    make_party(folder, name="Killed party", preset="voc2012", values=values)


def collect_and_kill(party: Party, given: argparse.Namespace) -> int:
    """How many were killed; each of the last ones has ended by itself with status 0."""
    rng, kills = random.Random(4), 0
    running = [start(party.folder) for _ in range(PROCESSES)]
    try:
        while load_progress(party) < given.target:
            if wait(running, given.every_secs):
                break
            victim = running.pop(rng.randrange(len(running)))
            victim.send_signal(signal.SIGKILL)
            victim.communicate()
            kills += 1
            running.append(start(party.folder))
        for process in running:
            _out, err = process.communicate(timeout=200)
            if process.returncode != 0:
                raise SystemExit(f"a collector ended with status {process.returncode}: {err}")
    finally:
        for process in running:
            if process.poll() is None:
                process.kill()
                process.communicate()
    return kills


def wait(running: Sequence[subprocess.Popen[str]], secs: float) -> bool:
    """Whether any has ended by itself within the time."""
    deadline = time.monotonic() + secs
    while time.monotonic() < deadline:
        if any(process.poll() is not None for process in running):
            return True
        time.sleep(0.05)
    return False


def start(folder: Path) -> subprocess.Popen[str]:
    """A collector of all three classes."""
    classes = [word for name in CLASSES for word in ("--class", name)]
    return subprocess.Popen(
        [sys.executable, "-m", "vocparty", "collect", "--party", str(folder), *classes],
        cwd=Path(__file__).parents[1],
        env={**os.environ, "NO_PROXY": "127.0.0.1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def look(party: Party, secs: float, kills: int) -> Found:
    """Every row and every file."""
    with party.catalogue.reading() as session:
        photos = session.scalars(select(Photo)).all()
        images = session.scalars(select(Image)).all()
    fetched = [photo for photo in photos if photo.state is PhotoState.FETCHED]
    lost = [photo for photo in photos if photo.state in (PhotoState.GONE, PhotoState.BROKEN)]
    broken = [photo for photo in photos if photo.state is PhotoState.BROKEN]
    ids = Counter((photo.source, photo.source_id) for photo in photos)
    digests = Counter(image.sha256 for image in images)
    return Found(
        secs=secs,
        kills=kills,
        images=len(images),
        photos=Counter(photo.state for photo in photos),
        doubled=len(ids - Counter(dict.fromkeys(ids, 1)))
        + len(digests - Counter(dict.fromkeys(digests, 1))),
        damaged=sum(not is_whole(party, image) for image in images),
        reasonless=sum(find_reason(photo.reason) is None for photo in lost),
        reasons=Counter(str(find_reason(photo.reason)) for photo in broken),
        is_sum_right={photo.image_id for photo in fetched} == {image.id for image in images}
        and sum(photo.image_id is not None for photo in photos) == len(fetched)
        and len(images) == load_progress(party),
    )


def is_whole(party: Party, image: Image) -> bool:
    """Whether the image's file is there with the bytes that its row tells."""
    if not party.store.has(image.sha256):
        return False
    data = party.store.get(image.sha256)
    return digest_of(data) == image.sha256 and len(data) == image.bytes


if __name__ == "__main__":
    main()
