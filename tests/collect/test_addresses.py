"""Which addresses photographs may come from."""

from __future__ import annotations

import pytest

from collect.addresses import Endpoint, ImageHosts, is_public
from collect.errors import PhotoBrokenError

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


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("104.16.0.1", True),
        ("2606:4700::1", True),
        ("10.0.0.1", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("127.0.0.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fec0::1", False),
        ("::127.0.0.1", False),
        ("::10.0.0.1", False),
        ("64:ff9b:1::a00:1", False),
        ("5f00::1", False),
        ("fd00::1", False),
        ("::ffff:10.0.0.1", False),
        ("::ffff:104.16.0.1", True),
        ("64:ff9b::10.0.0.1", False),
        ("2002:a00:1::1", False),
        ("nonsense", False),
    ],
)
def test_private_and_link_local_addresses_are_known_in_every_disguise(
    address: str, expected: bool
) -> None:
    assert is_public(address) is expected


def test_a_configured_name_that_leads_to_a_private_address_is_refused() -> None:
    with pytest.raises(PhotoBrokenError, match=r"private address 192\.168\.1\.1"):
        HOSTS.check_peer(Endpoint("https", "live.staticflickr.com", 443), "192.168.1.1")


def test_a_host_configured_with_its_port_may_have_a_private_address() -> None:
    HOSTS.check_peer(Endpoint("http", "127.0.0.1", 8123), "127.0.0.1")
