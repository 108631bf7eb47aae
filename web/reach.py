"""How other computers reach a server, and which proxy it believes."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from typing import TYPE_CHECKING

from werkzeug.middleware.proxy_fix import ProxyFix

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_EVERY_ADDRESS = {"0.0.0.0": socket.AF_INET, "::": socket.AF_INET6}  # noqa: S104
"""What the organiser asks for to listen to all, and by which protocol."""
_ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses of no one (RFC 5737, RFC 3849)."""


def find_reach(host: str, base_url: str) -> str:
    """The address in the network of a server that listens to all; empty where there is none."""
    address = find_address_in_network(_EVERY_ADDRESS[host]) if host in _EVERY_ADDRESS else None
    if not address:
        return ""
    name = f"[{address}]" if ":" in address else address
    return f"http://{name}:{base_url.rpartition(':')[2]}"


def find_address_in_network(family: socket.AddressFamily = socket.AF_INET) -> str | None:
    """The address under which this computer is in its network, or None where it is in none.

    A datagram socket that is connected has the address that the route goes out by; nothing is sent.
    """
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((_ELSEWHERE[family], 9))
            return str(probe.getsockname()[0])
    except OSError:
        return None


def trust_proxy(app: WSGIApplication, address: str | None) -> WSGIApplication:
    """The application, told by a proxy at this address who asks and whether by https."""
    if address is None:
        return app
    behind = ProxyFix(app, x_for=1, x_proto=1, x_host=0, x_port=0, x_prefix=0)

    def choose(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        chosen = behind if environ.get("REMOTE_ADDR") == address else app
        return chosen(environ, start_response)

    return choose
