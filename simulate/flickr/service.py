"""The stand-in without its sockets: answers, lets faults strike, counts the requests."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass

from .api import answer_call, is_rest_path
from .commons import answer_query, is_commons_path
from .faults import NO_FAULTS, Fault, FaultKind, Faults, Host
from .images import SIDES_PX, answer_image, is_image_path
from .library import Library
from .messages import Request, Response
from .spoil import LANDED, TURN, spoil


@dataclass(frozen=True)
class Site:
    """What is served: photos, and the accepted keys (None: any)."""

    library: Library
    keys: frozenset[str] | None = None


class Service:
    """Answers requests from any number of threads. `faults` may be changed at any time."""

    def __init__(self, site: Site, faults: Faults = NO_FAULTS) -> None:
        self.site, self.faults = site, faults
        self._counts: Counter[str] = Counter()
        self._attempts: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def requests(self) -> Counter[str]:
        """The number of requests of each API method, "image", "placeholder", "fault ..." etc."""
        with self._lock:
            return Counter(self._counts)

    def respond(self, request: Request) -> Response:
        """The answer to a request, spoiled where a fault strikes."""
        target = find_target(request)
        struck = self._draw(request, target)
        response = answer(self.site, request)
        for fault in struck:
            response = spoil(response, fault, request)
        with self._lock:
            self._counts[find_kind(request)] += 1
            self._counts.update(f"fault {fault.name}" for fault in struck)
        return response

    def _draw(self, request: Request, target: str) -> tuple[Fault, ...]:
        host = find_host(request)
        if host is None or not self.faults.rules or LANDED in request.args:
            return ()
        if TURN in request.args:
            return (Fault(FaultKind.REDIRECT_LOOP),)
        with self._lock:
            attempt = self._attempts[target]
            self._attempts[target] += 1
        return self.faults.draw(host, target, attempt)


def answer(site: Site, request: Request) -> Response:
    """What the API or the image host of Flickr or Wikimedia Commons would answer."""
    if request.method not in {"GET", "POST", "HEAD"}:
        return Response(status=405, headers=(("Allow", "GET, POST, HEAD"),))
    if is_rest_path(request.path):
        return answer_call(site.library, site.keys, request)
    if is_commons_path(request.path):
        return answer_query(site.library, request)
    if is_image_path(request.path):
        return answer_image(site.library, request)
    return Response(status=404)


def find_host(request: Request) -> Host | None:
    """Which of the two hosts a request is for."""
    if is_rest_path(request.path) or is_commons_path(request.path):
        return Host.API
    return Host.IMAGE if is_image_path(request.path) else None


def find_kind(request: Request) -> str:
    """The name under which a request is counted."""
    if is_rest_path(request.path):
        return request.args.get("method", "no method")
    if is_commons_path(request.path):
        return "commons search" if "gsrsearch" in request.args else "commons pages"
    if request.path in SIDES_PX:
        return "placeholder"
    return "image" if is_image_path(request.path) else "other"


def find_target(request: Request) -> str:
    """What a request is for: the same for each attempt at the same thing."""
    if find_host(request) is not Host.API:
        return request.path
    asked = sorted(pair for pair in request.args.items() if not pair[0].startswith("oauth_"))
    return " ".join((request.args.get("method", ""), *(f"{name}={value}" for name, value in asked)))
