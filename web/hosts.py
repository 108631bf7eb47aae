"""Which Host a request may name: one that can be an address of this server, not below a path."""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv6Address, ip_address
from urllib.parse import urlsplit

_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_HOST = re.compile(rf"(?:{_LABEL}(?:\.{_LABEL})*\.?|\[[0-9A-Fa-f:.]+\])(?::\d{{1,5}})?")
"""Labels of a name (RFC 1123, section 2.1, and the underscore of some networks), or an address."""
MOST_SIGNS = 260
MALFORMED = "The Host of this request is malformed.\n"
BELOW_PATH = (
    "A proxy serves this {place} below a path (X-Forwarded-Prefix), where no page would find its "
    "files. Give the {place} a host name or a port of its own.\n"
)


def find_refusal(host: str, prefix: str, place: str) -> str | None:
    """Why a request to this host, below this path of a proxy, is refused; None where it is not.

    `place` is what is served: a party or a challenge.
    """
    if not is_host(host):
        return MALFORMED
    return BELOW_PATH.format(place=place) if prefix.strip("/ ") else None


def is_host(host: str) -> bool:
    """Whether the Host header is a name or an address, with or without a port."""
    if len(host) > MOST_SIGNS or not _HOST.fullmatch(host):
        return False
    return not host.startswith("[") or _is_address(host[1 : host.index("]")])


def _is_address(text: str) -> bool:
    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return True


def is_this_computer(url: str) -> bool:
    """Whether the address leads every computer to itself, and so means another one elsewhere.

    As 0.0.0.0 does, which a server that listens to all gives as its address.
    """
    host = urlsplit(url).hostname or ""
    try:
        address = ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified
