"""How the work of matching grows with the number of pictures that are nearly one and the same.

    python -m benchmarks.dedup_alike FOLDER [--images 500 1000 2000]

The signature of the first photograph of the folder that is not flat, so many times: each hash of a
view has up to three bits changed and each brightness up to three levels, as saving again changes
them. They are matched as `vocparty dedup` does it, without files and a catalogue, with 1,024 MB.
Prints a Markdown row for each number: the pairs of pictures that were verified, the processor's
seconds and how many are kept, which must be one.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.dedup_memory import flip, read_signatures
from dedup.among import hold_signatures
from dedup.clusters import Candidate, plan_removals
from dedup.crowds import complete_crowds
from dedup.executors import default_workers, open_threads
from dedup.matching import Matcher
from dedup.signature.signature import Signature
from dedup.signature_rows import Census
from dedup.watching import Advance

MEMORY_BYTES = 1 << 30
DISTANCE_BITS = 10
LEVELS = 3


@dataclass
class Counter:
    """How many pairs were verified so far; it watches the matching."""

    pairs: int = 0

    @contextmanager
    def __call__(self, _label: str, _total: int, _unit: str) -> Iterator[Advance]:
        """As Watch says."""
        yield self._advance

    def _advance(self, count: int) -> None:
        self.pairs += count


def main() -> None:
    """Measure each number that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--images", type=int, nargs="+", default=[500, 1000, 2000])
    options = parser.parse_args()
    like = read_signatures(options.folder)[0]
    match(make_alike(like, 50), Counter())  # the loops are compiled before the clock starts
    print("| pictures | pairs verified | processor s | kept |\n|---|---|---|---|")
    for count in options.images:
        counter, start = Counter(), time.process_time()
        kept = match(make_alike(like, count), counter)
        secs = time.process_time() - start
        print(f"| {count:,} | {counter.pairs:,} | {secs:.1f} | {kept} |", flush=True)


def make_alike(like: Signature, count: int) -> list[Signature]:
    """So many signatures that are nearly this one."""
    random = np.random.default_rng(0)
    made = []
    for _ in range(count):
        noise = random.integers(-LEVELS, LEVELS + 1, like.luma.shape)
        luma = np.clip(like.luma + noise, 0, 255).astype(np.uint8)
        made.append(replace(like, luma=luma, views=replace(like.views, hashes=flip(like, random))))
    return made


def match(signatures: Sequence[Signature], counter: Counter) -> int:
    """How many of the pictures are kept."""
    count, workers = len(signatures), default_workers()
    with open_threads(workers) as executor:
        matcher = Matcher(
            hold_signatures(signatures),
            DISTANCE_BITS,
            MEMORY_BYTES,
            executor,
            workers,
            watch=counter,
        )
        found = matcher.match(Census(np.arange(count), np.ones(count, np.bool_)))
        pairs = complete_crowds(found, rank, matcher.match_with)
    return count - len(plan_removals(rank(range(count)), pairs))


def rank(places: Sequence[int]) -> list[Candidate]:
    """All are as good as one another."""
    return [Candidate(place, 1, None, 0, is_fixed=False) for place in places]


if __name__ == "__main__":
    main()
