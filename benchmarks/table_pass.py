"""How long one pass over a table of YFCC100M's form takes, against a plain scan, and its memory.

The made rows grow over ten years; owners follow Zipf's law; one row in 20 has words of a query. The
scan is by the engine that reads the table: SQLite counts the rows with one keyword. Both are timed
in processor seconds, those of all processes, and by the clock, which other work on the machine
makes slower.

    python -m benchmarks.table_pass DIR --rows 1000000
    taskset -c 0 python -m benchmarks.table_pass DIR --rows 1000000

The second reads the table by one process.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import resource
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from catalog.party import make_party, open_party
from catalog.preset import Preset
from collect.source_table.job import TableOrder, add_table
from simulate.flickr.yfcc import FIRST_SECS, LAST_SECS, LICENCES, write_rows

QUERIES = 250
ANSWERING = 0.05
OWNERS = 50_000
WORDS = 20_000
GROWTH = 20
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def make_rows(count: int) -> Iterator[tuple[object, ...]]:
    """Rows with some 25 words each, a fifth of them with letters that are not ASCII."""
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(WORDS)]
    for number in range(count):
        chosen = rng.choices(words, k=25)
        if rng.random() < ANSWERING:
            chosen[rng.randrange(25)] = f"query{rng.randrange(QUERIES)}"
        later = (1 + rng.random() * (GROWTH**2 - 1)) ** 0.5 / GROWTH
        secs = FIRST_SECS + int((LAST_SECS - FIRST_SECS) * later)
        owner = f"{int(OWNERS ** rng.random())}@N98"
        name, kind = LICENCES[1 + number % len(LICENCES)]
        accent = "%C3%A9+" if number % 5 == 0 else ""
        yield (
            number,
            owner,
            "member",
            "2008-06-20 17:37:55.0",
            secs,
            "Canon+EOS",
            "+".join(chosen[:5]),
            f"{accent}{'+'.join(chosen[5:18])}%2C+%3Cb%3Eok%3C%2Fb%3E.",
            ",".join(chosen[18:]),
            "",
            "",
            "",
            "",
            f"http://www.flickr.com/photos/{owner}/{number}/",
            f"http://farm1.staticflickr.com/22/{number}_0123456789.jpg",
            name,
            f"http://creativecommons.org/licenses/{kind}/2.0/",
            22,
            1,
            "0123456789",
            "",
            "jpg",
            0,
        )


class Stopwatch:
    """Processor seconds of this process and those that it started, and seconds of the clock."""

    def __init__(self) -> None:
        self._before = self._read()

    def stop(self) -> tuple[float, float]:
        """The seconds since the start: of processors, and of the clock."""
        used, moment = self._read()
        return used - self._before[0], moment - self._before[1]

    def _read(self) -> tuple[float, float]:
        usage, others = (
            resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        used = usage.ru_utime + usage.ru_stime + others.ru_utime + others.ru_stime
        return used, time.perf_counter()


def scan(table: Path) -> tuple[float, float]:
    """The seconds of counting the rows with one keyword: of the processor, and of the clock."""
    has_word = " OR ".join(
        f"{name} LIKE '%query7%'" for name in ("title", "description", "usertags")
    )
    with closing(sqlite3.connect(table)) as connection:
        watch = Stopwatch()
        connection.execute(f"SELECT count(*) FROM yfcc100m_dataset WHERE {has_word}").fetchone()
        return watch.stop()


def run_pass(table: Path, pipe: multiprocessing.connection.Connection) -> None:
    """Send the seconds of a pass and those of its own process, its peak memory, what it kept.

    Memory is that of its largest process, in MB.
    """
    with TemporaryDirectory(dir=table.parent) as folder:
        make_party(Path(folder, "party"), name="Measured", preset="voc2012")
        with open_party(Path(folder, "party")) as party:
            object.__setattr__(party, "preset", with_queries(party.preset))
            watch = Stopwatch()
            began = time.process_time()
            added = add_table(party, TableOrder(table), now=lambda: NOW)
            own_secs = time.process_time() - began
            secs = watch.stop()
            size = added.sample.stat().st_size
    every = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    peak_mb = max(resource.getrusage(who).ru_maxrss for who in every) / 1000
    pipe.send((secs, own_secs, peak_mb, added.about.answers, added.photos, size))


def with_queries(preset: Preset) -> Preset:
    """The preset with our queries, all of one class."""
    from dataclasses import replace

    queries = tuple(f"query{number}" for number in range(QUERIES))
    first, *others = (replace(spec, queries=()) for spec in preset.classes)
    return replace(preset, classes=(replace(first, queries=queries), *others))


def print_seconds(
    scan_secs: tuple[float, float], pass_secs: tuple[float, float], millions: float
) -> None:
    """Print both, of processors and of the clock, and how many times the scan the pass takes."""
    print("                processor s  us a row  clock s  us a row")
    for name, (used, passed) in {"plain scan": scan_secs, "pass": pass_secs}.items():
        print(
            f"{name:15} {used:11.1f} {used / millions:9.2f} {passed:8.1f} {passed / millions:9.2f}"
        )
    ratios = [ours / theirs for ours, theirs in zip(pass_secs, scan_secs, strict=True)]
    print(f"pass / scan     {ratios[0]:11.1f} {'':9} {ratios[1]:8.1f}")


def main() -> None:
    """Make the table, unless it is there, and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    table = options.folder / f"made-{options.rows}.db"
    if not table.exists():
        write_rows(table, make_rows(options.rows))
    scan(table)  # once, so that both find the file in memory
    scan_secs = scan(table)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=run_pass, args=(table, theirs))
    process.start()
    secs, own_secs, peak_mb, answers, photos, size = ours.recv()
    process.join()
    print(f"{options.rows:,} rows, {table.stat().st_size / 1e6:,.0f} MB; {answers:,} answer")
    print_seconds(scan_secs, secs, options.rows / 1e6)
    print(f"process that samples, processor s {own_secs:7.1f}")
    print(f"peak memory     {peak_mb:7.0f} MB")
    print(f"sample          {size / 1e6:7.1f} MB, {photos:,} photographs")


if __name__ == "__main__":
    main()
