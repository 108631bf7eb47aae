"""Wikimedia Commons' API over the same library: searches of files, and files by their pages.

Only photographs under a free licence are there. As in recorded answers, the author is HTML, dates
are text, and a search names its matches in the order of `index` only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from typing import Any

from .images import size_of_width
from .messages import JSON_TYPE, Request, Response
from .photos import Availability, Photo, measure
from .search import Library, split_words
from .table import parse_number, parse_time_secs

COMMONS_PATH = "/w/api.php"
MOST_REACHABLE = 10_000
FREE: Mapping[int, tuple[str, str, str]] = {
    4: ("cc-by-2.0", "CC BY 2.0", "https://creativecommons.org/licenses/by/2.0"),
    5: ("cc-by-sa-2.0", "CC BY-SA 2.0", "https://creativecommons.org/licenses/by-sa/2.0"),
    7: ("", "No restrictions", ""),
    8: ("pd", "Public domain", ""),
    9: ("cc0", "CC0", "http://creativecommons.org/publicdomain/zero/1.0/deed.en"),
    10: ("pd", "Public domain", ""),
    11: ("cc-by-4.0", "CC BY 4.0", "https://creativecommons.org/licenses/by/4.0"),
    12: ("cc-by-sa-4.0", "CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0"),
}
"""Code, short name and address of the free ones among Flickr's licences."""
_DATE = re.compile(r"creationdate:([<>]=)(\d{4}-\d\d-\d\d)")
_KEYWORD = re.compile(r"\b[a-z]+:\S+")
_KINDS = {
    "tiff": {"mime": "image/tiff", "mediatype": "BITMAP"},
    "svg": {"mime": "image/svg+xml", "mediatype": "DRAWING"},
    "video": {"mime": "video/webm", "mediatype": "VIDEO"},
}

Shape = dict[str, Any]


def answer_query(library: Library, request: Request) -> Response:
    """The reply to a query: the files of a search, or those of some pages."""
    args = request.args
    if (args.get("action"), args.get("formatversion")) != ("query", "2"):
        return _fail("badvalue", "the stand-in answers action=query with formatversion=2 only")
    width = parse_number(args.get("iiurlwidth")) or 500
    if "pageids" in args:
        ids = args["pageids"].split("|")
        pages = [_find_page(library, text, width, request) for text in ids]
        return _reply({"batchcomplete": True, "query": {"pages": pages}})
    offset, limit = (parse_number(args.get(name)) or 0 for name in ("gsroffset", "gsrlimit"))
    if offset + limit > MOST_REACHABLE:
        return _fail("search-error", f"Up to {MOST_REACHABLE} search results are supported")
    photos = search_files(library, args.get("gsrsearch", ""))
    pages = [
        {**_shape_page(photo, width, request), "index": number}
        for number, photo in enumerate(photos[offset : offset + limit], start=offset + 1)
    ]
    query: Shape = {"searchinfo": {"totalhits": len(photos)}, "search": []}
    if pages:
        query["pages"] = sorted(pages, key=lambda page: str(page["title"]))
    more = {"gsroffset": offset + limit, "continue": "gsroffset||"}
    is_all = offset + limit >= len(photos)
    return _reply({"query": query} | ({} if is_all else {"continue": more}))


def search_files(library: Library, text: str) -> list[Photo]:
    """The free photographs that have all words, uploaded on the days asked for, newest first."""
    days = {sign: parse_time_secs(day) for sign, day in _DATE.findall(text)}
    first = days.get(">=")
    last = days.get("<=")
    within = library.uploaded_in((first, None if last is None else last + 86_399))
    words = split_words(_KEYWORD.sub(" ", text))
    positions = set(within) & library.with_words(words) if words else set(within)
    photos = (library.photos[position] for position in sorted(positions, reverse=True))
    return [
        photo
        for photo in photos
        if photo.licence_id in FREE and photo.availability is Availability.PUBLIC
    ]


def answer_lag(secs: float) -> Response:
    """The refusal while the databases are behind (mediawiki.org/wiki/Manual:Maxlag_parameter)."""
    refused = _fail("maxlag", f"Waiting for a database server: {secs:g} seconds lagged.", lag=secs)
    return replace(refused, headers=(("Retry-After", "5"),))


def change_first_file(response: Response, fault: str) -> Response:
    """The answer with another kind of file, without a licence, or with a page that was moved."""
    if not response.content_type.startswith("application/json"):
        return response
    shape = json.loads(response.body)
    pages = [page for page in shape.get("query", {}).get("pages", []) if "imageinfo" in page]
    for page in pages[:1]:
        info = page["imageinfo"][0]
        info |= _KINDS.get(fault, {})
        if fault == "no-licence":
            for name in [name for name in info["extmetadata"] if name.startswith("License")]:
                del info["extmetadata"][name]
        if fault == "moved":
            page |= {"redirect": True, "title": f"File:Moved {page['pageid']}.jpg"}
    return _reply(shape)


def _find_page(library: Library, text: str, width: int, request: Request) -> Shape:
    photo = library.find_public(text)
    missing = {"pageid": parse_number(text) or 0, "missing": True}
    return missing if photo is None else _shape_page(photo, width, request)


def _shape_page(photo: Photo, width: int, request: Request) -> Shape:
    thumb_wh = measure(photo.file, size_of_width(photo.file, width))
    path = f"{photo.id % 10}/{photo.id}.jpg"
    uploaded = datetime.fromtimestamp(photo.uploaded_secs, UTC)
    info = {
        "timestamp": f"{uploaded:%Y-%m-%dT%H:%M:%SZ}",
        "user": photo.owner.username,
        "width": photo.file.width_px,
        "height": photo.file.height_px,
        "thumburl": f"{request.images_url}/wikipedia/commons/thumb/{path}/{width}px-{photo.id}.jpg",
        "thumbwidth": thumb_wh[0],
        "thumbheight": thumb_wh[1],
        "url": f"{request.images_url}/wikipedia/commons/{path}",
        "descriptionurl": f"{request.base_url}/wiki/File:{photo.id}.jpg",
        "mime": "image/jpeg",
        "mediatype": "BITMAP",
        "extmetadata": {key: {"value": value} for key, value in _tell(photo).items() if value},
    }
    name = f"{photo.title} {photo.id}.jpg"
    return {"pageid": photo.id, "ns": 6, "title": f"File:{name}", "imageinfo": [info]}


def _tell(photo: Photo) -> dict[str, str]:
    code, name, url = FREE.get(photo.licence_id, ("", "", ""))
    author = escape(photo.owner.username)
    return {
        "License": code,
        "LicenseShortName": name,
        "LicenseUrl": url,
        "Artist": f'<a href="//commons.wikimedia.org/wiki/User:{author}" title="x">{author}</a>',
        "DateTimeOriginal": "" if photo.taken.is_unknown else photo.taken.at,
        "Categories": "|".join(photo.tags),
        **dict(zip(("GPSLatitude", "GPSLongitude"), map(str, photo.place or ()), strict=False)),
    }


def _fail(code: str, info: str, **more: object) -> Response:
    return _reply({"error": {"code": code, "info": info, **more}})


def _reply(shape: Shape) -> Response:
    return Response(content_type=JSON_TYPE, body=json.dumps(shape).encode())
