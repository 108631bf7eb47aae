"""All pairs among many hashes: our search and others', in one run, each in a process of its own.

    python -m benchmarks.hash_search --rows 100000 1000000 --bits 64 256

The hashes are as uneven as those of photographs, and near-duplicates are planted among them (see
`skewed_hashes`). Peers that would take too long do a share of their queries or patterns, and their
time is extrapolated. faiss-cpu and imagededup are measured where they are installed, in this
environment or in the one named by --peer-python. Our loops are compiled before the clock starts.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.hash_peers import PEERS, Hashes, Outcome, read_clocks
from benchmarks.skewed_hashes import make_planted, measure_collisions

OURS = {"vocparty": None, "vocparty, 1 thread": 1}
MAX_BITS = {64: 10, 256: 31}
MAX_SECS = 120.0
"""A peer does the share of the work that takes about so long."""

# Nanoseconds for each pair of hashes of 64 and of 256 bits, roughly, to choose the shares.
COSTS = {
    "numpy band join": {64: 0.2, 256: 0.3},
    "faiss flat": {64: 0.5, 256: 1.0},
    "faiss multi-hash": {64: 5.0, 256: 2.0},
    "imagededup": {64: 300.0},
}


@dataclass(frozen=True)
class Case:
    """What is searched."""

    rows: int
    bits: int
    equal_rows: int
    seed: int

    @property
    def max_bits(self) -> int:
        """The distance within which pairs are wanted."""
        return MAX_BITS[self.bits]


def main() -> None:
    """Measure what the command line asks for and print Markdown tables."""
    arguments = parse_arguments()
    if arguments.measure:
        print(json.dumps(measure_here(*arguments.measure)))
        return
    for bits in arguments.bits:
        for rows in arguments.rows:
            case = Case(rows, bits, arguments.equal, arguments.seed)
            print_table(case, arguments)


def parse_arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000])
    parser.add_argument("--bits", type=int, nargs="+", default=[64, 256], choices=MAX_BITS)
    parser.add_argument("--engines", nargs="+", default=[*OURS, *PEERS], choices=[*OURS, *PEERS])
    parser.add_argument("--equal", type=int, default=0, help="so many hashes are all alike")
    parser.add_argument("--runs", type=int, default=3, help="of ours; peers run once")
    parser.add_argument("--max-secs", type=float, default=MAX_SECS, help="of a peer's share")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--peer-python", default=sys.executable, help="that has the peers")
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    return parser.parse_args()


def print_table(case: Case, arguments: argparse.Namespace) -> None:
    """One table: a row for each engine, with its times, memory and what it found."""
    with tempfile.TemporaryDirectory() as folder:
        factors = write_case(case, Path(folder))
        listed = ", ".join(f"{factor:.1f}" for factor in factors[:4])
        print(f"\n### {case.rows:,} hashes of {case.bits} bits, distance {case.max_bits}\n")
        print(f"Bands collide {factors.mean():.1f} times as often as in random bits ({listed}")
        print(f"for the first four); {case.equal_rows:,} hashes are equal.\n")
        print(
            "| search | measured | seconds | times ours | processor s | peak MB | planted found |"
        )
        print("|---|---|---|---|---|---|---|")
        ours = None
        for engine in arguments.engines:
            if engine in PEERS and case.bits not in COSTS[engine]:
                continue
            results = measure_engine(engine, case, Path(folder), arguments)
            ours = format_row(engine, results, ours)


def write_case(case: Case, folder: Path) -> Any:
    """The collision factors of the hashes that were put into the folder."""
    planted = make_planted(case.rows, case.bits, case.max_bits, case.seed, case.equal_rows)
    np.save(folder / "hashes.npy", planted.hashes)
    np.save(folder / "planted.npy", np.stack((planted.first, planted.second)))
    return measure_collisions(planted.hashes, np.random.default_rng(0))


def measure_engine(
    engine: str, case: Case, folder: Path, arguments: argparse.Namespace
) -> list[dict[str, Any]]:
    """What each run of the engine, in a new process, says; nothing if it cannot run."""
    python = arguments.peer_python if engine in PEERS else sys.executable
    share = choose_share(engine, case, arguments.max_secs)
    values = [engine, str(folder), str(case.max_bits), str(share)]
    command = [python, "-m", "benchmarks.hash_search", "--measure", *values]
    results = []
    for _ in range(1 if engine in PEERS else arguments.runs):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(f"{engine}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
            return []
        results.append(json.loads(done.stdout))
    return results


def choose_share(engine: str, case: Case, max_secs: float) -> float:
    """The share of its work that the engine does in about the time that it may take."""
    if engine in OURS:
        return 1.0
    return min(max_secs / (case.rows**2 * COSTS[engine][case.bits] / 1e9), 1.0)


def format_row(engine: str, results: list[dict[str, Any]], ours: float | None) -> float | None:
    """Print the row of an engine; the seconds of ours, to compare the others with."""
    if not results:
        return ours
    secs, cpu_secs = (median(result[name] for result in results) for name in ("secs", "cpu_secs"))
    ours = ours or secs
    share, peak = results[0]["share"], max(result["peak_mb"] for result in results)
    runs = f"median of {len(results)}" if len(results) > 1 else "whole"
    print(
        f"| {engine} | {runs if share == 1 else f'{share:.2%} of it'} | {secs:,.2f} "
        f"| {secs / ours:,.0f} | {cpu_secs:,.2f} | {peak:,.0f} | {results[0]['found']} |",
        flush=True,
    )
    return ours


def measure_here(engine: str, folder: str, max_bits: str, share: str) -> dict[str, Any]:
    """What the engine takes and finds in this process."""
    os.environ.setdefault("OMP_NUM_THREADS", str(os.cpu_count()))
    hashes = np.load(Path(folder) / "hashes.npy")
    first, second = np.load(Path(folder) / "planted.npy")
    if engine in OURS:
        outcome = search_ours(hashes, int(max_bits), OURS[engine])
    else:
        outcome = PEERS[engine](hashes, int(max_bits), float(share))
    return {
        "secs": float(outcome.secs[0]),
        "cpu_secs": float(outcome.secs[1]),
        "share": float(share),
        "peak_mb": measure_peak_mb(),
        "found": count_planted(outcome, first, second, len(hashes)),
    }


def measure_peak_mb() -> float:
    """The most memory that this process has held; ru_maxrss would count its parent's too."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().split("VmHWM:")[1].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def search_ours(hashes: Hashes, max_bits: int, workers: int | None) -> Outcome:
    """Our search, on so many threads or as many as there are processors."""
    from dedup.search import Resources, find_pairs_within

    resources = Resources(workers=workers) if workers else Resources()
    find_pairs_within(hashes[:1000], max_bits)
    start = read_clocks()
    matches = find_pairs_within(hashes, max_bits, resources=resources)
    secs = read_clocks() - start
    stands_for = np.arange(len(hashes))
    stands_for[matches.repeats.row] = matches.repeats.first_row
    return Outcome(
        secs, matches.pairs.first, matches.pairs.second, len(hashes), stands_for=stands_for
    )


def count_planted(outcome: Outcome, first: Any, second: Any, rows: int) -> str:
    """How many of the planted pairs that could be found were."""
    if outcome.queried is None:
        return "–"
    asked = first < outcome.queried
    first, second = first[asked], second[asked]
    if outcome.stands_for is not None:
        first, second = outcome.stands_for[first], outcome.stands_for[second]
    found = np.isin(
        number_pairs(first, second, rows), number_pairs(outcome.first, outcome.second, rows)
    )
    return f"{(found | (first == second)).sum():,} of {asked.sum():,}"


def number_pairs(first: Any, second: Any, rows: int) -> Any:
    """A number for each pair of rows, in whichever order they are."""
    return np.minimum(first, second) * rows + np.maximum(first, second)


if __name__ == "__main__":
    main()
