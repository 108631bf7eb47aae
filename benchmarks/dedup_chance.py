"""How many pairs of unlike photographs are candidates by chance, and what verifying one takes.

    python -m benchmarks.dedup_chance FOLDER [--images 250 500 1000] [--extrapolate 200000]

The pictures are the photographs of a folder and their quarters, in a random order, the first so
many of them; a photograph and its own quarters, and two that show the same, are not counted. Their
pairs are searched and verified as `vocparty dedup` does it, in one process without a catalogue.
Prints a Markdown row for each number, and what a larger number would take at the last one's rates,
which is an extrapolation with the square.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from benchmarks.dedup_memory import cut
from benchmarks.hashing_throughput import SUFFIXES
from dedup.among import hold_signatures
from dedup.candidates import Candidates, Search, find_candidates
from dedup.columns import take_rows
from dedup.matching import Source, count_pairs, cut_pairs, load_batch, verify_batch
from dedup.signature.brightness import read_brightness
from dedup.signature.hashes import gradient_quality
from dedup.signature.signature import Signature, make_signature
from dedup.signature_rows import Census

DISTANCE_BITS = 10
ROUNDS = 3


@dataclass(frozen=True)
class Pictured:
    """A picture and the number of the photograph that it is or is a quarter of."""

    photograph: int
    signature: Signature


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--images", type=int, nargs="+", default=[250, 500, 1000])
    parser.add_argument("--extrapolate", type=int, default=200_000)
    options = parser.parse_args()
    pictures = read_pictures(options.folder)
    print("| images | pairs | candidates by chance | of a million pairs | µs for each | accepted |")
    print("|---|---|---|---|---|---|")
    for count in options.images:
        chance, secs = measure(pictures[:count])
    expected = chance * (options.extrapolate / len(pictures[:count])) ** 2
    print(
        f"\n{options.extrapolate:,} images, extrapolated: {expected:,.0f} candidates by chance, "
        f"{expected * secs / chance / 60:.1f} minutes of one processor."
    )


def measure(pictures: Sequence[Pictured]) -> tuple[int, float]:
    """Print the row of these pictures; the candidates by chance and the seconds for all of them."""
    source = hold_signatures([one.signature for one in pictures])
    count = len(pictures)
    census = Census(np.arange(count), np.ones(count, np.bool_))
    found = find_candidates(source.load_views(census), None, Search(DISTANCE_BITS))
    numbers = np.array([one.photograph for one in pictures])
    found = take_rows(found, numbers[found.probe] != numbers[found.view])
    secs, accepted = min(verify(source, found) for _ in range(ROUNDS))
    chance, pairs = count_pairs(found), count * (count - 1) // 2
    share, each = chance / pairs * 1e6, secs / max(chance, 1) * 1e6
    print(f"| {count:,} | {pairs:,} | {chance:,} | {share:.0f} | {each:.0f} | {accepted} |")
    return chance, secs


def verify(source: Source, candidates: Candidates) -> tuple[float, int]:
    """The processor's seconds for the candidates, and how many pairs were accepted."""
    start = time.process_time()
    batches = (load_batch(source, some) for some in cut_pairs(candidates))
    accepted = sum(len(verify_batch(batch)) for batch in batches)
    return time.process_time() - start, accepted


def read_pictures(folder: Path) -> list[Pictured]:
    """All photographs of the folder that are not flat, and their quarters, in a random order."""
    from PIL import Image

    found = []
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in SUFFIXES]
    for number, path in enumerate(paths):
        with Image.open(path) as file:
            picture = file.convert("RGB")
        found += [Pictured(number, make_signature(read_brightness(it))) for it in cut(picture)]
    found = [one for one in found if gradient_quality(one.signature.luma) >= 1]
    Random(0).shuffle(found)
    return found


if __name__ == "__main__":
    main()
