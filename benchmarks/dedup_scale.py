"""Seconds and memory of `vocparty dedup`, from files or from stored signatures.

    python -m benchmarks.dedup_scale copies FOLDER --images 1000 10000
    python -m benchmarks.dedup_scale files FOLDER --images 50000
    python -m benchmarks.dedup_scale stored FOLDER --images 5000 50000
    python -m benchmarks.dedup_scale search --images 1000000
    python -m benchmarks.dedup_scale words FOLDER --images 5000 100000

`copies` are renditions of one photograph, which are hashed, matched and decided on. `files` are the
folder's photographs again and again, which are only hashed. `stored` fills the catalogue with
signatures of which every hundredth is a copy, which are matched and decided on: hashes as uneven as
those of photographs, and features out of the whole folder, so that words are as frequent as there.
A run over that many photographs takes as long as the two together. Each row is its own process;
time of processors and memory are those of it and its workers. `search` joins that many hashes of 64
bits within ten bits. `words` puts 60 of the photographs among that many made images, whose words
are those of the others, and seeks copies of them by words: found is which are among the nearest.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from catalog.image_store import digest_of
from catalog.party import Party, make_party, open_party
from catalog.states import ImageState
from catalog.tables import Signature as SignatureRow
from dedup.candidates import WordIndex, count_holders
from dedup.constants import MOST_FEATURES, WORD_BITS
from dedup.executors import Advance, Workforce, default_workers, use_one_thread
from dedup.jobs import hash_images, remove_duplicates
from dedup.search import Hashes, find_matches
from dedup.signature.features import Features, Words, pack_features
from dedup.signature.picture import read_picture
from dedup.signature.signature import (
    HashedImage,
    Signature,
    make_signature,
    pack_signature,
    pack_views,
)
from tests.rows import make_image

from .photographs import NOW, add_files, open_rgb, read_photographs, save
from .transformations import BY_NAME

ROWS_AT_ONCE = 500
COPY_EVERY = 100
FLIPPED_BITS = 3
MAX_BITS = 10
CAUSES = 8
MEAN = 0.08
SHARED = 0.30
"""Bits of hashes share hidden causes: how many, their mean, and their share of the variance."""
WORDS_SOUGHT = 60
WORDS_CHANGES = (
    "crop corner 0.29",
    "crop side 0.5",
    "crop middle 0.29",
    "sticker 0.15",
    "perspective, cropped 0.2",
    "mirror + corner 10 %",
)
HEAD = "images | seconds | hashing | verifying | put aside | processor ms an image | peak MB"


def main() -> None:
    """Measure what the command line asks for and print Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "kind", choices=("copies", "files", "stored", "search", "words", "run", "hash")
    )
    parser.add_argument("folder", type=Path, nargs="?", default=Path())
    parser.add_argument("--images", type=int, nargs="+", default=[1000, 5000])
    options = parser.parse_args()
    use_one_thread()
    if options.kind in ("run", "hash"):
        print(json.dumps(run_here(options.folder, options.kind == "hash")))
        return
    if options.kind == "search":
        print("| hashes | seconds | pairs |\n|---|---|---|")
        for rows in options.images:
            hashes = make_skewed(rows, np.random.default_rng(1))
            start = time.perf_counter()
            matches = find_matches(hashes, hashes, MAX_BITS)
            pairs = sum(int((first < other).sum()) for first, other in matches)
            print(f"| {rows:,} | {time.perf_counter() - start:.2f} | {pairs:,} |", flush=True)
        return
    photographs = list(read_photographs([options.folder], 10**9).values())
    if options.kind == "words":
        print("| images | MB of the index | ms of processor an image | found |\n|---|---|---|---|")
        for images in options.images:
            print(f"| {images:,} | {' | '.join(search_words(photographs, images))} |", flush=True)
        return
    pool = [
        make_signature(read_picture(photograph))
        for photograph in photographs
        if options.kind == "stored"
    ]
    print(f"| {HEAD} |\n{'|---' * 7}|")
    for images in options.images:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "party"
            make_party(folder, name="scale", preset="voc2012")
            with open_party(folder) as party:
                if pool:
                    fill_stored(party, images, pool)
                elif options.kind == "files":
                    fill_files(party, images, photographs)
                else:
                    fill_copies(party, images, photographs[0])
            kind = "hash" if options.kind == "files" else "run"
            cells, cpu_secs, peak_mb = measure(kind, str(folder))
        cells += [f"{cpu_secs / images * 1000:.1f}", f"{peak_mb:.0f}"]
        print(f"| {images:,} | {' | '.join(map(str, cells))} |", flush=True)


def search_words(photographs: Sequence[bytes], images: int) -> list[str]:
    """Megabytes of an index of so many images, time of a search, and how many copies it finds."""
    signatures = [make_signature(read_picture(data)) for data in photographs]
    sought = [signature.words for signature in signatures[:WORDS_SOUGHT]]
    pool = np.concatenate([signature.words for signature in signatures[WORDS_SOUGHT:]])

    def list_words() -> Iterator[Words]:
        random = np.random.default_rng(0)
        yield from sought
        for _ in range(images - len(sought)):
            yield pool[random.integers(len(pool), size=MOST_FEATURES)]

    numbered = list_words()
    holders = np.zeros(1 << WORD_BITS, np.int64)
    for _ in range(0, images, ROWS_AT_ONCE):
        holders += count_holders(islice(numbered, ROWS_AT_ONCE))
    index = WordIndex(np.arange(images), [list_words()], holders, holders, images)
    hits = 0
    copies = [
        (place, make_signature(read_picture(BY_NAME[name].render(open_rgb(data), Random(place)))))
        for name in WORDS_CHANGES
        for place, data in enumerate(photographs[:WORDS_SOUGHT])
    ]
    start = time.process_time()
    for place, copy in copies:
        nearest = index.find_nearest(np.array([images]), [copy.words[:, :2]], {})
        hits += place in [other for _, other, _ in nearest]
    each_ms = (time.process_time() - start) / len(copies) * 1000
    return [f"{index.megabytes:.0f}", f"{each_ms:.1f}", f"{hits} of {len(copies)}"]


def run_here(folder: Path, is_hashing_only: bool) -> list[int]:
    """What a run over the party in this process took, in the order of the head."""
    secs = defaultdict[str, float](float)

    @contextmanager
    def watch(label: str, _total: int, _unit: str) -> Iterator[Advance]:
        start = time.perf_counter()
        yield lambda _count: None
        secs[label] += time.perf_counter() - start

    with open_party(folder) as party, watch("all", 0, ""):
        if is_hashing_only:
            done = hash_images(party, Workforce(default_workers()), NOW, watch=watch)
        else:
            done = remove_duplicates(party, watch=watch)
    return [
        round(value) for value in (secs["all"], secs["Hashing"], secs["Verifying"], done.duplicates)
    ]


def measure(*arguments: str) -> tuple[list[Any], float, float]:
    """What a process prints, its seconds of processor and most MB, with those of its workers."""
    call = [sys.executable, "-m", "benchmarks.dedup_scale", *arguments]
    text, cpu_secs, peak_mb = watch_process(call)
    return json.loads(text), cpu_secs, peak_mb


def watch_process(call: Sequence[str]) -> tuple[bytes, float, float]:
    """What a program prints, its seconds of processor and most MB, with those of its workers."""
    cpu_secs = {}
    most_bytes = 0
    with tempfile.TemporaryFile() as output:  # a pipe would fill
        child = psutil.Popen(call, stdout=output)
        while child.poll() is None:
            used = 0
            shared = 0
            with suppress(psutil.NoSuchProcess):
                for process in (child, *child.children(recursive=True)):
                    cpu_secs[process.pid] = sum(process.cpu_times()[:2])
                    memory = process.memory_info()
                    used, shared = used + memory.rss - memory.shared, max(shared, memory.shared)
            most_bytes = max(most_bytes, used + shared)
            time.sleep(0.2)
        output.seek(0)
        return output.read(), sum(cpu_secs.values()), most_bytes / 1024**2


def fill_copies(party: Party, images: int, data: bytes) -> None:
    """Files of one picture, each cropped, resized and recompressed in another way."""
    picture = open_rgb(data)
    width, height = picture.size
    random = Random(0)
    for start in range(0, images, ROWS_AT_ONCE):
        files = []
        for _ in range(min(ROWS_AT_ONCE, images - start)):
            left = random.uniform(0, 0.06) * width
            top = random.uniform(0, 0.06) * height
            size = round(width * random.uniform(0.7, 1)), round(height * random.uniform(0.7, 1))
            copy = picture.resize(size, box=(left, top, width, height))
            files.append(save(copy, random.randint(60, 92)))
        add_files(party, files)


def fill_files(party: Party, images: int, photographs: Sequence[bytes]) -> None:
    """The photographs again and again, each with a number at its end so that no two are alike."""
    for start in range(0, images, ROWS_AT_ONCE):
        numbers = range(start, min(start + ROWS_AT_ONCE, images))
        add_files(
            party, [photographs[number % len(photographs)] + b"%d" % number for number in numbers]
        )


def fill_stored(party: Party, images: int, pool: Sequence[Signature]) -> None:
    """Hashed images with made-up signatures."""
    numbered = enumerate(make_signatures(images, pool), 1)
    while some := list(islice(numbered, ROWS_AT_ONCE)):
        rows: list[Any] = []
        for number, hashed in some:
            image = {"id": number, "state": ImageState.HASHED, **hashed.image}
            rows.append(make_image(digest_of(b"%d" % number), NOW, **image))
            rows.append(SignatureRow(image_id=number, **hashed.signature))
        with party.catalogue.writing() as session:
            session.add_all(rows)


def make_signatures(images: int, pool: Sequence[Signature]) -> Iterator[HashedImage]:
    """So many made-up images, of which every hundredth is a copy of the one before."""
    random = np.random.default_rng(0)
    ready = [pack_signature(signature) for signature in pool]
    mixed = MixedFeatures(pool, random)
    which = 0
    packed = ready[0].signature
    hashes = pool[0].views
    for number in range(1, images + 1):
        if number % COPY_EVERY:
            which = int(random.integers(len(pool)))
            hashes = make_skewed(len(pool[which].views), random)
            packed = ready[which].signature | mixed.pack_like(pool[which].features)
        else:
            flips = np.uint64(1) << random.integers(0, 64, FLIPPED_BITS, np.uint64)
            hashes = hashes ^ np.bitwise_xor.reduce(flips)
        views = pack_views(replace(pool[which], views=hashes))
        yield HashedImage(ready[which].image, packed | {"views": views})


class MixedFeatures:
    """Features of photographs, drawn at random from all of a pool."""

    def __init__(self, pool: Sequence[Signature], random: np.random.Generator) -> None:
        self.random = random
        self.points = np.concatenate([signature.features.points for signature in pool])
        self.descriptors = np.concatenate([signature.features.descriptors for signature in pool])
        self.words = np.concatenate([signature.words for signature in pool])

    def pack_like(self, features: Features) -> dict[str, bytes]:
        """The columns of as many features as an image has, in its shape."""
        chosen = self.random.integers(len(self.points), size=len(features.points))
        drawn = Features(self.points[chosen], self.descriptors[chosen], features.aspect)
        words = self.words[chosen].astype("<u2").tobytes()
        return {"features": pack_features(drawn), "words": words}


def make_skewed(rows: int, random: np.random.Generator) -> Hashes:
    """Hashes as of photographs: bits are signs of Gaussians that share a few causes, as a sky."""
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
