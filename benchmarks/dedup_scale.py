"""Seconds and memory of `vocparty dedup`, from files or from stored signatures.

    python -m benchmarks.dedup_scale files FOLDER --images 1000 5000
    python -m benchmarks.dedup_scale copies FOLDER --images 1000 10000
    python -m benchmarks.dedup_scale stored FOLDER --images 5000 50000 --memory-mb 64 1024
    python -m benchmarks.dedup_scale search --images 1000000

`files` are mosaics of photographs, no two alike, and `copies` are renditions of one photograph;
both are hashed, matched and decided on. `stored` fills the catalogue with signatures of which every
hundredth is a copy: hashes as uneven as those of photographs, and features out of the whole folder,
so that words are as frequent as there. Each row is a process of its own. Its memory is that of this
process and of the largest of its workers. `search` joins so many hashes of 64 bits within ten bits.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Picture
from sqlalchemy import insert, select

from catalog.image_store import digest_of
from catalog.party import Party, make_party, open_party
from catalog.states import ImageState, PhotoState, Source
from catalog.tables import Image, Photo
from catalog.tables import Signature as SignatureRow
from dedup.executors import Advance, use_one_thread
from dedup.jobs import remove_duplicates
from dedup.search import Hashes, find_matches
from dedup.signature.features import Features, pack_features
from dedup.signature.picture import read_picture
from dedup.signature.signature import RECIPE, Signature, make_signature, pack_signature, pack_views

from .photographs import NOW, add_files, make_row, open_rgb, read_photographs, save

ROWS_AT_ONCE = 500
COPY_EVERY, FLIPPED_BITS = 100, 3
PHOTOS_OF_OWNER, HOURS_APART = 50, 3
MAX_BITS = 10
CAUSES, MEAN, SHARED = 8, 0.08, 0.30
"""What bits of hashes have in common: so many hidden causes, and their share of the variance."""
COLUMNS = (
    "images",
    "memory_mb",
    "seconds",
    "of which hashing",
    "verifying",
    "processor ms an image",
    "peak MB, largest worker's",
    "put aside",
)


def main() -> None:
    """Measure what the command line asks for and print Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kind", choices=("files", "copies", "stored", "search", "run"))
    parser.add_argument("folder", type=Path, nargs="?", default=Path())
    parser.add_argument("--images", type=int, nargs="+", default=[1000, 5000])
    parser.add_argument("--memory-mb", type=int, nargs="+", default=[1024])
    options = parser.parse_args()
    use_one_thread()
    if options.kind == "run":
        print(json.dumps(run_here(options.folder)))
        return
    if options.kind == "search":
        print("| hashes | seconds | processor s | pairs |\n|---|---|---|---|")
        for rows in options.images:
            time_search(make_skewed(rows, np.random.default_rng(1)))
        return
    photographs = list(read_photographs([options.folder], 10**9).values())
    pool = [make_signature(read_picture(it)) for it in photographs if options.kind == "stored"]
    print(f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|")
    for images in options.images:
        for memory_mb in options.memory_mb:
            with tempfile.TemporaryDirectory() as scratch:
                folder = Path(scratch) / "party"
                make_party(folder, name="scale", preset="voc2012")
                with (folder / "party.toml").open("a", encoding="utf-8") as file:
                    file.write(f"\n[dedup]\nmemory_mb = {memory_mb}\n")
                with open_party(folder) as party:
                    if pool:
                        fill_stored(party, images, pool)
                    else:
                        fill(party, options.kind, images, photographs)
                call = [sys.executable, "-m", "benchmarks.dedup_scale", "run", str(folder)]
                done = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=True)
            print_row(images, memory_mb, json.loads(done.stdout.splitlines()[-1]))


def print_row(images: int, memory_mb: int, run: dict[str, Any]) -> None:
    """The row of one run."""
    cells = (
        f"{images:,} | {memory_mb} | {run['secs']:.0f} | {run['Hashing']:.0f}",
        f"{run['Verifying']:.0f} | {run['cpu_secs'] / images * 1000:.1f}",
        f"{run['peak_mb']:,}, {run['worker_mb']:,} | {run['states'].get('duplicate', 0):,}",
    )
    print(f"| {' | '.join(cells)} |", flush=True)


def run_here(folder: Path) -> dict[str, Any]:
    """What a run over the party in this process took and decided."""
    secs = Counter[str]()

    @contextmanager
    def watch(label: str, _total: int, _unit: str) -> Iterator[Advance]:
        start = time.perf_counter()
        yield lambda _count: None
        secs[label] += time.perf_counter() - start

    start = time.perf_counter()
    with open_party(folder) as party:
        remove_duplicates(party, watch=watch)
        total = time.perf_counter() - start
        with party.catalogue.reading() as session:
            states = Counter(state.value for state in session.scalars(select(Image.state)))
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {
        "secs": total,
        "Hashing": secs["Hashing"],
        "Verifying": secs["Verifying"],
        "cpu_secs": sum(it.ru_utime + it.ru_stime for it in used),
        "peak_mb": used[0].ru_maxrss // 1024,
        "worker_mb": used[1].ru_maxrss // 1024,
        "states": states,
    }


def fill(party: Party, kind: str, images: int, photographs: Sequence[bytes]) -> None:
    """Put so many files into the party."""
    pictures = [open_rgb(it) for it in photographs[: 1 if kind == "copies" else None]]
    make = make_copy if kind == "copies" else make_mosaic
    for start in range(0, images, ROWS_AT_ONCE):
        numbers = range(start, min(start + ROWS_AT_ONCE, images))
        add_files(party, (make(pictures, Random(number)) for number in numbers))


def make_copy(pictures: Sequence[Picture.Image], random: Random) -> bytes:
    """The first picture, cropped, resized and recompressed."""
    width, height = pictures[0].size
    left, top = random.uniform(0, 0.06) * width, random.uniform(0, 0.06) * height
    size = round(width * random.uniform(0.7, 1)), round(height * random.uniform(0.7, 1))
    return save(pictures[0].resize(size, box=(left, top, width, height)), random.randint(60, 92))


def make_mosaic(pictures: Sequence[Picture.Image], random: Random) -> bytes:
    """Parts of twelve pictures, each enlarged by another factor, in four columns and three rows."""
    sheet = Picture.new("RGB", (500, 375))
    for number in range(12):
        picture = random.choice(pictures)
        side = random.uniform(90, min(picture.size))
        left, top = (random.uniform(0, it - side) for it in picture.size)
        part = picture.resize((125, 125), box=(left, top, left + side, top + side))
        sheet.paste(
            part.rotate(random.choice((0, 90, 180, 270))), (number % 4 * 125, number // 4 * 125)
        )
    return save(sheet)


def fill_stored(party: Party, images: int, pool: Sequence[Signature]) -> None:
    """Hashed images with made-up signatures, each with a photo of an owner of fifty."""
    random = np.random.default_rng(0)
    ready = [asdict(pack_signature(it)) for it in pool]
    points = np.concatenate([it.features.points for it in pool])
    descriptors = np.concatenate([it.features.descriptors for it in pool])
    words = np.concatenate([it.words for it in pool])
    which, packed = 0, ready[0]
    hashes = pool[0].views.hashes
    for start in range(0, images, ROWS_AT_ONCE):
        rows, photos, signatures = [], [], []
        for number in range(start + 1, min(start + ROWS_AT_ONCE, images) + 1):
            if number % COPY_EVERY:
                which = int(random.integers(len(pool)))
                like = pool[which].features
                hashes = make_skewed(len(pool[which].views.codes), random)
                chosen = random.integers(len(points), size=len(like.points))
                features = Features(points[chosen], descriptors[chosen], like.aspect)
                packed = ready[which] | {
                    "features": pack_features(features),
                    "words": words[chosen].astype("<u2").tobytes(),
                }
            else:
                flips = np.uint64(1) << random.integers(0, 64, FLIPPED_BITS, np.uint64)
                hashes = hashes ^ np.bitwise_xor.reduce(flips)
            views = replace(pool[which].views, hashes=hashes)
            own = packed | {"views": pack_views(replace(pool[which], views=views))}
            image = make_row(number, digest_of(b"%d" % number), 500, 375) | own.pop("whole")
            rows.append(image | {"state": ImageState.HASHED, "hash_recipe": RECIPE})
            signatures.append({"image_id": number, "recipe": RECIPE} | own.pop("origin") | own)
            photos.append(make_photo(number))
        with party.catalogue.writing() as session:
            session.execute(insert(Image), rows)
            session.execute(insert(SignatureRow), signatures)
            session.execute(insert(Photo), photos)


def make_photo(number: int) -> dict[str, Any]:
    """The photo of an image; each owner took fifty, hours apart."""
    taken = NOW - timedelta(hours=HOURS_APART * (number % 10_000))
    return {
        "source": Source.FLICKR,
        "source_id": str(number),
        "state": PhotoState.FETCHED,
        "owner_id": f"owner {number // PHOTOS_OF_OWNER}",
        "taken_at_text": f"{taken:%Y-%m-%d %H:%M:%S}" if number % COPY_EVERY else None,
        "uploaded_at": NOW - timedelta(minutes=number),
        "found_at": NOW,
        "image_id": number,
    }


def time_search(hashes: Hashes) -> None:
    """Print what the join of the hashes with themselves takes."""
    start, used = time.perf_counter(), time.process_time()
    pairs = sum(int((one < other).sum()) for one, other in find_matches(hashes, hashes, MAX_BITS))
    secs, used = time.perf_counter() - start, time.process_time() - used
    print(f"| {len(hashes):,} | {secs:.2f} | {used:.2f} | {pairs:,} |", flush=True)


def make_skewed(rows: int, random: np.random.Generator) -> Hashes:
    """Hashes as of photographs: bits are signs of Gaussians that share a few hidden causes.

    A light sky over a dark ground is such a cause; a band of 16 bits then collides about twice as
    often as in random bits.
    """
    fixed = np.random.default_rng(2)
    loads: NDArray[np.float64] = fixed.normal(size=(CAUSES, 64))
    loads *= np.sqrt(SHARED / (loads**2).sum(axis=0))
    means = fixed.normal(0, MEAN, 64)
    chunks = []
    for start in range(0, rows, 1 << 16):
        count = min(1 << 16, rows - start)
        values = random.normal(size=(count, CAUSES)) @ loads + means
        values += random.standard_normal((count, 64)) * np.sqrt(1 - SHARED)
        chunks.append(np.packbits(values > 0, axis=1).view("<u8").ravel())
    return np.concatenate(chunks).astype(np.uint64)


if __name__ == "__main__":
    main()
