"""Image hosts: which are allowed, and how they are named."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

from urllib3.exceptions import LocationParseError
from urllib3.util import parse_url

from .errors import PhotoBrokenError, Reason

NO_HOST = "The image host"
_LONGEST_NAME = 200  # characters that the catalogue has for it
_PORTS = {"http": 80, "https": 443}
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_UNICAST = ipaddress.ip_network("2000::/3")
"""All of IPv6 that was ever given to the open internet (IANA, IPv6 Address Space)."""


@dataclass(frozen=True)
class Endpoint:
    """Whom a URL leads to."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


class ImageHosts:
    """The hosts of image_hosts in party.toml: `host`, over HTTPS on its usual port, or `host:port`.

    Only one that is configured with its port may have a private address, as the stand-in has.
    """

    def __init__(self, entries: Iterable[str]) -> None:
        self._entries = frozenset(entry.lower() for entry in entries)

    def check_url(self, url: str) -> Endpoint:
        """The endpoint of an allowed URL; raises PhotoBrokenError for any other."""
        endpoint = parse_endpoint(url)
        if endpoint is None:
            raise PhotoBrokenError(Reason.FOREIGN_ADDRESS, "not a web address")
        if not self.allows(endpoint):
            raise PhotoBrokenError(Reason.FOREIGN_ADDRESS, f"{endpoint} is not in image_hosts")
        return endpoint

    def allows(self, endpoint: Endpoint) -> bool:
        """Whether the endpoint is one of the configured hosts."""
        is_usual = endpoint.scheme == "https" and endpoint.port == _PORTS["https"]
        return self._is_exact(endpoint) or (is_usual and endpoint.host in self._entries)

    def check_peer(self, endpoint: Endpoint, address: str) -> None:
        """Raise PhotoBrokenError where a name led to a private address without being meant to."""
        if not is_public(address) and not self._is_exact(endpoint):
            detail = f"{endpoint} leads to the private address {address}"
            raise PhotoBrokenError(Reason.FOREIGN_ADDRESS, detail)

    def _is_exact(self, endpoint: Endpoint) -> bool:
        return f"{endpoint.host}:{endpoint.port}" in self._entries


def parse_endpoint(url: str) -> Endpoint | None:
    """The endpoint of an http or https URL without user name, or None of anything else.

    The parser is the one of the library that makes the connection, so that both read alike.
    """
    end = url.find("/", len("https://"))
    try:
        parsed = parse_url(url if end < 0 else url[:end])
    except LocationParseError:
        return None
    scheme, host = (parsed.scheme or "").lower(), (parsed.host or "").lower().strip("[]")
    if scheme not in _PORTS or not host or parsed.auth is not None:
        return None
    return Endpoint(scheme, host, parsed.port or _PORTS[scheme])


def name_host(url: str) -> str:
    """The name that an address's host rests under; one for all that lead nowhere."""
    endpoint = parse_endpoint(url)
    return NO_HOST if endpoint is None else endpoint.host[:_LONGEST_NAME]


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the open internet; private ones wrapped in IPv6 do not."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo and found.teredo[1])
        if found in _NAT64:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner:
            return is_public(str(inner))
        if found not in _UNICAST:  # site-local, an IPv4 address behind zeros, a network's own NAT64
            return False
    return found.is_global and not found.is_multicast
