"""Image hosts: which may be asked, and how much at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from catalog.settings import CollectSettings
from collect.errors import PhotoBrokenError
from collect.fetching import Downloads
from collect.hosts import Endpoint, ImageHosts, is_public

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


PATIENCE_SECS = 60


def test_all_hosts_together_get_no_more_than_the_workers_allow(loopback: Loopback) -> None:
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
