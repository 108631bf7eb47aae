"""How even the dates of photographs are that are drawn from a table, and how fair its sample is.

Uploads of a table's photographs grow over 15 years; uniform dates put a third of what is drawn into
the last five. Each run samples the table with a seed of its own and draws as `collect` does,
without fetching.

    python -m benchmarks.table_sampling --runs 10
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from scipy.stats import chi2
from sqlalchemy import select

from catalog.party import make_party, open_party
from catalog.tables import Photo
from collect.draws import Drawer
from collect.pauses import Clock, Pauses
from collect.source_table.job import TableOrder, add_table
from collect.source_table.sampling import Rules, choose_lowest, draw_lot
from collect.source_table.source import Tables
from simulate.flickr.yfcc import shape_row, write_rows

FIRST = date(2005, 1, 1)
LAST = date(2019, 12, 31)
LAST_FIVE = 2015
PHOTOS = 12_000
OWNERS = 4_000
DRAWN = 300
NOW = datetime(2020, 1, 1, tzinfo=UTC)
CLOCK = Clock(now=lambda: NOW, sleep=lambda _secs: None)


def write_library(path: Path, growth: float, seed: int) -> None:
    """Photographs of cats whose last day has `growth` times as many as the first."""
    rng = random.Random(seed)
    begin = datetime.combine(FIRST, datetime.min.time(), UTC).timestamp()
    span = (LAST - FIRST).days * 86_400
    rows = []
    for number in range(PHOTOS):
        share = rng.random()
        later = ((1 + share * (growth**2 - 1)) ** 0.5 - 1) / (growth - 1) if growth > 1 else share
        owner = f"{int(OWNERS ** rng.random())}@N98"
        rows.append(shape_row(number + 1, owner, int(begin + span * later), "A+cat"))
    write_rows(path, rows)


def draw(growth: float, seed: int, folder: Path) -> float:
    """The share of the last five years among what one run draws, in percent."""
    table = folder / "table.db"
    write_library(table, growth, seed)
    make_party(folder / "party", name="Measured", preset="voc2012")
    with open_party(folder / "party") as party:
        collect = replace(
            party.settings.collect, source="table", first_date=FIRST, last_date=LAST, seed=seed
        )
        party = replace(party, settings=replace(party.settings, collect=collect))
        add_table(party, TableOrder(table), now=lambda: NOW)
        source = Tables(party, Pauses(CLOCK))
        drawer = Drawer(party, ("cat",), seed, DRAWN, DRAWN, source, CLOCK, 200)
        count = 0
        while count < DRAWN and not drawer.is_dry:
            count += drawer.draw()
        source.close()
        with party.catalogue.reading() as session:
            uploaded = session.scalars(select(Photo.uploaded_at).limit(DRAWN)).all()
    return 100 * statistics.mean(moment.year >= LAST_FIVE for moment in uploaded if moment)


def find_p(passes: int, owners: Sequence[str], most_of_owner: int) -> float:
    """The least likely of the chi-square tests, by owner where a cap holds, over many passes."""
    rules = Rules(("cat",), None, "upload", 0, 10, most_of_owner, 1_000)
    counts = Counter[int]()
    kept = Counter[tuple[str, int]]()
    for seed in range(passes):
        lots = {draw_lot(seed, "cat", str(number)): number for number in range(len(owners))}
        in_order = [(lot, owners[lots[lot]], "") for lot in sorted(lots)]
        chosen = [lots[lot] for lot in choose_lowest(in_order, rules, 10)]
        counts.update(chosen)
        kept.update(Counter(owners[number] for number in chosen).items())
    is_capped = most_of_owner < len(owners)
    groups = sorted(set(owners)) if is_capped else [""]
    return min(test_group(counts, kept, owners, group, passes) for group in groups)


def test_group(
    counts: Counter[int],
    kept: Counter[tuple[str, int]],
    owners: Sequence[str],
    group: str,
    passes: int,
) -> float:
    """How likely counts so uneven are among the photographs of an owner, or of all for none."""
    numbers = [number for number, owner in enumerate(owners) if group in ("", owner)]
    n = len(numbers)
    often = [(number, times) for (owner, number), times in kept.items() if owner == group]
    often = often if group else [(10, passes)]
    variance = sum(times * number / n * (1 - number / n) for number, times in often) * n / (n - 1)
    mean = sum(counts[number] for number in numbers) / n
    value = sum((counts[number] - mean) ** 2 for number in numbers) / variance
    return float(chi2.sf(value, n - 1))


def main() -> None:
    """Measure dates and chances, and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--passes", type=int, default=10_000)
    options = parser.parse_args()
    for growth in (1, 5, 20):
        shares = []
        for seed in range(options.runs):
            with TemporaryDirectory() as folder:
                shares.append(draw(growth, seed, Path(folder)))
        mean = statistics.mean(shares)
        spread = statistics.pstdev(shares)
        print(
            f"growth {growth:>2}: last five years {mean:.1f} %, uniform 33.3 %, "
            f"spread {spread:.1f} points, {min(shares):.1f} to {max(shares):.1f}"
        )
    owners = [str(owner) for owner, count in enumerate((40, 12, 6, 2)) for _ in range(count)]
    for name, cap in (("without the cap", 1_000), ("of an owner, cap 3", 3)):
        p = find_p(options.passes, owners, cap)
        print(f"equally likely {name}: p = {p:.3f} over {options.passes:,} passes")


if __name__ == "__main__":
    main()
