"""The stand-in as a function from request to response; it opens no socket and keeps no state."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

from .failures import FlickrFailure, make_failure
from .formats import format_failure, format_reply
from .images import NOT_FOUND, answer_image, is_image_path
from .library import Library
from .messages import Request, Response
from .methods import call
from .renditions import Renditions

REST_PATH = "/services/rest/"
MAX_KEY_LENGTH = 200

_OAUTH_PAIR = re.compile(r'(oauth_\w+)="([^"]*)"')


@dataclass(frozen=True)
class Site:
    """What is served: photos, their rendered sizes, and the keys that are accepted (None: any)."""

    library: Library
    renditions: Renditions = field(default_factory=Renditions)
    keys: frozenset[str] | None = None


def answer(site: Site, request: Request) -> Response:
    """What Flickr's API or image host would answer."""
    if request.method not in {"GET", "POST", "HEAD"}:
        return Response(status=405, headers=(("Allow", "GET, POST, HEAD"),))
    if is_rest_path(request.path):
        return _answer_call(site, request)
    if is_image_path(request.path):
        return answer_image(site.library, site.renditions, request)
    return NOT_FOUND


def is_rest_path(path: str) -> bool:
    """Whether a path is that of the REST interface."""
    return path in {REST_PATH, REST_PATH.rstrip("/")}


def with_oauth(request: Request) -> Request:
    """The request with the key of its OAuth header as `api_key`; the signature is not checked."""
    pairs = dict(_OAUTH_PAIR.findall(request.headers.get("authorization", "")))
    if "oauth_consumer_key" not in pairs:
        return request
    return replace(request, args={**request.args, "api_key": unquote(pairs["oauth_consumer_key"])})


def _answer_call(site: Site, request: Request) -> Response:
    args = with_oauth(request).args
    try:
        _check_key(site, args)
        return format_reply(call(site.library, args, request.base_url), args)
    except FlickrFailure as failure:
        return format_failure(failure, args)


def _check_key(site: Site, args: Mapping[str, str]) -> None:
    key = args.get("api_key") or args.get("oauth_consumer_key") or ""
    if not 0 < len(key) <= MAX_KEY_LENGTH or (site.keys is not None and key not in site.keys):
        raise make_failure(100)
