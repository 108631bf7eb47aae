"""Images a second of `vocparty collect`, against a bare download loop and against img2dataset.

All fetch the same photographs from one stand-in Flickr, in turns, in processes of their own, and
leave the stand-in the processor as if it were another machine: ours searches, decodes, stores
durably and records; the bare loop (requests, as many threads) keeps nothing; img2dataset, where a
command is given, writes files without resizing or re-encoding: once without looking at them, and
once as we do, decoding each and keeping the bytes that came.

    python -m benchmarks.collect_throughput --images 600 --rounds 3 --img2dataset PATH
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from benchmarks.processor_time import PARTS, RATE, Meter
from benchmarks.standin_processes import StandIns, running_standins

if TYPE_CHECKING:
    from catalog.party import Party

KEYWORDS = "cat feline pussy mew kitten tabby tortoiseshell ginger stray"
OURS, BARE = "ours", "bare loop"
STARTED, STEADY = ", with its start", ", after the first tenth"
SEARCHES = ", searches"
PEERS: Mapping[str, Mapping[str, object]] = {
    "img2dataset": {"disable_all_reencoding": True},
    "img2dataset, decoding": {"skip_reencode": True},
}
"""With these settings it writes the bytes that came, and so does ours."""
PHOTOS_PER_SEARCH = 250
"""Flickr allows one search a second: with ten photographs of each nobody fetches more than ten."""
FLICKR_CALLS_PER_HOUR = 3600
BEHIND_THE_STANDIN = ("nice", "-n", "5")
"""All that is compared leaves it the processor: a server's answers do not wait for its clients'."""
PAIRS = (
    (BARE, OURS),
    (BARE + STEADY, OURS + STEADY),
    *((name, OURS) for name in PEERS),
    *((name + STARTED, OURS + STARTED) for name in PEERS),
)
"""Who is held against whom: both by their own clocks, or both with their start."""
WINDOW_DAYS_OF_ONE, WINDOW_DAYS_OF_DRAWN = 450_000, 12_000
"""So wide for one image, and narrower for more: a search finds 100 to 200 photographs, and four
times as many as are drawn from it."""
FIRST_DAY, DAYS = datetime(2010, 1, 1, tzinfo=UTC), 14 * 365
"""Uploads are spread evenly over these, so that each window finds about as many."""
KEPT_BACK = 0.4  # more photographs than are collected, so that windows do not run empty


@dataclass(frozen=True)
class Plan:
    """What is measured."""

    images: int
    rounds: int
    workers: int
    img2dataset: Path | None
    charges_connections: bool = False
    shows_processor: bool = False
    photos_per_search: int = PHOTOS_PER_SEARCH
    calls_per_hour: int = 1_000_000


def main() -> None:
    """Measure and print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--workers", type=int, nargs="*", default=[8], help="downloads at once, of each compared"
    )
    parser.add_argument("--latency-ms", type=int, nargs="*", default=[20, 100])
    parser.add_argument(
        "--img2dataset", type=Path, help="the command, in an environment of its own"
    )
    parser.add_argument(
        "--charge-connections",
        action="store_true",
        help="let opening a connection take as long as an answer, as a network does",
    )
    parser.add_argument(
        "--processor", action="store_true", help="print the processor time of an image by part"
    )
    parser.add_argument(
        "--photos-per-search", type=int, default=PHOTOS_PER_SEARCH, help="of ours, as the setting"
    )
    parser.add_argument(
        "--calls-per-hour", type=int, default=FLICKR_CALLS_PER_HOUR, help="of ours, as the setting"
    )
    parser.add_argument("--part", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        _PARTS[given.part[0]](*given.part[1:])
        return
    plans = [
        Plan(
            given.images,
            given.rounds,
            workers,
            given.img2dataset,
            given.charge_connections,
            given.processor,
            given.photos_per_search,
            given.calls_per_hour,
        )
        for workers in given.workers
    ]
    with tempfile.TemporaryDirectory() as folder:
        pictures = make_pictures(Path(folder) / "pictures", round(given.images / (1 - KEPT_BACK)))
        for plan, latency_ms in product(plans, given.latency_ms):
            measure(Path(folder), pictures, plan, latency_ms)


def measure(folder: Path, pictures: Path, plan: Plan, latency_ms: int) -> None:
    """Print what each reaches with this latency of every answer."""
    found: dict[str, list[dict[str, float]]] = {}
    connect_ms = latency_ms if plan.charges_connections else 0
    with running_standins(
        pictures, folder / "cache", latency_ms, connect_ms=connect_ms
    ) as standins:
        standin_id = str(standins.process_id)
        for number in range(plan.rounds):
            run = f"{plan.workers} {latency_ms} {number}"
            party = folder / f"party {run}"
            make_party(party, standins, plan)
            ours = run_part("ours", str(party), standin_id)
            found.setdefault(OURS, []).append(ours)
            found.setdefault(OURS + STARTED, []).append({"rate": ours[STARTED]})
            found.setdefault(OURS + SEARCHES, []).append({"rate": ours[SEARCHES]})
            found.setdefault(OURS + STEADY, []).append({"rate": ours[RATE]})
            urls = list_urls(party)
            bare = [run_part("bare", str(urls), str(plan.workers), standin_id) for _ in range(2)]
            found.setdefault(BARE, []).append(_average(bare))
            found.setdefault(BARE + STEADY, []).append({"rate": _average(bare)[RATE]})
            for name, how in PEERS.items() if plan.img2dataset else ():
                target = folder / f"{name} {run}"
                by_its_clock, with_start = run_img2dataset(plan, urls, target, how)
                found.setdefault(name, []).append({"rate": by_its_clock})
                found.setdefault(name + STARTED, []).append({"rate": with_start})
    charged = ", and as much to connect" if plan.charges_connections else ""
    print(
        f"\n{latency_ms} ms{charged}, {plan.images} images, {plan.workers} at once, "
        f"{plan.rounds} rounds; load average {os.getloadavg()[0]:.1f}"
    )
    show_rates(found)
    if plan.shows_processor:
        show_processor_times(found)


def show_rates(found: Mapping[str, Sequence[Mapping[str, float]]]) -> None:
    """Print the median rates, and their ratios to ours."""
    rates = {name: [one["rate"] for one in rounds] for name, rounds in found.items()}
    for name, each in rates.items():
        spread = ", ".join(f"{rate:.0f}" for rate in sorted(each))
        what = "a second" if name.endswith(SEARCHES) else "images/s"
        print(f"  {name:<38} {statistics.median(each):6.1f} {what}   ({spread})")
    for name, ours in PAIRS:
        if name in rates:
            ratios = [one / own for one, own in zip(rates[name], rates[ours], strict=True)]
            print(f"  {name} / {ours}: {statistics.median(ratios):.2f} (median of the rounds')")


def show_processor_times(found: Mapping[str, Sequence[Mapping[str, float]]]) -> None:
    """Print the median milliseconds of processor time of an image by part."""
    print("  processor time of an image, ms, after the first tenth of the images:")
    for name in (OURS, BARE):
        for part in PARTS:
            each = sorted(one[part] for one in found[name])
            spread = ", ".join(f"{one:.2f}" for one in each)
            print(f"    {name}, {part:<22} {statistics.median(each):6.2f}   ({spread})")


def _average(rounds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: statistics.mean(one[name] for one in rounds) for name in rounds[0]}


def make_pictures(folder: Path, count: int, *, is_small: bool = False) -> Path:
    """Photographs of VOC's usual size and weight, each by an owner of its own."""
    from PIL import Image

    from simulate.flickr.table import write_table

    folder.mkdir()
    rng, rows = random.Random(1), []
    for number in range(count):
        name = f"{number:05}.jpg"
        seed_wh = (20, 15) if is_small else (225, 169)
        small = Image.frombytes("RGB", seed_wh, rng.randbytes(seed_wh[0] * seed_wh[1] * 3))
        small.resize((500, 375)).save(folder / name, quality=90)
        uploaded = FIRST_DAY + timedelta(minutes=rng.randrange(DAYS * 24 * 60))
        rows.append(
            {
                "file": name,
                "title": KEYWORDS,
                "licence": "4",
                "owner": f"owner {number}",
                "uploaded": f"{uploaded:%Y-%m-%d %H:%M}",
            }
        )
    write_table(folder, rows)
    weights = [path.stat().st_size for path in folder.glob("*.jpg")]
    print(f"{count} photographs of {statistics.median(weights) / 1000:.0f} kB")
    return folder


def make_party(
    folder: Path,
    standins: StandIns,
    plan: Plan,
    collect: Mapping[str, object] = MappingProxyType({}),
) -> None:
    """A party that collects from the stand-in; `collect` are further settings."""
    from catalog import new_party

    days_of_one = max(WINDOW_DAYS_OF_ONE, WINDOW_DAYS_OF_DRAWN * plan.photos_per_search)
    values = {
        "flickr": {
            "key": "k3y",
            "api_url": standins.api_url,
            "image_hosts": [standins.image_host],
            "calls_per_hour": plan.calls_per_hour,
        },
        "collect": {
            "target_images": plan.images,
            "workers": plan.workers,
            "first_date": str(FIRST_DAY.date()),
            "last_date": str((FIRST_DAY + timedelta(days=DAYS - 1)).date()),
            "window_days": max(7, round(days_of_one / plan.images)),
            "photos_per_search": plan.photos_per_search,
            "seed": 1,
            **collect,
        },
    }
    new_party.make_party(folder, name="Benchmark", preset="voc2012", values=values)


def list_urls(party: Path) -> Path:
    """A file with the addresses that the party fetched, one a line."""
    from sqlalchemy import select

    from catalog.party import open_party
    from catalog.states import PhotoState
    from catalog.tables import Photo

    with open_party(party) as opened, opened.catalogue.reading() as session:
        urls = session.scalars(
            select(Photo.image_url).where(Photo.state == PhotoState.FETCHED).order_by(Photo.id)
        ).all()
    path = party / "urls.txt"
    path.write_text("".join(f"{url}\n" for url in urls))
    return path


def run_part(*arguments: str) -> dict[str, float]:
    """What a part of this program reaches in a process of its own, `rate` in images a second."""
    program = [sys.executable, "-m", "benchmarks.collect_throughput"]
    command = [*BEHIND_THE_STANDIN, *program, "--part", *arguments]
    began = time.monotonic()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    secs = time.monotonic() - began
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return {**found, STARTED: found["images"] / secs}


def run_img2dataset(
    plan: Plan, urls: Path, target: Path, how: Mapping[str, object]
) -> tuple[float, float]:
    """Its successes a second: by its own clock, and with the time that it takes to start."""
    arguments = {
        "url_list": urls,
        "output_folder": target,
        "thread_count": plan.workers,
        "processes_count": 1,
        "resize_mode": "no",
        **how,
        "output_format": "files",
        "compute_hash": "sha256",
        "enable_wandb": False,
        "disallowed_header_directives": "[]",
    }
    began = time.monotonic()
    subprocess.run(
        [
            *(*BEHIND_THE_STANDIN, str(plan.img2dataset)),
            *(f"--{name}={value}" for name, value in arguments.items()),
        ],
        check=True,
        capture_output=True,
    )
    secs = time.monotonic() - began
    stats = [json.loads(path.read_text()) for path in target.glob("*_stats.json")]
    inner_secs = sum(one["end_time"] - one["start_time"] for one in stats)
    successes = sum(one["successes"] for one in stats)
    return successes / inner_secs, successes / secs


def collect(party: str, standin_id: str) -> None:
    """Collect up to the party's target and say how fast, and with what processor time."""
    from catalog.party import open_party
    from collect.job import Order, load_progress, run_collect

    with open_party(Path(party)) as opened:
        meter = Meter(opened.settings.collect.target_images, int(standin_id))
        began = time.monotonic()
        run_collect(opened, Order(classes=("cat",)), on_fetched=meter.count)
        secs = time.monotonic() - began
        images, searches = load_progress(opened), count_searches(opened)
        rates = {"rate": images / secs, SEARCHES: searches / secs}
        print(json.dumps({**rates, "images": images, **meter.find_parts()}))


def count_searches(party: Party) -> int:
    """How many the catalogue has."""
    from sqlalchemy import func, select

    from catalog.tables import Search

    with party.catalogue.reading() as session:
        return session.scalar(select(func.count()).select_from(Search)) or 0


def download(urls: str, workers: str, standin_id: str) -> None:
    """Fetch every address, keep nothing, and say how fast, and with what processor time."""
    import requests

    local = threading.local()

    def fetch(url: str) -> int:
        if not hasattr(local, "session"):
            local.session = requests.Session()
        response = local.session.get(url, timeout=30)
        response.raise_for_status()
        return len(response.content)

    addresses = Path(urls).read_text().split()
    meter = Meter(len(addresses), int(standin_id))
    began = time.monotonic()
    with ThreadPoolExecutor(int(workers)) as threads:
        for _ in threads.map(fetch, addresses):
            meter.count(1)
    images, secs = len(addresses), time.monotonic() - began
    print(json.dumps({"rate": images / secs, "images": images, **meter.find_parts()}))


_PARTS: dict[str, Callable[..., None]] = {"ours": collect, "bare": download}

if __name__ == "__main__":
    main()
