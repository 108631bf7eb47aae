"""How many calls of Commons' API an image takes, by its stand-in, and the hours for 10,000 images.

Wikimedia allows 200 calls a minute to a program that names its operator, and 10 to others; the
collector asks 150 and 8. Pictures are no calls of the API.

    python -m benchmarks.commons_calls FOLDER
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from benchmarks.collect_rate import SPAN, make_pictures, read_settings

STANDIN = (sys.executable, "-m", "vocparty", "standin", "--photos")
IMAGES = 10_000
TARGET = 300
CALLS_A_MINUTE = (150, 8)


def main() -> None:
    """Print the calls of one run, and what they make at each rate."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "photographs")
        folder.mkdir()
        make_pictures(Path(sys.argv[1]), folder)
        with subprocess.Popen(
            (*STANDIN, str(folder)), stdout=subprocess.PIPE, text=True
        ) as standin:
            assert standin.stdout is not None
            where = read_settings(standin.stdout)
            try:
                images, calls = collect(Path(name, "party"), where)
            finally:
                standin.terminate()
    print(f"{images:,} images took {calls:,} calls, {calls / images:.3f} an image")
    for rate in CALLS_A_MINUTE:
        hours = IMAGES * calls / images / rate / 60
        print(f"{IMAGES:,} images at {rate} calls a minute: {hours:.1f} hours")


def collect(folder: Path, where: str) -> tuple[int, int]:
    """How many images one run fetched, and by how many searches."""
    from sqlalchemy import func, select

    from catalog.party import make_party, open_party
    from catalog.tables import Search
    from collect.job import Order, run_collect

    values = tomllib.loads(where)
    values["commons"]["calls_per_hour"] = 1_000_000
    values["collect"] = {"source": "commons", "target_images": TARGET, "seed": 1, **SPAN}
    make_party(folder, name="Benchmark", preset="voc2012", values=values)
    with open_party(folder) as party:
        tally = run_collect(party, Order(classes=("cat",)))
        with party.catalogue.reading() as session:
            return tally.fetched, session.scalar(select(func.count(Search.id))) or 0


if __name__ == "__main__":
    main()
