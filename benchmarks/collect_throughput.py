"""Images a second of `vocparty collect`, against a bare loop that downloads and keeps nothing.

    python -m benchmarks.collect_throughput --images 600 --rounds 3 --latency-ms 100

The stand-in Flickr, ours and the bare loop are processes of their own, on the same cores. Every
answer of the stand-in is late by the latency.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

FIRST_DAY, DAYS = datetime(2010, 1, 1, tzinfo=UTC), 14 * 365
PHOTOS_PER_SEARCH = 100  # so that searches take little of what is measured
KEPT_BACK = 0.4  # more photographs than are collected, so that windows do not run empty


@click.command(help=__doc__)
@click.option("--images", default=600, show_default=True)
@click.option("--rounds", default=3, show_default=True)
@click.option("--workers", default=8, show_default=True, help="Downloads at once, of both.")
@click.option("--latency-ms", default=100, show_default=True)
def main(images: int, rounds: int, workers: int, latency_ms: int) -> None:
    """Print the median rates and their ratio."""
    ours, bare = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pictures = make_pictures(folder / "pictures", round(images / (1 - KEPT_BACK)))
        with running_standin(pictures, latency_ms) as (api_url, image_host):
            for number in range(rounds):
                party = folder / f"party {number}"
                make_party(party, api_url, image_host, images, workers)
                ours.append(run_part("collect", str(party)))
                bare.append(run_part("download", str(list_urls(party)), str(workers)))
    print(f"{latency_ms} ms, {images} images, {workers} at once, load {os.getloadavg()[0]:.1f}")
    for name, rates in (("vocparty", ours), ("bare loop", bare)):
        rounds_text = ", ".join(f"{rate:.1f}" for rate in sorted(rates))
        print(f"  {name:<10} {statistics.median(rates):6.1f} images/s   ({rounds_text})")
    print(f"  bare loop / vocparty: {statistics.median(bare) / statistics.median(ours):.2f}")


def make_pictures(folder: Path, count: int) -> Path:
    """Photographs of VOC's usual size and weight, each by its own owner, evenly over the years."""
    from PIL import Image

    from simulate.flickr.table import write_table

    folder.mkdir()
    rng, rows = random.Random(1), []
    for number in range(count):
        noise = Image.frombytes("RGB", (225, 169), rng.randbytes(225 * 169 * 3))
        noise.resize((500, 375)).save(folder / f"{number:05}.jpg", quality=90)
        uploaded = FIRST_DAY + timedelta(minutes=rng.randrange(DAYS * 24 * 60))
        rows.append(
            {
                "file": f"{number:05}.jpg",
                "title": "cat",
                "licence": "4",
                "owner": f"owner {number}",
                "uploaded": f"{uploaded:%Y-%m-%d %H:%M}",
            }
        )
    write_table(folder, rows)
    return folder


@contextmanager
def running_standin(pictures: Path, latency_ms: int) -> Iterator[tuple[str, str]]:
    """The API's address and the image host of a stand-in in another process."""
    command = [sys.executable, "-m", "benchmarks.collect_throughput", "serve"]
    process = subprocess.Popen(
        [*command, str(pictures), str(latency_ms)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        api_url, image_host = json.loads(process.stdout.readline())
        yield api_url, image_host
    finally:
        process.communicate()  # closes its standard input, which ends it


def make_party(folder: Path, api_url: str, image_host: str, images: int, workers: int) -> None:
    """A party that collects from the stand-in, its calls not limited."""
    from catalog import party

    values = {
        "flickr": {
            "key": "k3y",
            "api_url": api_url,
            "image_hosts": [image_host],
            "calls_per_hour": 1_000_000,
        },
        "collect": {
            "target_images": images,
            "workers": workers,
            "first_date": str(FIRST_DAY.date()),
            "last_date": str((FIRST_DAY + timedelta(days=DAYS - 1)).date()),
            "photos_per_search": PHOTOS_PER_SEARCH,
            "seed": 1,
        },
    }
    party.make_party(folder, name="Benchmark", preset="voc2012", values=values)


def list_urls(folder: Path) -> Path:
    """A file with the addresses that the party fetched, one a line."""
    from sqlalchemy import select

    from catalog.party import open_party
    from catalog.states import PhotoState
    from catalog.tables import Photo

    with open_party(folder) as party, party.catalogue.reading() as session:
        fetched = select(Photo.image_url).where(Photo.state == PhotoState.FETCHED)
        urls = session.scalars(fetched.order_by(Photo.id)).all()
    path = folder / "urls.txt"
    path.write_text("".join(f"{url}\n" for url in urls))
    return path


def run_part(*arguments: str) -> float:
    """The rate that a part of this program reaches in another process."""
    command = [sys.executable, "-m", "benchmarks.collect_throughput", *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return float(done.stdout.splitlines()[-1])


def serve(pictures: str, latency_ms: str) -> None:
    """Print where the stand-in is and serve until standard input is closed."""
    from simulate.flickr.faults import Faults, parse_rule
    from simulate.flickr.folder import read_library
    from simulate.flickr.images import answer_image
    from simulate.flickr.messages import Request
    from simulate.flickr.photos import BY_SUFFIX, format_url
    from simulate.flickr.server import StandIn

    library = read_library(Path(pictures))
    for photo in library.photos:  # rendered before the clock runs
        answer_image(library, Request(format_url("", photo, BY_SUFFIX[""])))
    slow = Faults((parse_rule(f"latency@{latency_ms}=1"),))
    with StandIn(library, faults=slow) as standin:
        print(json.dumps([standin.api_url, standin.image_host]), flush=True)
        sys.stdin.read()


def collect(folder: str) -> None:
    """Collect up to the party's target and print images a second."""
    from catalog.party import open_party
    from collect.job import Order, load_progress, run_collect

    with open_party(Path(folder)) as party:
        began = time.monotonic()
        run_collect(party, Order(classes=("cat",)))
        print(load_progress(party) / (time.monotonic() - began))


def download(urls: str, workers: str) -> None:
    """Fetch every address, keep nothing, and print images a second."""
    import requests

    local = threading.local()

    def fetch(url: str) -> None:
        if not hasattr(local, "session"):
            local.session = requests.Session()
        local.session.get(url, timeout=30).raise_for_status()

    addresses = Path(urls).read_text().split()
    began = time.monotonic()
    with ThreadPoolExecutor(int(workers)) as threads:
        list(threads.map(fetch, addresses))
    print(len(addresses) / (time.monotonic() - began))


if __name__ == "__main__":
    parts: dict[str, Callable[..., None]] = {
        "serve": serve,
        "collect": collect,
        "download": download,
    }
    if len(sys.argv) > 1 and sys.argv[1] in parts:
        parts[sys.argv[1]](*sys.argv[2:])
    else:
        main()
