"""The pages' own scripts, styles and pictures, packed for browsers that can unpack them."""

from __future__ import annotations

import gzip
import io
import mimetypes
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from flask import Flask, request, send_file, send_from_directory
from flask.typing import ResponseReturnValue
from flask.wrappers import Response
from werkzeug.exceptions import NotFound
from werkzeug.security import safe_join

from annotate_ui.roles import open_to_everyone

FOLDER = Path(__file__).parents[1] / "static"
PACKED_SUFFIXES = frozenset({".css", ".js", ".svg"})
_MOST_PACKED = 256


def serve_static_files(app: Flask) -> None:
    """Add the endpoint `static`, which Flask would add without naming a role."""
    app.add_url_rule("/static/<path:filename>", "static", send_static)


@open_to_everyone("the sign-in page needs them, and they hold nothing of the party")
def send_static(filename: str) -> ResponseReturnValue:
    """A file, to be asked for again each time but sent again only when it changed.

    Text goes out as gzip where the browser takes it; packed and plain have ETags of their own.
    """
    is_text = Path(filename).suffix in PACKED_SUFFIXES
    if is_text and request.accept_encodings.quality("gzip") > 0:
        response = _send_packed(filename)
    else:
        response = send_from_directory(FOLDER, filename, max_age=None)
    response.headers["Cache-Control"] = "no-cache"
    if is_text:
        response.vary.add("Accept-Encoding")
    return response


def _send_packed(filename: str) -> Response:
    path = safe_join(str(FOLDER), filename)
    if path is None or not Path(path).is_file():
        raise NotFound
    stat = Path(path).stat()
    data, etag = _pack(path, stat.st_mtime_ns, stat.st_size)
    response = send_file(
        io.BytesIO(data), mimetype=mimetypes.guess_type(path)[0], etag=etag, max_age=None
    )
    response.headers["Content-Encoding"] = "gzip"
    return response


@lru_cache(maxsize=_MOST_PACKED)
def _pack(path: str, _changed_ns: int, _bytes: int) -> tuple[bytes, str]:
    """The packed bytes of a file as it is now, and their ETag; packed once for each change."""
    data = gzip.compress(Path(path).read_bytes(), mtime=0)
    return data, f"{sha256(data).hexdigest()[:20]}-gzip"
