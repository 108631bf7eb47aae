"""Which photograph an address means that an owner sends, at Flickr or Wikimedia Commons."""

from __future__ import annotations

import re
from unicodedata import normalize
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

_FLICKR_PAGE = re.compile(r"/photos/[^/]+/([0-9]+)(?:/.*)?")
_FLICKR_FILE = re.compile(r"/(?:[^/]+/)*([0-9]+)_[0-9a-f]+(?:_[a-z0-9]+)?\.[a-z]+")
_FLICKR_SHORT = re.compile(r"/p/([1-9A-HJ-NP-Za-km-z]{1,12})/?")
_FLICKR_HOSTS = ("flickr.com", "staticflickr.com")
_BASE_58 = "123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"
_COMMONS_HOSTS = ("commons.wikimedia.org", "commons.m.wikimedia.org")
_COMMONS_FILE_HOSTS = ("upload.wikimedia.org", "thumb.wikimedia.org")
_COMMONS_PAGE = re.compile(r"/wiki/(.+)")
_COMMONS_FILE = re.compile(r"/wikipedia/commons/(?:thumb/)?[0-9a-f]/[0-9a-f]{2}/([^/]+)(?:/.*)?")
_FILE_PREFIX = re.compile(r"(?:file|image):", re.IGNORECASE)
_BARE = re.compile(r"(?:[a-z0-9-]+\.)+[a-z]{2,}/.+", re.IGNORECASE)


def complete_address(target: str) -> str | None:
    """`target` with the `https://` that browsers do not show, or None where it is no address."""
    return f"https://{target}" if _BARE.fullmatch(target) else None


def find_flickr_id(url: str) -> str | None:
    """The id in a photo's address at Flickr (services/api/misc.urls.html), or None."""
    parts = _split(url)
    host = _find_host(parts)
    if host == "flic.kr" and (short := _FLICKR_SHORT.fullmatch(parts.path)):
        return str(_decode_base_58(short[1]))
    if not any(host == known or host.endswith(f".{known}") for known in _FLICKR_HOSTS):
        return None
    match = _FLICKR_PAGE.fullmatch(parts.path) or _FLICKR_FILE.fullmatch(parts.path.lower())
    if match:
        return match[1]
    wanted = parse_qs(parts.query).get("id", []) if parts.path == "/photo.gne" else []
    return wanted[0] if wanted and wanted[0].isdigit() else None


def find_commons_id(url: str) -> str | None:
    """The page id in an address at Commons such as `?curid=123`, or None."""
    parts = _split(url)
    if _find_host(parts) not in _COMMONS_HOSTS:
        return None
    wanted = parse_qs(parts.query).get("curid", [])
    return wanted[0] if wanted and wanted[0].isdigit() else None


def find_commons_name(url: str) -> str | None:
    """The name of a file in the address of its page, picture or thumbnail at Commons, or None.

    It is as Commons shows it: with blanks, its first letter a capital, without `File:`. An address
    without a name is that of no file.
    """
    parts = _split(url)
    host = _find_host(parts)
    if host in _COMMONS_FILE_HOSTS:
        match = _COMMONS_FILE.fullmatch(parts.path)
        return _tidy_name(match[1]) if match else None
    if host not in _COMMONS_HOSTS:
        return None
    opened = re.fullmatch(r"/media/(.+)", parts.fragment)  # a picture opened over another page
    titles = parse_qs(parts.query).get("title", [])
    page = opened or _COMMONS_PAGE.fullmatch(parts.path)
    title = unquote(page[1]) if page else titles[0] if titles else ""
    prefix = _FILE_PREFIX.match(title)
    return _tidy_name(title[prefix.end() :]) if prefix else None


def _tidy_name(name: str) -> str | None:
    blanks = str.maketrans("_\0", "  ")
    words = normalize("NFC", " ".join(unquote(name).translate(blanks).split()))
    return words[:1].upper() + words[1:] or None


def _decode_base_58(word: str) -> int:
    number = 0
    for letter in word:
        number = number * 58 + _BASE_58.index(letter)
    return number


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def _find_host(parts: SplitResult) -> str:
    host = (parts.hostname or "").lower()
    return host.removeprefix("www.")
