"""How the work of matching grows with the number of pictures that look alike and are not one.

    python -m benchmarks.dedup_throng [--images 100 200 400 800]

Soft lamps in the middle of the dark, no two of one size, brightness or place: nearly all of their
pairs are candidates. They are matched as `vocparty dedup` does it, without files and a catalogue,
with 1,024 MB. Prints a Markdown row for each number: all pairs, those that were verified, and the
processor's seconds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np

from benchmarks.dedup_alike import DISTANCE_BITS, MEMORY_BYTES, Counter
from dedup.among import hold_signatures
from dedup.executors import default_workers, open_threads
from dedup.matching import Matcher
from dedup.signature.brightness import SIDE_PX, Brightness
from dedup.signature.signature import Signature, make_signatures
from dedup.signature_rows import Census


def main() -> None:
    """Measure each number that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--images", type=int, nargs="+", default=[100, 200, 400, 800])
    options = parser.parse_args()
    match(paint_lamps(20), Counter())  # the loops are compiled before the clock starts
    print("| pictures | pairs | pairs verified | for each | processor s |\n|---|---|---|---|---|")
    for count in options.images:
        counter, start = Counter(), time.process_time()
        match(paint_lamps(count), counter)
        secs, pairs = time.process_time() - start, count * (count - 1) // 2
        each = counter.pairs / count
        print(
            f"| {count:,} | {pairs:,} | {counter.pairs:,} | {each:.0f} | {secs:.1f} |", flush=True
        )


def paint_lamps(count: int) -> list[Signature]:
    """So many signatures of such pictures."""
    random = np.random.default_rng(0)
    y, x = np.mgrid[0:SIDE_PX, 0:SIDE_PX] / SIDE_PX
    made = []
    for _ in range(count):
        middle_x, middle_y = random.normal(0.5, 0.01, 2)
        away = ((x - middle_x) ** 2 + (y - middle_y) ** 2) / random.uniform(0.02, 0.05)
        levels = 8 + random.uniform(30, 60) * np.exp(-away) + random.normal(0, 1.2, x.shape)
        made.append(Brightness(np.clip(levels, 0, 255).astype(np.uint8), aspect=4 / 3))
    return make_signatures(made)


def match(signatures: Sequence[Signature], counter: Counter) -> None:
    """Verify their candidates."""
    count, workers = len(signatures), default_workers()
    with open_threads(workers) as executor:
        source = hold_signatures(signatures)
        matcher = Matcher(source, DISTANCE_BITS, MEMORY_BYTES, executor, workers, watch=counter)
        for _pair in matcher.match(Census(np.arange(count), np.ones(count, np.bool_))):
            pass


if __name__ == "__main__":
    main()
