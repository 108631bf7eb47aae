"""Limits and rests of a host, on a real server that is called by two names."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pytest

from catalog.party import Party
from catalog.settings import CollectSettings
from catalog.states import PhotoState
from collect.addresses import ImageHosts
from collect.download import Downloader
from collect.host_limits import HostLimits
from collect.job import Order, load_progress, run_collect
from simulate.flickr.server import StandIn

from .flickrs import at_flickr, make_library
from .loopback import Handler, Loopback
from .pictures import jpeg_bytes
from .rows import add_photos, load_photo

NAMES = ("127.0.0.1", "localhost")
PATIENCE_SECS = 60


@dataclass
class Crowd:
    """Answers only when so many requests are being answered at once, and counts by host."""

    at_once: int
    most: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._barrier = threading.Barrier(self.at_once)
        self._lock = threading.Lock()
        self._inside: Counter[str] = Counter()

    def answer(self, tint: int) -> Callable[[Handler], None]:
        def send(handler: Handler) -> None:
            with self._entered(handler.headers["Host"].partition(":")[0]):
                self._barrier.wait(PATIENCE_SECS)
            handler.send(200, jpeg_bytes(200, 150, tint=tint), Content_Type="image/jpeg")

        return send

    @contextmanager
    def _entered(self, host: str) -> Iterator[None]:
        with self._lock:
            self._inside[host] += 1
            self.most[host] = max(self.most[host], self._inside[host])
        yield
        with self._lock:
            self._inside[host] -= 1


def port_of(loopback: Loopback) -> str:
    return loopback.host.partition(":")[2]


def urls_of(loopback: Loopback, answers: Crowd, each: int) -> list[str]:
    """Addresses of both names, taken in turns, each of another picture."""
    urls = []
    for number in range(each * len(NAMES)):
        path = f"/{number}.jpg"
        loopback.answers[path] = answers.answer(number * 9)
        urls.append(f"http://{NAMES[number % len(NAMES)]}:{port_of(loopback)}{path}")
    return urls


def hosts_of(loopback: Loopback) -> tuple[str, ...]:
    return tuple(f"{name}:{port_of(loopback)}" for name in NAMES)


def fetch_all(urls: list[str], hosts: tuple[str, ...], limits: HostLimits) -> list[bytes]:
    settings = CollectSettings(read_timeout_secs=PATIENCE_SECS, total_timeout_secs=PATIENCE_SECS)

    def fetch(url: str) -> bytes:
        with limits.taking(url), closing(Downloader(ImageHosts(hosts), settings)) as downloader:
            return downloader.fetch(url)

    with ThreadPoolExecutor(len(urls)) as threads:
        return list(threads.map(fetch, urls))


def test_no_host_is_asked_for_more_at_once_than_is_allowed(loopback: Loopback) -> None:
    crowd = Crowd(at_once=4)
    urls = urls_of(loopback, crowd, each=6)
    assert all(fetch_all(urls, hosts_of(loopback), HostLimits(12, 2)))
    assert crowd.most == dict.fromkeys(NAMES, 2)


def test_all_hosts_together_are_asked_for_no_more_than_the_workers_allow(
    loopback: Loopback,
) -> None:
    crowd = Crowd(at_once=3)
    urls = urls_of(loopback, crowd, each=6)
    assert all(fetch_all(urls, hosts_of(loopback), HostLimits(3, 3)))
    assert max(crowd.most.values()) <= 3


def test_whoever_waits_for_a_busy_host_keeps_nobody_from_another(loopback: Loopback) -> None:
    limits, is_asked = HostLimits(2, 1), threading.Event()
    busy, free = (f"http://{name}/" for name in NAMES)
    inside, waiting = threading.Event(), threading.Barrier(3)

    def hold() -> bool:
        with limits.taking(busy):
            inside.set()
            waiting.wait(PATIENCE_SECS)
            return is_asked.wait(PATIENCE_SECS)

    def queue() -> bool:
        inside.wait(PATIENCE_SECS)
        waiting.wait(PATIENCE_SECS)
        with limits.taking(busy):
            return True

    with ThreadPoolExecutor(2) as threads:
        held, queued = threads.submit(hold), threads.submit(queue)
        waiting.wait(PATIENCE_SECS)
        with limits.taking(free):
            is_asked.set()
        assert held.result()
        assert queued.result()


def test_an_address_that_leads_nowhere_needs_no_host() -> None:
    limits = HostLimits(3, 1)
    with limits.taking("mailto:ann"), limits.taking("mailto:ann"), limits.taking(""):
        assert limits.is_by_host  # and nobody waited for the one place that a host has


@pytest.fixture
def flickr(tmp_path: Path) -> Iterator[StandIn]:
    with StandIn(make_library(tmp_path / "pictures", 5), cache_folder=tmp_path / "c") as running:
        yield running


def test_the_collector_keeps_to_the_limit_of_each_host(
    party: Party, flickr: StandIn, loopback: Loopback
) -> None:
    crowd = Crowd(at_once=2)
    urls = urls_of(loopback, crowd, each=4)
    party = at_flickr(
        party,
        flickr,
        workers=4,
        downloads_per_host=1,
        read_timeout_secs=PATIENCE_SECS,
        total_timeout_secs=PATIENCE_SECS,
    )
    at_both = replace(party.settings.flickr, image_hosts=hosts_of(loopback))
    party = replace(party, settings=replace(party.settings, flickr=at_both))
    add_photos(party, len(urls), urls)
    run_collect(party, Order(len(urls)))
    assert load_progress(party) == len(urls)
    assert crowd.most == dict.fromkeys(NAMES, 1)


def test_while_one_host_rests_the_photos_of_another_are_fetched(
    any_party: Party, flickr: StandIn, loopback: Loopback
) -> None:
    resting, going_on, rest_secs, workers = 30, 4, 120, 2
    for number in range(resting):
        loopback.answers[f"/rests/{number}.jpg"] = lambda handler: handler.send(
            429, Retry_After=str(rest_secs)
        )
    for number in range(going_on):
        data = jpeg_bytes(200, 150, tint=number * 9)
        loopback.answers[f"/{number}.jpg"] = partial(Handler.send, status=200, body=data)
    port = port_of(loopback)
    urls = [f"http://localhost:{port}/rests/{number}.jpg" for number in range(resting)]
    urls += [f"http://127.0.0.1:{port}/{number}.jpg" for number in range(going_on)]
    party = at_flickr(any_party, flickr, workers=workers)
    at_both = replace(party.settings.flickr, image_hosts=hosts_of(loopback))
    party = replace(party, settings=replace(party.settings, flickr=at_both))
    photo_ids = add_photos(party, len(urls), urls)
    began_secs = time.monotonic()
    run_collect(party, Order(going_on))
    assert time.monotonic() - began_secs < rest_secs
    photos = [load_photo(party, photo_id) for photo_id in photo_ids]
    assert [it.state for it in photos[resting:]] == [PhotoState.FETCHED] * going_on
    assert {(it.state, it.attempts) for it in photos[:resting]} == {(PhotoState.FOUND, 0)}
    asked = [path for path in loopback.server.paths if path.startswith("/rests/")]
    assert 1 <= len(asked) <= 3 * workers  # once by each thread at most
