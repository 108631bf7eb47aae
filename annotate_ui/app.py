"""The browser application of one party."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from flask import Blueprint, Flask

from catalog.instances import name_party
from catalog.party import Party
from qa.check_list import enabled_checks
from web.app import Parts, begin_app, limit_guesses
from web.guard import refuse_unguarded
from web.sessions import load_secret_key
from work.shared import SharedCounts

from .api.answers import PartyJson
from .api.guidelines import prepare_rendering
from .pages.errors import show_error
from .pages.images import images
from .pages.signin import LIMITED, signin
from .pages.statistics import statistics
from .pages.views import pages, prepare_templates
from .service import PartyService, PresentParty

# reviews before history: a number that no image has is then 404, not 405
API_MODULES = """openapi party tasks reviews history segment_tasks segments wall gold training
guidelines queue board people findings lookup difficult presence presence_questions
presence_answers questions pairs clusters"""
STATIC = Path(__file__).parent / "static"
TEXTS = STATIC / "app" / "texts"
"""The folder of the sentences in other languages."""
SAVE_WITHIN_SECS = 2.0
"""How long a request waits for others who write; then the page is told to come again."""


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
    limits = party.settings.annotate
    service = PartyService(
        party=party,
        present=PresentParty(party),
        now=now,
        tokens=tokens,
        # A name that no other party has, so that a browser keeps their work apart.
        party_id=name_party(party.catalogue, at=now())[:16],
        shared=SharedCounts(is_kept=keeps_counts),
        reach=reach,
    )
    parts = Parts(
        secret_key=load_secret_key(party.folder),
        cookie="vocparty",
        place="party",
        session_hours=limits.session_hours,
        max_body_bytes=limits.max_body_bytes,
        static=STATIC,
        texts=TEXTS,
        show_error=show_error,
    )
    app = begin_app(__name__, service, parts)
    app.json = PartyJson(app)
    api = Blueprint("api", __name__, url_prefix="/api/v1")
    for name in API_MODULES.split():
        api.register_blueprint(import_module(f".api.{name}", __package__).blueprint)
    app.register_blueprint(api)
    for blueprint in (signin, pages, statistics, images):
        app.register_blueprint(blueprint)
    prepare_templates(app)
    prepare_rendering()
    limit_guesses(app, LIMITED, limits.signins_per_minute)
    refuse_unguarded(app)
    return app
