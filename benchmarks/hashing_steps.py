"""Microseconds of a processor that each step of hashing takes, for one image in a batch of 16.

    python -m benchmarks.hashing_steps FOLDER [--images 200] [--rounds 9] [--longest-px 500]

The photographs are saved as those of `hashing_throughput` and hashed in one thread. Each step is
timed alone on all of them, by the thread's own time, and the least of the rounds is told.
"""

from __future__ import annotations

import argparse
import io
import os
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

for _library in ("OMP", "OPENBLAS"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402  it counts its threads when it is loaded
from PIL import Image  # noqa: E402

from benchmarks.hashing_throughput import FILES_AT_ONCE, read_photographs  # noqa: E402
from catalog.whole_file import digest_of  # noqa: E402
from dedup.hashes import hash_images  # noqa: E402
from dedup.signature.brightness import FORMATS, SIDE_PX, read_brightness  # noqa: E402
from dedup.signature.hashes import hash_wholes  # noqa: E402
from dedup.signature.plain_jpegs import decode_plain_jpeg  # noqa: E402
from dedup.signature.signature import find_layout, make_signatures  # noqa: E402

Batches = Sequence[Sequence[Any]]


def main() -> None:
    """Print a Markdown table of the steps."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--images", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--longest-px", type=int, default=500)
    options = parser.parse_args()
    files = list(islice(read_photographs(options.folder, options.longest_px), options.images))
    decoded = [read_brightness(data) for data in files]
    print(f"| step, {options.longest_px} px | µs an image |\n|---|---|")
    for name, items, work in list_steps(files, decoded):
        micros = time_step(work, cut(items), options.rounds) / len(items) * 1e6
        print(f"| {name} | {micros:.0f} |", flush=True)


def list_steps(
    files: list[bytes], decoded: list[Any]
) -> list[tuple[str, list[Any], Callable[[Sequence[Any]], object]]]:
    """The name of each step, what it is given, and what it does with some of them."""
    lumas = [one.luma for one in make_signatures(decoded)]
    return [
        ("SHA-256 of the file (the store's only)", files, _each(digest_of)),
        ("decoding by Pillow", files, _each(decode_with_pillow)),
        ("decoding", files, _each(lambda data: decode_plain_jpeg(data, SIDE_PX))),
        ("decoding and squeezing", files, _each(read_brightness)),
        ("layout", decoded, _each(find_layout)),
        ("layout and hashes of views", decoded, make_signatures),
        ("hashes of the whole", lumas, lambda some: hash_wholes(np.stack(some))),
        ("all after decoding and squeezing", decoded, hash_images),
    ]


def decode_with_pillow(data: bytes) -> object:
    """The brightness that Pillow gives of what simplejpeg does not take."""
    with Image.open(io.BytesIO(data), formats=FORMATS) as image:
        image.draft("L", (SIDE_PX, SIDE_PX))
        return np.asarray(image)


def time_step(work: Callable[[Sequence[Any]], object], batches: Batches, rounds: int) -> float:
    """The least seconds that the thread worked for all batches."""
    found = []
    for _ in range(rounds):
        start = time.thread_time()
        for batch in batches:
            work(batch)
        found.append(time.thread_time() - start)
    return min(found)


def cut(items: list[Any]) -> Batches:
    """As many at a time as the pipeline hashes together."""
    return [items[at : at + FILES_AT_ONCE] for at in range(0, len(items), FILES_AT_ONCE)]


def _each(work: Callable[[Any], object]) -> Callable[[Sequence[Any]], object]:
    return lambda some: [work(one) for one in some]


if __name__ == "__main__":
    main()
