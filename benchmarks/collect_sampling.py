"""How even the dates of collected photographs are, and what that costs in calls of the API.

The uploads of a library, which each keyword of a class finds, grow over 15 years; uniform dates put
a third of the photographs into the last five. The collector's own draws search a stand-in for
flickr.photos.search that shows the newest 4,000 results and then repeats them. Each December has
twice its share, and a few owners post most.

    python -m benchmarks.collect_sampling --runs 12
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import numpy as np
from sqlalchemy import select

from catalog.licences import LICENCES
from catalog.party import make_party, open_party
from catalog.tables import Photo
from collect.draws import Drawer
from collect.flickr import Flickr, search_arguments
from collect.pauses import Clock
from collect.results import FoundPhoto, Question, Results

FIRST = date(2005, 1, 1)
LAST = date(2019, 12, 31)
LAST_FIVE = 2015
OWNERS = 20_000
NEWEST = 4000


@dataclass(frozen=True)
class Library:
    """How many photographs there are; the last day has `growth` times as many as the first."""

    photos: int
    growth: float
    burst: int = 1
    """Photographs of one owner's one day."""


@dataclass(frozen=True)
class Way:
    """One way to collect: its name, and settings of collect."""

    name: str
    collect: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Found:
    """Dates and owners of what one run found, and the calls that it took."""

    moments: tuple[datetime, ...]
    owners: tuple[str, ...]
    calls: int

    @property
    def recent_share(self) -> float:
        """The share of the last five of the fifteen years."""
        return sum(moment.year >= LAST_FIVE for moment in self.moments) / len(self.moments)


NO_CAPS = {"photos_per_owner": 10**9, "photos_per_owner_and_day": 10**9}
AS_IN_2007 = Way("2007: no dates, no caps", {"dates": "none", "photos_per_search": 1, **NO_CAPS})
WAYS = (AS_IN_2007, *(Way(f"{n} a search", {"photos_per_search": n}) for n in (1, 2, 5, 10)))
CLOCK = Clock(lambda: datetime.now(UTC), lambda _secs: None)
LIBRARIES = tuple(Library(n, growth) for n in (3_000, 12_000, 500_000) for growth in (1, 5, 20))


class SyntheticFlickr:
    """The photographs of a library, sorted by upload."""

    def __init__(self, library: Library, seed: int = 1) -> None:
        rng = np.random.default_rng(seed)
        days = (LAST - FIRST).days + 1
        months = [(FIRST + timedelta(days=day)).month for day in range(days)]
        weight = library.growth ** (np.arange(days) / days)
        weight *= np.where(np.array(months) == 12, 2, 1)
        bursts = library.photos // library.burst
        day = rng.choice(days, bursts, p=weight / weight.sum())
        shares = 1 / np.arange(1, OWNERS + 1)
        owner = rng.choice(OWNERS, bursts, p=shares / shares.sum())
        start = datetime(FIRST.year, 1, 1, tzinfo=UTC).timestamp()
        moments = start + np.repeat(day, library.burst) * 86_400
        moments = moments + rng.integers(0, 86_400, len(moments))
        order = np.argsort(moments)
        self.moments = moments[order].astype(np.int64)
        self.owners = np.repeat(owner, library.burst)[order]
        self.calls = 0

    kind = Flickr.kind
    name = Flickr.name
    per_page = Flickr.per_page
    reachable = Flickr.reachable
    shortest_secs = Flickr.shortest_secs

    def search(self, question: Question) -> Results:
        """The page of a search as Flickr gives it: the newest 4,000 results, then repeated."""
        arguments = search_arguments(question)
        self.calls += 1
        first = arguments.get("min_upload_date")
        last = arguments.get("max_upload_date")
        low = int(np.searchsorted(self.moments, int(first))) if first else 0
        high = int(np.searchsorted(self.moments, int(last), "right")) if last else len(self.moments)
        reach = min(high - low, NEWEST)
        size = int(arguments["per_page"])
        page = int(arguments["page"])
        slots = range((page - 1) * size, min(page * size, high - low))
        every_photo = tuple(self._photo(high - 1 - slot % reach) for slot in slots)
        return Results(high - low, every_photo, len(every_photo))

    def close(self) -> None:
        """There is no connection."""

    def _photo(self, position: int) -> FoundPhoto:
        return FoundPhoto(
            source_id=str(position + 1),
            owner_id=f"{self.owners[position]}@N99",
            owner_name="",
            title="",
            tags="",
            licence=LICENCES["4"],
            taken_at_text=None,
            taken_at_unknown=True,
            uploaded_at=datetime.fromtimestamp(int(self.moments[position]), UTC),
            image_url="https://live.staticflickr.com/1/2_3.jpg",
            promised_width=500,
            promised_height=375,
            page_url="https://www.flickr.com/",
        )


def main() -> None:
    """Print one row for each library and way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=12, help="runs of each way")
    parser.add_argument("--photos", type=int, default=300, help="photographs of each run")
    given = parser.parse_args()
    chance = (2 / 9 / given.photos) ** 0.5
    print(f"{given.runs} runs of {given.photos} photographs; by chance alone 33.3 % ± {chance:.1%}")
    heads = (
        "library",
        "growth",
        "way",
        "last 5 of 15 years",
        "runs differ by",
        "largest",
        "calls a photo",
        "10 most frequent owners",
    )
    print(" | ".join(heads))
    for library in LIBRARIES:
        for way in WAYS if library == LIBRARIES[-1] else WAYS[1:]:
            results = [run(library, way, given.photos, seed) for seed in range(given.runs)]
            print(" | ".join(describe(library, way, results)), flush=True)


def run(library: Library, way: Way, count: int, seed: int) -> Found:
    """What one run of the collector's own draws found."""
    flickr = SyntheticFlickr(library, seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "party"
        make_party(folder, name="Benchmark", preset="voc2012")
        with open_party(folder) as party:
            settings = replace(
                party.settings.collect, first_date=FIRST, last_date=LAST, **way.collect
            )
            party = replace(party, settings=replace(party.settings, collect=settings))
            api = cast(Flickr, flickr)
            drawer = Drawer(party, ("cat",), seed, count, count, api, CLOCK, 200)
            drawn = 0
            while drawn < count and not drawer.is_dry:
                drawn += drawer.draw()
            with party.catalogue.reading() as session:
                rows = session.execute(
                    select(Photo.uploaded_at, Photo.owner_id).order_by(Photo.id).limit(count)
                ).all()
    moments = tuple(at for at, _owner in rows if at is not None)
    return Found(moments, tuple(str(owner) for _at, owner in rows), flickr.calls)


def describe(library: Library, way: Way, results: list[Found]) -> list[str]:
    """One row of the table."""
    shares = [result.recent_share for result in results]
    calls = sum(result.calls for result in results) / sum(len(result.moments) for result in results)
    top = statistics.mean(share_of_ten(result) for result in results)
    return [
        f"{library.photos:,}",
        f"{library.growth:g}",
        way.name,
        f"{statistics.mean(shares):.1%}",
        f"{statistics.pstdev(shares):.1%}",
        f"{max(shares):.1%}",
        f"{calls:.2f}",
        f"{top:.1%}",
    ]


def share_of_ten(result: Found) -> float:
    """The share of the ten most frequent owners."""
    most = Counter(result.owners).most_common(10)
    return sum(count for _owner, count in most) / len(result.owners)


if __name__ == "__main__":
    main()
