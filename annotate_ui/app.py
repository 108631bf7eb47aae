"""The browser application of one party."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Flask, Response, g, request
from flask_wtf.csrf import CSRFProtect

from catalog.instances import name_party
from catalog.party import Party
from qa.check_list import enabled_checks
from web.errors import answer_errors
from web.guard import refuse_unguarded
from web.hosts import find_refusal
from web.language import load_translations, use_translations
from web.operation import operation, watch_requests
from web.service import SERVICE, Service
from web.sessions import PartySessions, add_headers, load_secret_key
from web.static_files import read_folder, serve_static_files
from work.shared import SharedCounts

from .api.answers import PartyJson
from .api.schemas import IdConverter
from .pages.errors import show_error
from .pages.images import images
from .pages.signin import limit_signins, signin
from .pages.statistics import statistics
from .pages.views import pages, prepare_templates

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

# reviews before history: a number that no image has is then 404, not 405
API_MODULES = """openapi party tasks reviews history segment_tasks segments wall gold training
guidelines queue board people findings lookup difficult presence questions
clusters"""
STATIC = Path(__file__).parent / "static"
TEXTS = STATIC / "app" / "texts"
"""The folder of the sentences in other languages."""
PREFIX = "HTTP_X_FORWARDED_PREFIX"
SAVE_WITHIN_SECS = 2.0
"""How long a request waits for others who write; then the page is told to come again."""

log = logging.getLogger(__name__)


class PartyApp(Flask):
    """Flask without its own static route, and with a log that names no personal link."""

    session_interface = PartySessions()

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """The answer; 400 for an address of which no page could make the addresses of others."""
        host = environ.get("HTTP_HOST", "localhost")
        reason = find_refusal(host, prefix=environ.get(PREFIX, ""))
        if reason is not None:
            refusal = Response(reason, 400, content_type="text/plain; charset=utf-8")
            return refusal(environ, start_response)
        return super().wsgi_app(environ, start_response)

    def log_exception(self, exc_info: Any) -> None:
        """Log a bug with the endpoint's name, since the address may be a personal link."""
        number = g.get("request_id")
        log.error("Exception in %s, request %s", request.endpoint, number, exc_info=exc_info)


def create_app(
    party: Party,
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    tokens: Callable[[], str] = lambda: secrets.token_urlsafe(32),
    keeps_counts: bool = False,
    reach: str = "",
) -> Flask:
    """The WSGI application that serves the party; `keeps_counts` for some seconds, for everybody.

    `reach` is how other computers reach a server that listens to all, where that is known.
    Raises UnguardedRouteError where a route does not say who may call it, and SettingsError where
    the settings name a check that does not exist.
    """
    enabled_checks(party.settings)  # raises where qa.switched_off names no check
    party = replace(party, catalogue=replace(party.catalogue, patience_secs=SAVE_WITHIN_SECS))
    app = PartyApp(__name__, static_folder=None)
    app.config.from_mapping(_configure(party))
    # A name that no other party has, so that a browser keeps their work apart.
    party_id = name_party(party.catalogue, at=now())[:16]
    shared = SharedCounts(is_kept=keeps_counts)
    app.extensions[SERVICE] = Service(party, now, tokens, party_id, shared, reach)
    CSRFProtect(app)
    app.after_request(add_headers)
    answer_errors(app, show_error)
    translations = load_translations(TEXTS)
    use_translations(app, translations)
    scripts = {
        f"app/texts/{language}.js": translation.format_script()
        for language, translation in translations.items()
    }
    serve_static_files(app, read_folder(STATIC) | scripts)
    watch_requests(app)
    app.json = PartyJson(app)
    app.url_map.converters["int"] = IdConverter
    api = Blueprint("api", __name__, url_prefix="/api/v1")
    for name in API_MODULES.split():
        api.register_blueprint(import_module(f".api.{name}", __package__).blueprint)
    app.register_blueprint(api)
    for blueprint in (operation, signin, pages, statistics, images):
        app.register_blueprint(blueprint)
    prepare_templates(app)
    limit_signins(app, party.settings.annotate.signins_per_minute)
    refuse_unguarded(app)
    return app


def _configure(party: Party) -> dict[str, Any]:
    limits = party.settings.annotate
    return {
        "SECRET_KEY": load_secret_key(party.folder),
        "SESSION_COOKIE_NAME": "vocparty",
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "SESSION_REFRESH_EACH_REQUEST": False,
        "PERMANENT_SESSION_LIFETIME": timedelta(hours=limits.session_hours),
        "MAX_CONTENT_LENGTH": limits.max_body_bytes,
        "MAX_FORM_MEMORY_SIZE": limits.max_body_bytes,
        # web/guard.py asks for the token, once it knows who is there.
        "WTF_CSRF_CHECK_DEFAULT": False,
        # A token is good as long as its session; a referrer is never sent.
        "WTF_CSRF_TIME_LIMIT": None,
        "WTF_CSRF_SSL_STRICT": False,
    }
