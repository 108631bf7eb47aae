"""A stand-in Flickr with small pictures, parties that collect from it, and one that waits."""

import itertools
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from catalog.party import Party
from catalog.settings import FlickrSettings
from collect.asking import CallBudget
from collect.flickr import Flickr
from collect.pauses import Backoff, Pauses
from simulate.flickr.faults import Fault, FaultKind, Faults, Host, Rule, parse_rule
from simulate.flickr.folder import read_library
from simulate.flickr.search import Library
from simulate.flickr.server import StandIn
from simulate.flickr.table import write_table

from .pictures import jpeg_bytes
from .rows import TestClock

CLASSES = ("cat", "dog", "sheep", "train", "sofa")


def make_pictures(folder: Path, count: int, *, size_wh: tuple[int, int] = (320, 240)) -> Path:
    """A folder of different pictures with titles of VOC's classes, uploaded over eight years."""
    rows = []
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        name = f"{number:04}.jpg"
        (folder / name).write_bytes(jpeg_bytes(*size_wh, tint=number * 7))
        shown = CLASSES[number % len(CLASSES)]
        row = {"file": name, "title": f"Our {shown}", "tags": shown, "licence": "4"}
        row["owner"] = f"owner {number % 4}"
        day = f"{2010 + number % 8}-{1 + number % 12:02}-{1 + number % 28:02}"
        rows.append(row | {"uploaded": f"{day} 10:00"})
    write_table(folder, rows)
    return folder


def make_library(folder: Path, count: int = 40) -> Library:
    return read_library(make_pictures(folder, count))


PATIENCE_SECS = 30.0
"""Limits for tests that are not about time, long enough for a busy machine."""


def leading_to(flickr: StandIn, **values: Any) -> dict[str, Any]:
    """Values of party.toml that point to the stand-in, and further ones of [flickr]."""
    hosts = {"api_url": flickr.api_url, "image_hosts": [flickr.image_host]}
    return {"flickr": {"key": "k3y", "calls_per_hour": 1_000_000, **hosts, **values}}


def at_flickr(party: Party, flickr: StandIn, **collect: Any) -> Party:
    """The party with settings that point to the stand-in."""
    values = {
        "first_date": date(2010, 1, 1),
        "last_date": date(2017, 12, 31),
        "workers": 3,
        "seed": 1,
        "connect_timeout_secs": PATIENCE_SECS,
        "read_timeout_secs": PATIENCE_SECS,
        "total_timeout_secs": PATIENCE_SECS,
        **collect,
    }
    there: dict[str, Any] = {"image_hosts": (flickr.image_host,), "calls_per_hour": 1_000_000}
    there["timeout_secs"] = PATIENCE_SECS
    known = party.settings
    settings = replace(
        known,
        flickr=replace(known.flickr, key="k3y", api_url=flickr.api_url, **there),
        commons=replace(known.commons, api_url=flickr.commons_url, **there),
    )
    return with_collect(with_few_queries(replace(party, settings=settings)), **values)


FEW = """classes = [
    { name = "cat", queries = ["cat", "feline"] },
    { name = "sheep", queries = ["sheep", "ram"] },
    { name = "sofa", queries = ["sofa", "chesterfield"] },
]
"""
"""The text of a preset with few queries, for parties that a command opens."""

QUERIES = 2
"""Of each class: its name, which the stand-in's titles hold, and one that none of them holds."""


def with_few_queries(party: Party) -> Party:
    """The party with some queries of `CLASSES` alone, since a run that is dry has asked each.

    Of all 289 that VOC2012's classes have, that takes seconds.
    """
    classes = tuple(
        replace(spec, queries=spec.queries[:QUERIES] if spec.name in CLASSES else ())
        for spec in party.preset.classes
    )
    return replace(party, preset=replace(party.preset, classes=classes))


def with_collect(party: Party, **values: Any) -> Party:
    """The party with other settings of [collect]."""
    collect = replace(party.settings.collect, **values)
    return replace(party, settings=replace(party.settings, collect=collect))


def make_flickr(party: Party, time: TestClock, **settings: Any) -> Flickr:
    """A client that pauses by the clock, and gives Flickr up after three faults in a row."""
    budget = CallBudget(party.catalogue, "k3y", 10_000, time.clock)
    pauses = Pauses(time.clock, Backoff(1, 2, 60), most_in_a_row=3)
    return Flickr(FlickrSettings(key="k3y", **settings), budget, pauses)


LONGEST_SECS = 200.0


@dataclass(frozen=True)
class Holding(Faults):
    """Answers the first `answered` requests of a host, and the others once `release` is set."""

    rules: tuple[Rule, ...] = (parse_rule("latency@1=0"),)  # without any, nothing is drawn
    host: Host = Host.IMAGE
    answered: int = 0
    release: threading.Event = field(default_factory=threading.Event)
    holds: threading.Event = field(default_factory=threading.Event)  # whether one waits
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def draw(self, host: Host, target: str, attempt: int) -> tuple[Fault, ...]:
        """Like Faults.draw, but wait for `release` once `answered` requests have passed."""
        if host is self.host and next(self._numbers) >= self.answered:
            self.holds.set()
            self.release.wait(LONGEST_SECS)
        return super().draw(host, target, attempt)


@dataclass(frozen=True)
class Losing(Faults):
    """Answers 404 to every request for the first `lost` photographs that are asked for."""

    lost: int = 3
    _addresses: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def draw(self, host: Host, target: str, attempt: int) -> tuple[Fault, ...]:
        """Like Faults.draw for the other photographs."""
        if host is Host.IMAGE and self._is_lost(target):
            return (Fault(FaultKind.STATUS, status=404),)
        return super().draw(host, target, attempt)

    def _is_lost(self, address: str) -> bool:
        with self._lock:
            if len(self._addresses) < self.lost and address not in self._addresses:
                self._addresses.append(address)
            return address in self._addresses
