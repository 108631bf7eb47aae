"""The REST interface: the methods that the collector calls, as functions to Flickr's JSON.

Modelled on recorded replies (Openverse's and the Flickr Foundation's test fixtures): numbers are
sometimes numbers and sometimes strings, and what an owner hides is absent, not empty.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .messages import JSON_TYPE, Request, Response
from .photos import SIZES, ContentType, Photo, exists, format_url, measure
from .search import FlickrFailure, Library, parse_criteria, search
from .table import parse_number

REST_PATH = "/services/rest/"
REST_PATHS = (REST_PATH, REST_PATH.rstrip("/"))

UNAVAILABLE = {
    10: "Sorry, the Flickr search API is not currently available.",
    100: "Invalid API Key (Key has invalid format)",
    105: "Service currently unavailable",
}
CONTENT_CODES = {ContentType.PHOTO: "0", ContentType.SCREENSHOT: "1", ContentType.OTHER: "3"}

Shape = dict[str, Any]


def answer_call(library: Library, request: Request) -> Response:
    """The reply to a call; a refusal has HTTP status 200 too."""
    try:
        if not 0 < len(request.args.get("api_key", "")) <= 200:
            raise FlickrFailure(100, UNAVAILABLE[100])
        if request.args.get("format") != "json":
            raise FlickrFailure(111, f'Format "{request.args.get("format", "rest")}" not found')
        name = request.args.get("method", "")
        if name not in METHODS:
            raise FlickrFailure(112, f'Method "{name}" not found')
        return format_reply({**METHODS[name](library, request), "stat": "ok"})
    except FlickrFailure as failure:
        return format_failure(failure.code, failure.message)


def format_failure(code: int, message: str | None = None) -> Response:
    """A refusal in Flickr's own words unless others are given."""
    text = message or UNAVAILABLE.get(code, f"Error {code}")
    return format_reply({"stat": "fail", "code": code, "message": text})


def format_reply(shape: Shape) -> Response:
    """A reply as JSON."""
    body = json.dumps(shape, separators=(",", ":")).encode()
    robots = ("x-robots-tag", "noindex")
    return Response(content_type=JSON_TYPE, body=body, headers=(robots,))


def _search(library: Library, request: Request) -> Shape:
    args = request.args
    number, length = (parse_number(args.get(name)) for name in ("page", "per_page"))
    paging = min(number or 1, 10_000), min(length or 100, 500)  # Flickr caps both
    page = search(library, parse_criteria(args), *paging)
    extras = frozenset(extra.strip() for extra in args.get("extras", "").split(","))
    total: int | str = page.total if page.total % 2 else str(page.total)
    return {
        "photos": {
            "page": page.page,
            "pages": page.pages,
            "perpage": page.per_page,
            "total": total,
            "photo": [_shape_result(photo, extras, request.images_url) for photo in page.photos],
        }
    }


def _get_info(library: Library, request: Request) -> Shape:
    """The record; a photo that was deleted or made private looks like an unknown one."""
    text = request.args.get("photo_id", "")
    photo = library.find_public(text)
    if photo is None:
        raise FlickrFailure(1, f'Photo "{text}" not found (invalid ID)')
    return {
        "photo": {
            "id": str(photo.id),
            "dateuploaded": str(photo.uploaded_secs),
            "license": str(photo.licence_id),
            "owner": {"nsid": photo.owner.nsid, "username": photo.owner.username},
            "title": {"_content": photo.title},
            "visibility": {"ispublic": 1, "isfriend": 0, "isfamily": 0},
            "media": "photo",
        }
    }


METHODS: dict[str, Callable[[Library, Request], Shape]] = {
    "flickr.photos.search": _search,
    "flickr.photos.getInfo": _get_info,
    "flickr.test.echo": lambda _library, request: {
        name: {"_content": value} for name, value in request.args.items()
    },
}


def _shape_result(photo: Photo, extras: frozenset[str], base_url: str) -> Shape:
    """One photo among search results, with the extras asked for; unknown extras add nothing."""
    shape: Shape = {
        "id": str(photo.id),
        "owner": photo.owner.nsid,
        "secret": photo.secret,
        "server": photo.server,
        "title": photo.title,
        "ispublic": 1,
    }
    for extra, add in EXTRAS.items():
        if extra in extras:
            shape |= add(photo)
    for size in SIZES:
        if f"url_{size.extra}" in extras and exists(photo, size):
            width, height = measure(photo.file, size)
            shape[f"url_{size.extra}"] = format_url(base_url, photo, size)
            shape |= {f"height_{size.extra}": height, f"width_{size.extra}": width}
    return shape


EXTRAS: dict[str, Callable[[Photo], Shape]] = {
    "license": lambda photo: {"license": str(photo.licence_id)},
    "date_upload": lambda photo: {"dateupload": str(photo.uploaded_secs)},
    "date_taken": lambda photo: {
        "datetaken": photo.taken.at,
        "datetakenunknown": "1" if photo.taken.is_unknown else "0",
    },
    "owner_name": lambda photo: {"ownername": photo.owner.username},
    "tags": lambda photo: {"tags": " ".join(photo.normalised_tags)},
    "geo": lambda photo: dict(zip(("latitude", "longitude"), photo.place or (0, 0), strict=True)),
    "media": lambda photo: {"media": "photo", "media_status": "ready"},
    "content_type": lambda photo: {"content_type": CONTENT_CODES[photo.content_type]},
}
