"""One run of `vocparty dedup` in a process of its own, and what it took.

    python -m benchmarks.dedup_run PARTY [--workers N]

Prints one JSON object: seconds, seconds of the processors (with all worker processes), the most
memory that the main process held, how many images are in which state, and a digest of all
decisions, which two runs share that came to the same result.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select

from catalog.party import open_party
from catalog.tables import Duplicate, Image

BYTES_PER_MB = 1 << 20


@dataclass(frozen=True)
class Run:
    """What one run took and came to."""

    secs: float
    cpu_secs: float
    peak_mb: float
    states: dict[str, int]
    relations: dict[str, int]
    decisions_sha256: str


def run_dedup(folder: Path, *options: str) -> Run:
    """What a run over the party took, in a fresh process."""
    call = [sys.executable, "-m", "benchmarks.dedup_run", str(folder), *options]
    done = subprocess.run(call, stdout=subprocess.PIPE, text=True, check=True)
    return Run(**json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Run it and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("party", type=Path)
    parser.add_argument("--workers")
    given = parser.parse_args()
    options = [] if given.workers is None else ["--workers", given.workers]
    print(json.dumps(measure_here(given.party, options)))


def measure_here(folder: Path, options: list[str]) -> dict[str, Any]:
    """What a run in this process took and came to."""
    from vocparty import main as vocparty

    start = time.perf_counter()
    vocparty(["dedup", "--party", str(folder), *options], standalone_mode=False)
    secs = time.perf_counter() - start
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {
        "secs": round(secs, 2),
        "cpu_secs": round(sum(it.ru_utime + it.ru_stime for it in used), 2),
        "peak_mb": round(read_peak_mb()),
        **read_result(folder),
    }


def read_peak_mb() -> float:
    """The most that this process has held so far, as Linux counts it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def read_result(folder: Path) -> dict[str, Any]:
    """The states of all images, the decisions by relation, and the digest of these."""
    with open_party(folder) as party, party.catalogue.reading() as session:
        states = Counter(state.value for state in session.scalars(select(Image.state)))
        rows = session.execute(
            select(Duplicate.image_id, Duplicate.kept_image_id, Duplicate.relation)
            .where(Duplicate.undone_at.is_(None))
            .order_by(Duplicate.image_id, Duplicate.kept_image_id)
        ).all()
    digest = hashlib.sha256("\n".join(str(tuple(row)) for row in rows).encode()).hexdigest()
    relations = Counter(row.relation for row in rows)
    return {
        "states": dict(sorted(states.items())),
        "relations": dict(sorted(relations.items())),
        "decisions_sha256": digest[:16],
    }


if __name__ == "__main__":
    main()
