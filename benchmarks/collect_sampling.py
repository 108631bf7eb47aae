"""Dates and owners of collected photographs, with and without our sampling.

A synthetic Flickr of one keyword: uploads grow every year (recency), each December has twice its
share (the paper's Christmas trees), and a few owners post most of it, in bursts of one day. The
collector's own draws (windows, pages, caps) ask a stand-in of flickr.photos.search that returns the
newest 4,000 results and pages that repeat. "2007" is `dates = "none"` without caps. The tests count
draws, one photograph of each search that was drawn from, as `vocparty report` does.

    python -m benchmarks.collect_sampling --draws 2000
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import numpy as np
from scipy.stats import chisquare

from catalog.party import Party, make_party, open_party
from collect.draws import Drawer, Draws
from collect.flickr import Flickr
from collect.learnt import Learnt
from collect.licences import get_licences
from collect.pauses import Clock
from collect.query_yield import Uniform
from collect.results import FoundPhoto, Results
from collect.rows import load_keywords, seed_queries
from collect.sampling import whole_range
from collect.search_window import DrawRules

FIRST, LAST = date(2005, 1, 1), date(2024, 12, 31)
OWNERS = 20_000
NEWEST = 4000


class SyntheticFlickr:
    """Half a million photographs, sorted by upload."""

    def __init__(self, count: int, seed: int = 1) -> None:
        rng = np.random.default_rng(seed)
        start = datetime(2005, 1, 1, tzinfo=UTC).timestamp()
        days = (LAST - FIRST).days + 1
        months = [(FIRST + timedelta(days=day)).month for day in range(days)]
        weight = np.exp(np.arange(days) / days * 4) * np.where(np.array(months) == 12, 2, 1)
        bursts = count // 5  # five photographs of one owner's one day
        day = rng.choice(days, bursts, p=weight / weight.sum())
        shares = 1 / np.arange(1, OWNERS + 1)
        owner = rng.choice(OWNERS, bursts, p=shares / shares.sum())
        moments = start + np.repeat(day, 5) * 86_400 + rng.integers(0, 86_400, bursts * 5)
        order = np.argsort(moments)
        self.moments = moments[order].astype(np.int64)
        self.owners = np.repeat(owner, 5)[order]
        self.calls = 0

    def search(self, arguments: Mapping[str, str], longest_side_px: int) -> Results:
        """The page of a search as Flickr gives it: the newest 4,000, then those again."""
        self.calls += 1
        first, last = arguments.get("min_upload_date"), arguments.get("max_upload_date")
        low = int(np.searchsorted(self.moments, int(first))) if first else 0
        high = int(np.searchsorted(self.moments, int(last), "right")) if last else len(self.moments)
        reach = min(high - low, NEWEST)
        size, page = int(arguments["per_page"]), int(arguments["page"])
        slots = range((page - 1) * size, min(page * size, high - low))
        every_photo = tuple(self._photo(high - 1 - slot % reach) for slot in slots)
        ids = frozenset(photo.source_id for photo in every_photo)
        return Results(high - low, every_photo, len(every_photo), ids)

    def _photo(self, position: int) -> FoundPhoto:
        return FoundPhoto(
            source_id=str(position + 1),
            owner_id=f"{self.owners[position]}@N99",
            owner_name="",
            title="",
            tags="",
            licence_id="4",
            taken_at_text=None,
            taken_at_unknown=True,
            uploaded_at=datetime.fromtimestamp(int(self.moments[position]), UTC),
            image_url="https://live.staticflickr.com/1/2_3.jpg",
            promised_width=500,
            promised_height=375,
            is_photograph=True,
        )


@dataclass(frozen=True)
class Way:
    """One way to collect."""

    name: str
    collect: Mapping[str, Any]


NO_CAPS = {"photos_per_owner": 10**9, "photos_per_owner_and_day": 10**9}
WAYS = (
    Way(
        "2007: no dates, no caps, 1 a search", {"dates": "none", "photos_per_search": 1, **NO_CAPS}
    ),
    Way("dates, no caps, 1 a search", {"photos_per_search": 1, **NO_CAPS}),
    Way("dates, caps, 1 a search", {"photos_per_search": 1}),
    Way("dates, caps, 10 a search (default)", {}),
    Way("dates, caps, 50 a search", {"photos_per_search": 50}),
)


def main() -> None:
    """Print one row for each way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=int, default=500_000)
    parser.add_argument("--draws", type=int, default=2000, help="photographs drawn in each way")
    given = parser.parse_args()
    flickr = SyntheticFlickr(given.photos)
    print(f"{given.photos} photographs on the synthetic Flickr, {given.draws} drawn in each way")
    print("way | calls | newest year | Decembers | draws | year: chi2/df, p | month: chi2/df, p | "
          "10 most frequent owners | largest share of an owner's day")  # fmt: skip
    all_moments = [datetime.fromtimestamp(int(one), UTC) for one in flickr.moments[::50]]
    all_owners = [str(one) for one in flickr.owners[::50]]
    print(describe("Flickr itself (every 50th)", 0, all_moments, all_owners, all_moments))
    for way in WAYS:
        flickr.calls = 0
        with tempfile.TemporaryDirectory() as folder:
            found = draw(Path(folder) / "party", flickr, way, given.draws)
        print(describe(way.name, flickr.calls, *found))


def draw(
    folder: Path, flickr: SyntheticFlickr, way: Way, count: int
) -> tuple[list[datetime], list[str], list[datetime]]:
    """When the drawn photographs were uploaded, by whom, and one moment of each draw."""
    from sqlalchemy import select

    from catalog.tables import Photo

    make_party(folder, name="Benchmark", preset="voc2012")
    with open_party(folder) as party:
        drawer = make_drawer(party, flickr, way)
        found = 0
        while found < count:
            found += drawer.draw()
        with party.catalogue.reading() as session:
            rows = session.execute(
                select(Photo.uploaded_at, Photo.owner_id, Photo.found_at).order_by(Photo.id)
            ).all()
    chosen = [(at, str(owner), found_at) for at, owner, found_at in rows[:count] if at]
    by_draw: dict[datetime, list[datetime]] = {}
    for at, _owner, found_at in chosen:
        by_draw.setdefault(found_at, []).append(at)
    rng = random.Random(1)
    one_each = [rng.choice(moments) for moments in by_draw.values()]
    return [at for at, *_rest in chosen], [owner for _at, owner, _found in chosen], one_each


def make_drawer(party: Party, flickr: SyntheticFlickr, way: Way) -> Drawer:
    """The collector's own draws, on the synthetic Flickr."""
    settings = replace(party.settings.collect, first_date=FIRST, last_date=LAST, **way.collect)
    with party.catalogue.writing() as session:
        seed_queries(session, {"cat": ["tabby"]})
        keywords = load_keywords(session, {"cat": ["tabby"]})
    licences = get_licences(settings.licences)
    rules = DrawRules(2007, 0, whole_range(FIRST, LAST), licences, settings)
    learnt = Learnt(party.catalogue, settings.dates, ",".join(licences))
    clock = Clock(lambda: datetime.now(UTC), lambda _secs: None)
    draws = Draws(rules, keywords, Uniform())
    return Drawer(draws, cast(Flickr, flickr), party.catalogue, clock, learnt)


def describe(
    name: str,
    calls: int,
    moments: Sequence[datetime],
    owners: Sequence[str],
    one_each: Sequence[datetime],
) -> str:
    """One row of the table; `one_each` are the draws that the tests count."""
    drawn_years = Counter(moment.year for moment in one_each)
    drawn_months = Counter(moment.month for moment in one_each)
    years = Counter(moment.year for moment in moments)
    months = Counter(moment.month for moment in moments)
    days = Counter((owner, moment.date()) for owner, moment in zip(owners, moments, strict=True))
    top = sum(count for _owner, count in Counter(owners).most_common(10))
    total = len(moments)
    return " | ".join(
        (
            name,
            str(calls),
            f"{years[LAST.year] / total:.1%}",
            f"{months[12] / total:.1%}",
            str(len(one_each)),
            _test([drawn_years[year] for year in range(FIRST.year, LAST.year + 1)]),
            _test([drawn_months[month] for month in range(1, 13)]),
            f"{top / total:.1%}",
            f"{max(days.values())}",
        )
    )


def _test(counts: Sequence[int]) -> str:
    found = chisquare(counts)
    return f"{found.statistic / (len(counts) - 1):.2f}, p = {found.pvalue:.2g}"


if __name__ == "__main__":
    random.seed(0)
    main()
