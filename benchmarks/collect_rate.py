"""Images a second, each answer 100 ms late, by searches of Flickr and from a table of the same.

`python -m benchmarks.collect_rate FOLDER`, with the default settings, but for the limit of calls.
The runs take turns, so that what else the machine does slows both. Each process that decodes
imports this module.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

COPIES = 5  # of a photograph, which differ in quality
RUNS = 3
FIRST = date(2010, 1, 1)
DAYS = 5000
SPAN = {"first_date": str(FIRST), "last_date": str(FIRST + timedelta(days=DAYS - 1))}
STANDIN = (sys.executable, "-m", "vocparty", "standin", "--fault", "latency@100=1", "--photos")


def main() -> None:
    """Print the median of three runs from each source."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "photographs")
        folder.mkdir()
        count, rows = make_pictures(Path(sys.argv[1]), folder)
        table = Path(name, "yfcc.db")
        command = (*STANDIN, str(folder), "--table", str(table), "--rows", str(rows))
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as standin:
            assert standin.stdout is not None
            where = read_settings(standin.stdout)
            try:
                rates = {"flickr": list[float](), "table": list[float]()}
                for number in range(RUNS):
                    for source, of_source in rates.items():
                        party = Path(name, f"{source} {number}")
                        tables = [table] if source == "table" else []
                        of_source.append(collect(party, count, where, source, tables))
            finally:
                standin.terminate()
    for source, of_source in rates.items():
        shown = ", ".join(f"{rate:.1f}" for rate in sorted(of_source))
        middle = statistics.median(of_source)
        print(f"{source:7} {middle:.1f} images/s, {60 * middle:,.0f} a minute; runs: {shown}")


def read_settings(lines: Iterable[str]) -> str:
    """What the stand-in says that party.toml must have."""
    settings = list[str]()
    for line in lines:
        if settings or line.startswith("["):
            settings.append(line)
        if line.startswith("pictures_url"):
            break
    return "".join(settings)


def make_pictures(photographs: Path, folder: Path) -> tuple[int, int]:
    """How many to collect, and how many were made: each of another owner, evenly over the days."""
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
    return round(0.6 * len(rows)), len(rows)  # so that searches find some to the end


def collect(folder: Path, count: int, where: str, source: str, tables: Sequence[Path]) -> float:
    """The rate of one run, in which the tables were read before."""
    from catalog.party import make_party, open_party
    from collect.job import Order, run_collect
    from collect.source_table.job import TableOrder, add_table

    values = tomllib.loads(where)
    values["flickr"]["calls_per_hour"] = 1_000_000
    values["collect"] = {"source": source, "target_images": count, "seed": 1, **SPAN}
    make_party(folder, name="Benchmark", preset="voc2012", values=values)
    with open_party(folder) as party:
        for table in tables:
            add_table(party, TableOrder(table), now=lambda: datetime.now(UTC))
        began = time.monotonic()
        tally = run_collect(party, Order(classes=("cat",)))
        return tally.fetched / (time.monotonic() - began)


if __name__ == "__main__":
    main()
