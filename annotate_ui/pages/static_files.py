"""The pages' own scripts, styles and pictures, packed for browsers that can unpack them."""

from __future__ import annotations

import gzip
import io
import mimetypes
import posixpath
import re
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from flask import Flask, current_app, request, send_file, send_from_directory
from flask.typing import ResponseReturnValue
from flask.wrappers import Response
from werkzeug.exceptions import NotFound
from werkzeug.security import safe_join

from annotate_ui.roles import open_to_everyone

FOLDER = Path(__file__).parents[1] / "static"
PACKED_SUFFIXES = frozenset({".css", ".js", ".svg"})
_MOST_PACKED = 256
_FOR_EVER = "public, max-age=31536000, immutable"
_IMPORTED = re.compile(r"""^(?:import|export|\})[^"'\n]*\sfrom "(\.[^"]+)";""", re.MULTILINE)


def serve_static_files(app: Flask) -> None:
    """Add the endpoint `static`, whose addresses change whenever any file does.

    The hash is a folder of the address, so a module's imports carry it too: a browser asks for
    each file once, and never for an old one. Files that change later need a restart.
    """
    version = _hash_files()
    app.add_url_rule("/static/<path:filename>", "static", send_static, defaults={"version": ""})
    app.add_url_rule("/static/at-<version>/<path:filename>", "static", send_static)
    app.config["STATIC_VERSION"] = version

    @app.url_defaults
    def name_version(endpoint: str, values: dict[str, Any]) -> None:
        if endpoint == "static":
            values.setdefault("version", version)

    app.jinja_env.globals["modules_of"] = list_modules


@lru_cache
def list_modules(script: str) -> list[str]:
    """The script and all modules that it imports, directly or not, as names under static/."""
    found = {script: None}
    for name in (waiting := [script]):
        for imported in _IMPORTED.findall((FOLDER / name).read_text()):
            module = posixpath.normpath(posixpath.join(posixpath.dirname(name), imported))
            if module not in found:
                found[module] = None
                waiting.append(module)
    return list(found)


def _hash_files() -> str:
    digest = sha256()
    for path in sorted(path for path in FOLDER.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(FOLDER)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


@open_to_everyone("the sign-in page needs them, and they hold nothing of the party")
def send_static(filename: str, version: str) -> ResponseReturnValue:
    """A file, kept for ever where its address holds the version of the files as they are.

    Text goes out as gzip where the browser takes it; packed and plain have ETags of their own.
    """
    is_text = Path(filename).suffix in PACKED_SUFFIXES
    if is_text and request.accept_encodings.quality("gzip") > 0:
        response = _send_packed(filename)
    else:
        response = send_from_directory(FOLDER, filename, max_age=None)
    is_current = version == current_app.config["STATIC_VERSION"]
    response.headers["Cache-Control"] = _FOR_EVER if is_current else "no-cache"
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
