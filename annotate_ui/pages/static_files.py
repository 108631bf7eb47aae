"""The pages' own scripts, styles and pictures, packed for browsers that can unpack them."""

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

from flask import Flask, current_app, request, send_file, send_from_directory
from flask.typing import ResponseReturnValue
from flask.wrappers import Response
from werkzeug.exceptions import NotFound
from werkzeug.security import safe_join

from annotate_ui.language import LANGUAGES, load_sentences
from annotate_ui.roles import open_to_everyone

FOLDER = Path(__file__).parents[1] / "static"
PACKED_SUFFIXES = frozenset({".css", ".js", ".svg"})
_MOST_PACKED = 256
_FOR_EVER = "public, max-age=31536000, immutable"
JOINED = "joined/"
"""joined/LANGUAGE/SCRIPT is a page's script in one file with all modules that it imports, and
joined/NAME-NAME.css are its style sheets in one file."""

_IMPORT = re.compile(r'^import (?:\* as (\w+)|(\{[^}]*\})) from "(\.[^"]+)";', re.MULTILINE)
_EXPORT = re.compile(r"^export (async function|function|const|class) (\w+)", re.MULTILINE)


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


@lru_cache
def join_modules(language: str, script: str) -> bytes:
    """The script after the language's sentences and all modules, each in a function of its own.

    It takes what our modules are: named exports that never change, and no circle of imports.
    Raises NotFound where there is no such script or language.
    """
    scripts = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.js")}
    if script not in scripts or language not in LANGUAGES:
        raise NotFound
    sentences = json.dumps(load_sentences(language)["pages"], ensure_ascii=False)
    joined: dict[str, str] = {}
    _add_module(script, joined)
    page = joined.pop(script)
    modules = (_close_module(name, text) for name, text in joined.items())
    return "\n".join((f"globalThis.translation = {sentences};", *modules, page)).encode()


@lru_cache
def join_styles(names: str) -> bytes:
    """The style sheets NAME-NAME.css one after the other; raises NotFound where one is missing."""
    paths = [FOLDER / f"{name}.css" for name in names.removesuffix(".css").split("-")]
    if not set(FOLDER.glob("*.css")).issuperset(paths) or len(set(paths)) < len(paths):
        raise NotFound
    return b"\n".join(path.read_bytes() for path in paths)


def _add_module(name: str, joined: dict[str, str]) -> None:
    """Add the module's text, and before it those of the modules that it imports."""

    def take(match: re.Match[str]) -> str:
        place = posixpath.normpath(posixpath.join(posixpath.dirname(name), match[3]))
        if place not in joined:
            _add_module(place, joined)
        names = match[1] or match[2].replace(" as ", ": ")
        return f"const {names} = {_name_module(place)};"

    text = _IMPORT.sub(take, (FOLDER / name).read_text())
    joined[name] = text


def _close_module(name: str, text: str) -> str:
    exports = ", ".join(match[2] for match in _EXPORT.finditer(text))
    inside = _EXPORT.sub(r"\1 \2", text)
    return f"const {_name_module(name)} = (() => {{\n{inside}\nreturn {{ {exports} }};\n}})();"


def _name_module(name: str) -> str:
    return "$" + re.sub(r"\W", "_", name)


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
    if filename.startswith(JOINED):
        response = _send_joined(filename.removeprefix(JOINED))
    elif is_text and request.accept_encodings.quality("gzip") > 0:
        response = _send_packed(filename)
    else:
        response = send_from_directory(FOLDER, filename, max_age=None)
    is_current = version == current_app.config["STATIC_VERSION"]
    response.headers["Cache-Control"] = _FOR_EVER if is_current else "no-cache"
    if is_text:
        response.vary.add("Accept-Encoding")
    return response


def _send_joined(place: str) -> Response:
    language, _, script = place.partition("/")
    data = join_modules(language, script) if script else join_styles(place)
    is_packed = request.accept_encodings.quality("gzip") > 0
    sent = _pack_bytes(data) if is_packed else data
    mimetype = "text/javascript" if script else "text/css"
    response = send_file(io.BytesIO(sent), mimetype=mimetype, max_age=None)
    response.set_etag(sha256(sent).hexdigest()[:20])
    if is_packed:
        response.headers["Content-Encoding"] = "gzip"
    return response


@lru_cache(maxsize=_MOST_PACKED)
def _pack_bytes(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


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
