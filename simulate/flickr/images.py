"""The image host: from an address to the bytes of a photo at a size, or why not."""

from __future__ import annotations

import hashlib
import logging
import re

from PIL import Image

from .library import Library
from .messages import Request, Response, redirect
from .photos import Availability, Photo
from .placeholder import SIDES_PX, choose_path, draw_placeholder
from .renditions import CONTENT_TYPES, Renditions
from .sizes import BY_SUFFIX, ORIGINAL, Size, exists, measure
from .times import format_http, parse_number

log = logging.getLogger(__name__)

ADDRESS = re.compile(r"/\d+/(\d+)_([0-9a-f]+)(?:_([0-9a-z]+))?\.(jpg|png|gif)")
MAX_AGE = ("Cache-Control", "public,max-age=31536000")
NOT_FOUND = Response(status=404)


def is_image_path(path: str) -> bool:
    """Whether a path belongs to the image host."""
    return path in SIDES_PX or ADDRESS.fullmatch(path) is not None


def answer_image(library: Library, renditions: Renditions, request: Request) -> Response:
    """The picture; 302 to the placeholder when deleted, 403 when private, 404 when never there."""
    if request.path in SIDES_PX:
        return Response(content_type="image/png", body=draw_placeholder(request.path))
    found = find_addressed(library, request.path)
    if found is None:
        return NOT_FOUND
    photo, size = found
    if photo.availability is Availability.DELETED:
        return redirect(request.base_url + choose_path(max(measure(photo.file, size))))
    if photo.availability is Availability.PRIVATE:
        return Response(status=403)
    try:
        content = renditions.get(photo, size)
    except (OSError, Image.DecompressionBombError) as error:
        log.warning("%s cannot be shown: %s", photo.file.path, error)
        return Response(status=500)
    return _picture(photo, size, content, request)


def find_addressed(library: Library, path: str) -> tuple[Photo, Size] | None:
    """The photo and size that an address names; None where no such address was ever given."""
    match = ADDRESS.fullmatch(path)
    if match is None:
        return None
    number, secret, suffix, extension = match.groups()
    photo_id = parse_number(number)
    photo = None if photo_id is None else library.find(photo_id)
    size = BY_SUFFIX.get(suffix or "")
    if photo is None or size is None or not exists(photo, size):
        return None
    if (secret, extension) != _expected(photo, size):
        return None
    return photo, size


def _expected(photo: Photo, size: Size) -> tuple[str, str]:
    if size is ORIGINAL:
        return photo.original_secret, photo.file.extension
    return photo.secret, "jpg"


def _picture(photo: Photo, size: Size, content: bytes, request: Request) -> Response:
    width, height = measure(photo.file, size)
    etag = f'"{hashlib.blake2b(content, digest_size=16).hexdigest()}"'
    headers = (
        ("ETag", etag),
        ("Last-Modified", format_http(photo.uploaded_secs)),
        MAX_AGE,
        ("imagewidth", str(width)),
        ("imageheight", str(height)),
    )
    if request.headers.get("if-none-match") == etag:
        return Response(status=304, headers=headers)
    extension = photo.file.extension if size is ORIGINAL else "jpg"
    return Response(content_type=CONTENT_TYPES[extension], body=content, headers=headers)
