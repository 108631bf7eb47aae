"""The application's own scripts, styles and pictures, packed for browsers that can unpack them.

All files have one address with the digest of the folder's content, `/static/DIGEST/app/api.js`, so
that modules import each other by relative addresses and browsers keep them for ever.
Each process reads a file once: one that changes later needs a restart.
"""

from __future__ import annotations

import gzip
import io
import mimetypes
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from flask import Flask, current_app, request, send_file
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from .guard import open_to_everyone

STATIC = "static_files"
"""The name of the files among the application's extensions."""
DIGEST_CHARACTERS = 16
_FOR_EVER = "public, max-age=31536000, immutable"
_FOR_AN_HOUR = "public, max-age=3600"
_IMPORT = re.compile(r'^(?:import|export)\b[^;"]*\bfrom "(\.[^"]+)";', re.MULTILINE)
"""A line that imports a module by its relative address, as all of ours do."""


@dataclass(frozen=True)
class Content:
    """The bytes that answer a request, and their ETag."""

    data: bytes
    etag: str


@dataclass(frozen=True)
class StaticFile:
    """A file as it is and packed, with the modules that it imports by itself."""

    name: str
    plain: Content
    packed: Content
    imports: tuple[str, ...] = ()


class StaticFiles:
    """The files of one folder by name, and the digest of all of them."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self._contents = {name: contents[name] for name in sorted(contents)}
        self._read: dict[str, StaticFile] = {}
        digest = sha256()
        for name, data in self._contents.items():
            digest.update(f"{name}\0{len(data)}\0".encode() + data)
        self.digest = digest.hexdigest()[:DIGEST_CHARACTERS]

    def __iter__(self) -> Iterator[str]:
        """The names, sorted."""
        return iter(self._contents)

    def get(self, name: str) -> StaticFile:
        """The file of this name, packed at its first use; raises KeyError where there is none."""
        if name not in self._read:
            self._read[name] = _prepare(name, self._contents[name])
        return self._read[name]

    def list_modules(self, script: str) -> list[str]:
        """All modules that the script imports, itself or through others, each once."""
        modules: dict[str, None] = {}
        waiting = [script]
        while waiting:
            for name in self.get(waiting.pop(0)).imports:
                if name not in modules:
                    modules[name] = None
                    waiting.append(name)
        return list(modules)


def read_folder(folder: Path) -> dict[str, bytes]:
    """The bytes of each file below the folder, by its path in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def serve_static_files(app: Flask, contents: Mapping[str, bytes]) -> None:
    """Add the endpoint `static`, whose addresses change whenever any file does.

    Templates get `modules_of`, which lists the modules that a page's script needs.
    """
    files = StaticFiles(contents)
    app.extensions[STATIC] = files
    app.add_url_rule("/static/<path:filename>", "static", send_static, defaults={"version": ""})
    version = f"<string(length={DIGEST_CHARACTERS}):version>"
    app.add_url_rule(f"/static/{version}/<path:filename>", "static", send_static)
    app.jinja_env.globals["modules_of"] = files.list_modules

    @app.url_defaults
    def name_version(endpoint: str, values: dict[str, Any]) -> None:
        if endpoint == "static":
            values.setdefault("version", files.digest)


@open_to_everyone("the sign-in page needs them, and they hold nothing of the party")
def send_static(filename: str, version: str) -> ResponseReturnValue:
    """A file, kept for ever where its address holds the digest of the files as they are.

    It goes out as gzip where the browser takes it; packed and plain have ETags of their own.
    """
    files: StaticFiles = current_app.extensions[STATIC]
    try:
        file = files.get(filename)
    except KeyError as error:
        raise NotFound from error
    is_packed = request.accept_encodings.quality("gzip") > 0
    content = file.packed if is_packed else file.plain
    response = send_file(
        io.BytesIO(content.data),
        mimetype=mimetypes.guess_type(filename)[0],
        etag=content.etag,
        max_age=None,
    )
    if is_packed:
        response.headers["Content-Encoding"] = "gzip"
    lifetimes = {files.digest: _FOR_EVER, "": _FOR_AN_HOUR}
    response.headers["Cache-Control"] = lifetimes.get(version, "no-cache")
    response.vary.add("Accept-Encoding")
    return response


def _prepare(name: str, data: bytes) -> StaticFile:
    imports = _list_imports(name, data.decode()) if name.endswith(".js") else ()
    packed = gzip.compress(data, mtime=0)
    return StaticFile(name, _make_content(data), _make_content(packed), imports)


def _make_content(data: bytes) -> Content:
    return Content(data, etag=sha256(data).hexdigest()[:20])


def _list_imports(name: str, text: str) -> tuple[str, ...]:
    """The names of the modules in the import lines of a module of this name."""
    folder = posixpath.dirname(name)
    return tuple(posixpath.normpath(posixpath.join(folder, path)) for path in _IMPORT.findall(text))
