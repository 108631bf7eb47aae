"""Images a second, each answer 100 ms late: `python -m benchmarks.collect_rate FOLDER`.

The default settings, but for the limit of calls. Each process that decodes imports this module.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from datetime import date, timedelta
from pathlib import Path

COPIES = 5  # of a photograph, which differ in quality
RUNS = 3
FIRST = date(2010, 1, 1)
DAYS = 5000
SPAN = {"first_date": str(FIRST), "last_date": str(FIRST + timedelta(days=DAYS - 1))}
STANDIN = (sys.executable, "-m", "vocparty", "standin", "--fault", "latency@100=1", "--photos")


def main() -> None:
    """Print the median of three runs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        count = make_pictures(Path(sys.argv[1]), folder)
        with subprocess.Popen([*STANDIN, name], stdout=subprocess.PIPE, text=True) as standin:
            assert standin.stdout is not None
            settings = [standin.stdout.readline() for _ in range(10)][3:]  # what party.toml says
            try:
                rates = [
                    collect(folder / f"party {number}", count, settings) for number in range(RUNS)
                ]
            finally:
                standin.terminate()
    print(f"{statistics.median(rates):.1f} images/s, {count} images; runs: {sorted(rates)}")


def make_pictures(photographs: Path, folder: Path) -> int:
    """How many to collect of those made: each of another owner, evenly over the days."""
    from benchmarks.photographs import open_rgb, read_photographs, save
    from simulate.flickr.table import write_table

    files = read_photographs([photographs], sys.maxsize).values()
    rows = []
    for number, data in enumerate(file for file in files for _ in range(COPIES)):
        row = {"file": f"{number:05}.jpg", "title": "cat", "licence": "4", "owner": f"{number}"}
        (folder / row["file"]).write_bytes(save(open_rgb(data), 90 - number % COPIES))
        uploaded = FIRST + timedelta(days=number * 7919 % DAYS)
        rows.append(row | {"uploaded": f"{uploaded} 10:00"})
    write_table(folder, rows)
    return round(0.6 * len(rows))  # so that searches find some to the end


def collect(folder: Path, count: int, where: list[str]) -> float:
    """The rate of one run."""
    from catalog.party import make_party, open_party
    from collect.job import Order, run_collect

    values = tomllib.loads("".join(where))
    values["flickr"]["calls_per_hour"] = 1_000_000
    values["collect"] = {"target_images": count, "seed": 1, **SPAN}
    make_party(folder, name="Benchmark", preset="voc2012", values=values)
    with open_party(folder) as party:
        began = time.monotonic()
        tally = run_collect(party, Order(classes=("cat",)))
        return tally.fetched / (time.monotonic() - began)


if __name__ == "__main__":
    main()
