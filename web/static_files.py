"""The pages' own scripts, styles and pictures, packed for browsers that can unpack them.

Each process reads a file once: one that changes later needs a restart.
"""

from __future__ import annotations

import gzip
import io
import json
import mimetypes
import posixpath
import re
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from flask import Flask, current_app, request, send_file
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from .guard import open_to_everyone
from .language import LANGUAGES, load_sentences

FOLDER = Path(__file__).parents[1] / "annotate_ui" / "static"
FILES = frozenset(
    path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*") if path.is_file()
)
_FOR_EVER, _FOR_AN_HOUR = "public, max-age=31536000, immutable", "public, max-age=3600"
_JOINED = re.compile(r"joined/(?:(\w+)/(.+\.js)|([\w-]+)\.css)")
"""joined/LANGUAGE/SCRIPT is a page's script in one file with all modules that it imports, and
joined/NAME-NAME.css are its style sheets in one file."""
_IMPORT = re.compile(r'^import (?:\* as (\w+)|(\{[^}]*\})) from "(\.[^"]+)";', re.MULTILINE)
_EXPORT = re.compile(r"^export (async function|function|const|class) (\w+)", re.MULTILINE)


def serve_static_files(app: Flask) -> None:
    """Add the endpoint `static`, whose addresses change whenever any file does."""
    digest = sha256()
    for name in sorted(FILES):
        digest.update(f"{name}\0".encode() + (FOLDER / name).read_bytes())
    version = digest.hexdigest()[:12]
    app.add_url_rule("/static/<path:filename>", "static", send_static, defaults={"version": ""})
    app.add_url_rule("/static/at-<version>/<path:filename>", "static", send_static)
    app.config["STATIC_VERSION"] = version

    @app.url_defaults
    def name_version(endpoint: str, values: dict[str, Any]) -> None:
        if endpoint == "static":
            values.setdefault("version", version)


@open_to_everyone("the sign-in page needs them, and they hold nothing of the party")
def send_static(filename: str, version: str) -> ResponseReturnValue:
    """A file, kept for ever where its address holds the version of the files as they are.

    It goes out as gzip where the browser takes it; packed and plain have ETags of their own.
    """
    is_packed = request.accept_encodings.quality("gzip") > 0
    data, etag = _read(filename, is_packed)
    mimetype = mimetypes.guess_type(filename)[0]
    response = send_file(io.BytesIO(data), mimetype=mimetype, etag=etag, max_age=None)
    if is_packed:
        response.headers["Content-Encoding"] = "gzip"
    kept = {current_app.config["STATIC_VERSION"]: _FOR_EVER, "": _FOR_AN_HOUR}
    response.headers["Cache-Control"] = kept.get(version, "no-cache")
    response.vary.add("Accept-Encoding")
    return response


@lru_cache(maxsize=2 * len(FILES))
def _read(filename: str, is_packed: bool) -> tuple[bytes, str]:
    """The bytes of an address and their ETag; raises NotFound where there is nothing."""
    joined = _JOINED.fullmatch(filename)
    if joined is None:
        data = _read_file(filename)
    elif joined[3]:
        names = joined[3].split("-")
        if len(set(names)) < len(names):  # no address makes a file as large as it likes
            raise NotFound
        data = b"\n".join(_read_file(f"{name}.css") for name in names)
    else:
        data = _join_modules(joined[1], joined[2])
    data = gzip.compress(data, mtime=0) if is_packed else data
    return data, sha256(data).hexdigest()[:20]


def _read_file(name: str) -> bytes:
    if name not in FILES:
        raise NotFound
    return (FOLDER / name).read_bytes()


def _join_modules(language: str, script: str) -> bytes:
    """The script after the language's sentences and all modules, each inside a function.

    It takes what our modules are: named exports that never change, and no circle of imports.
    """
    if language not in LANGUAGES:
        raise NotFound
    sentences = json.dumps(load_sentences(language)["pages"], ensure_ascii=False)
    joined: dict[str, str] = {}
    _add_module(script, joined)
    page = joined.pop(script)
    modules = []
    for name, text in joined.items():
        exports = ", ".join(match[2] for match in _EXPORT.finditer(text))
        inside = _EXPORT.sub(r"\1 \2", text)
        closed = f"(() => {{\n{inside}\nreturn {{ {exports} }};\n}})()"
        modules.append(f"const {_name_module(name)} = {closed};")
    return "\n".join((f"globalThis.translation = {sentences};", *modules, page)).encode()


def _add_module(name: str, joined: dict[str, str]) -> None:
    """Add the module's text, and before it those of the modules that it imports."""

    def take(match: re.Match[str]) -> str:
        place = posixpath.normpath(posixpath.join(posixpath.dirname(name), match[3]))
        if place not in joined:
            _add_module(place, joined)
        names = match[1] or match[2].replace(" as ", ": ")
        return f"const {names} = {_name_module(place)};"

    text = _IMPORT.sub(take, _read_file(name).decode())
    joined[name] = text


def _name_module(name: str) -> str:
    return "$" + re.sub(r"\W", "_", name)
