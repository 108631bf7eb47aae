"""What the application of each of our servers is made of, before it has any route of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, g, request
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from flask_wtf.csrf import CSRFProtect
from werkzeug.routing import IntegerConverter, Map

from catalog.tables.base import MAX_ID

from .errors import ShowError, answer_errors
from .hosts import find_refusal
from .language import format_script, load_translations, use_translations
from .operation import operation, watch_requests
from .service import SERVICE, Service
from .sessions import SignedSessions, add_headers
from .static_files import read_folder, serve_static_files

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

STATIC = Path(__file__).parent / "static"
"""The style sheets, fonts and pictures that every server has."""
TEXTS = Path(__file__).parent / "texts"
"""What every server says, in other languages."""
PREFIX = "HTTP_X_FORWARDED_PREFIX"
log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What an application hands over: its key and cookie, its limits, its files and its errors."""

    secret_key: str
    cookie: str
    place: str
    """What is served, in plain words."""
    session_hours: float
    max_body_bytes: int
    static: Path
    texts: Path
    """The folder of the sentences in other languages."""
    show_error: ShowError


class IdConverter(IntegerConverter):
    """`<int:...>` of an address: a number that fits a column of any database."""

    def __init__(self, url_map: Map) -> None:
        super().__init__(url_map, max=MAX_ID)


class ServedApp(Flask):
    """Flask without its own static route, and with a log that names no personal link."""

    session_interface = SignedSessions()

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """The answer; 400 for an address of which no page could make the addresses of others."""
        host = environ.get("HTTP_HOST", "localhost")
        reason = find_refusal(host, environ.get(PREFIX, ""), self.config["PLACE"])
        if reason is not None:
            refusal = Response(reason, 400, content_type="text/plain; charset=utf-8")
            return refusal(environ, start_response)
        return super().wsgi_app(environ, start_response)

    def log_exception(self, exc_info: Any) -> None:
        """Log a bug with the endpoint's name, since the address may be a personal link."""
        number = g.get("request_id")
        log.error("Exception in %s, request %s", request.endpoint, number, exc_info=exc_info)


def begin_app(name: str, service: Service, parts: Parts) -> ServedApp:
    """The application of the package of this name, with everything that all of ours have.

    Its routes come next, then `refuse_unguarded`.
    """
    app = ServedApp(name, static_folder=None)
    app.config.from_mapping(_configure(parts))
    app.url_map.converters["int"] = IdConverter
    app.extensions[SERVICE] = service
    CSRFProtect(app)
    app.after_request(add_headers)
    answer_errors(app, parts.show_error)
    translations = load_translations(TEXTS, parts.texts)
    use_translations(app, translations)
    scripts: dict[str, bytes] = {}
    for code, translation in translations.items():
        scripts[f"app/texts/{code}.js"] = format_script(translation.pages)
        scripts[f"app/texts/organising.{code}.js"] = format_script(translation.organising)
    serve_static_files(app, read_folder(STATIC) | read_folder(parts.static) | scripts)
    watch_requests(app)
    app.register_blueprint(operation)
    return app


def limit_guesses(app: Flask, endpoints: Sequence[str], per_minute: int) -> None:
    """Limit how many wrong links and codes an address tries in a minute, in each process.

    Right ones do not count: a whole room may come in at once by one router. A view that was given
    a wrong one sets `g.is_guess`.
    """
    limiter = Limiter(
        get_remote_address,
        app=app,
        storage_uri="memory://",
        strategy="moving-window",
        headers_enabled=True,
    )
    limit: Callable[[Any], Any] = limiter.limit(
        f"{per_minute} per minute", deduct_when=lambda _: g.get("is_guess", False)
    )
    for endpoint in endpoints:
        app.view_functions[endpoint] = limit(app.view_functions[endpoint])


def _configure(parts: Parts) -> dict[str, Any]:
    return {
        "SECRET_KEY": parts.secret_key,
        "PLACE": parts.place,
        "SESSION_COOKIE_NAME": parts.cookie,
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "SESSION_REFRESH_EACH_REQUEST": False,
        "PERMANENT_SESSION_LIFETIME": timedelta(hours=parts.session_hours),
        "MAX_CONTENT_LENGTH": parts.max_body_bytes,
        "MAX_FORM_MEMORY_SIZE": parts.max_body_bytes,
        # web/guard.py asks for the token, once it knows who is there.
        "WTF_CSRF_CHECK_DEFAULT": False,
        # A token is good as long as its session; a referrer is never sent.
        "WTF_CSRF_TIME_LIMIT": None,
        "WTF_CSRF_SSL_STRICT": False,
    }
