"""Image hosts: which may be asked, how much at once, and which rest."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from catalog.settings import CollectSettings
from collect.errors import HostBusyError, HostRefusesError, PhotoBrokenError
from collect.fetching import Downloads
from collect.hosts import Endpoint, HostRests, ImageHosts, is_public
from collect.pauses import Backoff, Pauses

from .clocks import TestClock
from .loopback import Handler, Loopback

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


PUBLIC = "104.16.0.1 2606:4700::1 ::ffff:104.16.0.1"
PRIVATE = (
    "10.0.0.1 172.16.0.1 192.168.1.1 127.0.0.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 ::1 "
    "fe80::1%eth0 fec0::1 ::127.0.0.1 ::10.0.0.1 64:ff9b:1::a00:1 5f00::1 fd00::1 "
    "::ffff:10.0.0.1 64:ff9b::10.0.0.1 2002:a00:1::1 nonsense"
)


@pytest.mark.parametrize("address", (PUBLIC + " " + PRIVATE).split())
def test_private_and_link_local_addresses_are_known_in_every_disguise(address: str) -> None:
    assert is_public(address) is (address in PUBLIC.split())


def test_only_a_host_configured_with_its_port_may_have_a_private_address() -> None:
    with pytest.raises(PhotoBrokenError, match=r"private address 192\.168\.1\.1"):
        HOSTS.check_peer(Endpoint("https", "live.staticflickr.com", 443), "192.168.1.1")
    HOSTS.check_peer(Endpoint("http", "127.0.0.1", 8123), "127.0.0.1")


ONE, ANOTHER = "https://one.example/a.jpg", "https://another.example:8443/b.jpg"


def make_rests(time: TestClock) -> HostRests:
    pauses = Pauses(time.clock, Backoff(1, 2, 60), most_in_a_row=3)
    return HostRests(pauses)


def test_all_rest_until_the_first_is_back_and_only_if_every_known_one_does() -> None:
    time = TestClock()
    rests = make_rests(time)
    assert rests.left_secs_of_all() == 0
    for url, secs in ((ONE, 30), (ANOTHER, 20)):
        assert rests.left_secs(url) == 0
        assert rests.left_secs_of_all() == 0
        rests.judge(url, HostBusyError("HTTP 429", secs))
    assert rests.left_secs_of_all() == 20
    time.pass_secs(20)
    assert rests.left_secs_of_all() == 0


def give_up(rests: HostRests, url: str) -> HostRefusesError:
    rests.left_secs(url)
    rests.judge(url, HostBusyError("HTTP 429", 7200))
    refusal = rests.find_refusal(url)
    assert refusal is not None
    return refusal


def test_a_host_that_is_given_up_ends_nothing_while_another_is_known() -> None:
    time = TestClock()
    rests = make_rests(time)
    assert rests.left_secs(ANOTHER) == 0
    refusal = give_up(rests, ONE)
    assert "one.example asks for a pause of 7200 s" in str(refusal)
    assert rests.given_up == {"one.example": refusal}
    assert rests.find_refusal(ANOTHER) is None
    rests.judge(ANOTHER, HostBusyError("HTTP 503", 20))
    assert rests.left_secs_of_all() == 20  # of those that will be asked again
    time.pass_secs(20)
    give_up(rests, ANOTHER)
    assert rests.find_busy() == {"one.example", "another.example"}


def test_hosts_that_rest_or_were_given_up_are_busy_until_they_answer() -> None:
    time = TestClock()
    rests = make_rests(time)
    give_up(rests, ONE)
    rests.left_secs(ANOTHER)
    assert rests.find_busy() == {"one.example"}
    rests.judge(ANOTHER, HostBusyError("HTTP 503", 20))
    assert rests.find_busy() == {"one.example", "another.example"}
    time.pass_secs(20)
    assert rests.find_busy() == {"one.example"}
    rests.judge(ONE, None)
    assert (rests.find_refusal(ONE), rests.given_up, rests.find_busy()) == (None, {}, frozenset())


PATIENCE_SECS = 60


def test_all_hosts_together_are_asked_for_no_more_than_the_workers_allow(
    loopback: Loopback,
) -> None:
    barrier, lock, inside, most = threading.Barrier(3), threading.Lock(), [0], [0]

    def answer(handler: Handler) -> None:
        """Only when so many are being answered at once."""
        with lock:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
        barrier.wait(PATIENCE_SECS)
        with lock:
            inside[0] -= 1
        handler.send(200, b"bytes")

    hosts = [loopback.host.replace("127.0.0.1", name) for name in ("127.0.0.1", "localhost")]
    urls = [f"http://{hosts[number % 2]}/{number}.jpg" for number in range(12)]
    loopback.answers |= {f"/{number}.jpg": answer for number in range(12)}
    settings = CollectSettings(read_timeout_secs=PATIENCE_SECS, total_timeout_secs=PATIENCE_SECS)
    with (
        closing(Downloads(ImageHosts(hosts), settings, at_once=3)) as downloads,
        ThreadPoolExecutor(len(urls)) as threads,
    ):
        assert all(threads.map(downloads.fetch, urls))
    assert most == [3]
