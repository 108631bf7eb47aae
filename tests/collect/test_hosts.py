"""Image hosts: which may be asked, how much at once, and which rest."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

import pytest

from catalog.settings import CollectSettings
from collect.errors import HostRefusesError, PhotoBrokenError
from collect.fetching import Downloads
from collect.hosts import Endpoint, HostRests, ImageHosts, is_public
from collect.pauses import Backoff, Pauses

from .clocks import TestClock
from .loopback import Handler, Loopback
from .pictures import jpeg_bytes

HOSTS = ImageHosts(["live.staticflickr.com", "127.0.0.1:8123", "mirror.example:443"])


@pytest.mark.parametrize(
    "url",
    [
        "https://live.staticflickr.com/65535/1_a.jpg",
        "https://LIVE.staticflickr.com:443/65535/1_a.jpg",
        "http://127.0.0.1:8123/1.jpg",
        "https://mirror.example/1.jpg",
    ],
)
def test_configured_hosts_are_allowed(url: str) -> None:
    HOSTS.check_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/1.jpg",
        "https://live.staticflickr.com.example.com/1.jpg",
        "http://live.staticflickr.com/1.jpg",
        "https://live.staticflickr.com:8443/1.jpg",
        "https://user@live.staticflickr.com/1.jpg",
        "https://live.staticflickr.com@example.com/1.jpg",
        "https://example.com\\@live.staticflickr.com/1.jpg",
        "http://127.0.0.1/1.jpg",
        "http://127.0.0.1:8124/1.jpg",
        "http://localhost:8123/1.jpg",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]:8123/1.jpg",
        "file:///etc/passwd",
        "ftp://live.staticflickr.com/1.jpg",
        "//live.staticflickr.com/1.jpg",
        "http://[broken",
        "",
    ],
)
def test_any_other_address_is_foreign(url: str) -> None:
    with pytest.raises(PhotoBrokenError, match="foreign_address"):
        HOSTS.check_url(url)


@pytest.mark.parametrize("address", ["104.16.0.1", "2606:4700::1", "::ffff:104.16.0.1"])
def test_public_addresses_are_known(address: str) -> None:
    assert is_public(address)


PRIVATE = (
    "10.0.0.1 172.16.0.1 192.168.1.1 127.0.0.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 ::1 "
    "fe80::1%eth0 fec0::1 ::127.0.0.1 ::10.0.0.1 64:ff9b:1::a00:1 5f00::1 fd00::1 "
    "::ffff:10.0.0.1 64:ff9b::10.0.0.1 2002:a00:1::1 nonsense"
)


@pytest.mark.parametrize("address", PRIVATE.split())
def test_private_and_link_local_addresses_are_known_in_every_disguise(address: str) -> None:
    assert not is_public(address)


def test_a_configured_name_that_leads_to_a_private_address_is_refused() -> None:
    with pytest.raises(PhotoBrokenError, match=r"private address 192\.168\.1\.1"):
        HOSTS.check_peer(Endpoint("https", "live.staticflickr.com", 443), "192.168.1.1")


def test_a_host_configured_with_its_port_may_have_a_private_address() -> None:
    HOSTS.check_peer(Endpoint("http", "127.0.0.1", 8123), "127.0.0.1")


ONE, ANOTHER = "https://one.example/a.jpg", "https://another.example:8443/b.jpg"


def make_rests(time: TestClock) -> HostRests:
    pauses = Pauses(time.clock, Backoff(1, 2, 60), random.Random(0), most_in_a_row=3)
    return HostRests(pauses)


def test_a_rest_is_the_hosts_own() -> None:
    rests = make_rests(TestClock())
    rests.refuse(ONE, "HTTP 429", 30)
    assert rests.left_secs(ONE.replace("a.jpg", "c.jpg")) == 30
    assert rests.left_secs(ANOTHER) == 0


def test_all_rest_until_the_first_is_back_and_only_if_every_known_one_does() -> None:
    time = TestClock()
    rests = make_rests(time)
    assert rests.left_secs_of_all() == 0
    for url, secs in ((ONE, 30), (ANOTHER, 20)):
        assert rests.left_secs(url) == 0
        assert rests.left_secs_of_all() == 0
        rests.refuse(url, "HTTP 429", secs)
    assert rests.left_secs_of_all() == 20
    time.pass_secs(20)
    assert rests.left_secs_of_all() == 0


def test_addresses_that_lead_nowhere_share_a_name() -> None:
    rests = make_rests(TestClock())
    rests.refuse("mailto:ann", "HTTP 503", 5)
    assert rests.left_secs("") == 5
    assert rests.left_secs(ONE) == 0


def give_up(rests: HostRests, url: str) -> HostRefusesError:
    rests.left_secs(url)
    rests.refuse(url, "HTTP 429", 7200)
    refusal = rests.find_refusal(url)
    assert refusal is not None
    return refusal


def test_a_host_that_is_given_up_ends_nothing_while_another_is_known() -> None:
    time = TestClock()
    rests = make_rests(time)
    assert rests.left_secs(ANOTHER) == 0
    refusal = give_up(rests, ONE)
    assert "one.example asks to come back after 7200 s" in str(refusal)
    assert rests.given_up == {"one.example": refusal}
    assert rests.find_refusal(ANOTHER) is None
    rests.refuse(ANOTHER, "HTTP 503", 20)
    assert rests.left_secs_of_all() == 20  # of those that will be asked again
    time.pass_secs(20)
    give_up(rests, ANOTHER)
    assert rests.find_busy() == {"one.example", "another.example"}


def test_a_host_that_answers_after_all_is_asked_again() -> None:
    rests = make_rests(TestClock())
    give_up(rests, ONE)
    rests.succeed(ONE)
    assert rests.find_refusal(ONE) is None
    assert rests.given_up == {}


def test_hosts_that_rest_or_were_given_up_are_busy() -> None:
    time = TestClock()
    rests = make_rests(time)
    give_up(rests, ONE)
    rests.left_secs(ANOTHER)
    assert rests.find_busy() == {"one.example"}
    rests.refuse(ANOTHER, "HTTP 503", 20)
    assert rests.find_busy() == {"one.example", "another.example"}
    time.pass_secs(20)
    assert rests.find_busy() == {"one.example"}


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


def test_all_hosts_together_are_asked_for_no_more_than_the_workers_allow(
    loopback: Loopback,
) -> None:
    crowd, hosts = Crowd(at_once=3), ImageHosts(hosts_of(loopback))
    urls = urls_of(loopback, crowd, each=6)
    settings = CollectSettings(read_timeout_secs=PATIENCE_SECS, total_timeout_secs=PATIENCE_SECS)
    with (
        closing(Downloads(hosts, settings, at_once=3)) as downloads,
        ThreadPoolExecutor(len(urls)) as threads,
    ):
        assert all(threads.map(downloads.fetch, urls))
    assert max(crowd.most.values()) <= 3
