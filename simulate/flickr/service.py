"""The stand-in without its sockets: answers, lets faults strike, counts the requests."""

from __future__ import annotations

import threading
from collections import Counter

from .api import REST_PATHS, answer_call
from .commons import COMMONS_PATH, answer_query
from .faults import LANDED, NO_FAULTS, TURN, Fault, FaultKind, Faults, Host, spoil
from .images import SIDES_PX, answer_image, is_image_path
from .messages import Request, Response
from .search import Library


class Service:
    """Answers requests from any number of threads. `faults` may be changed at any time."""

    def __init__(self, library: Library, faults: Faults = NO_FAULTS) -> None:
        self.library, self.faults = library, faults
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
        response = answer(self.library, request)
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


def answer(library: Library, request: Request) -> Response:
    """What the API or the image host of Flickr or Wikimedia Commons would answer."""
    if request.method not in {"GET", "POST", "HEAD"}:
        return Response(status=405, headers=(("Allow", "GET, POST, HEAD"),))
    if request.path in REST_PATHS:
        return answer_call(library, request)
    if request.path == COMMONS_PATH:
        return answer_query(library, request)
    if is_image_path(request.path):
        return answer_image(library, request)
    return Response(status=404)


def find_host(request: Request) -> Host | None:
    """Which of the two hosts a request is for."""
    if request.path in REST_PATHS or request.path == COMMONS_PATH:
        return Host.API
    return Host.IMAGE if is_image_path(request.path) else None


def find_kind(request: Request) -> str:
    """The name under which a request is counted."""
    if request.path in REST_PATHS:
        return request.args.get("method", "no method")
    if request.path == COMMONS_PATH:
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
