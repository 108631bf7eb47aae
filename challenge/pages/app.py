"""The browser application of one challenge."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from flask import Flask

from challenge.database import load_contest
from challenge.folder import Challenge
from vockit.format.whole_file import digest_of
from web.app import Parts, begin_app, limit_guesses
from web.guard import refuse_unguarded
from web.sessions import load_secret_key

from .boards import boards
from .front import front
from .layout import prepare_templates, show_error
from .methods import methods_pages
from .organising import organising
from .service import ChallengeService
from .signin import LIMITED, signin
from .team import team
from .uploads import uploads

STATIC = Path(__file__).parent / "static"
TEXTS = Path(__file__).parent / "texts"
"""The folder of the sentences in other languages."""
KEY_VARIABLE = "VOCPARTY_CHALLENGE_SESSION_KEY"
SESSION_HOURS = 24.0
MOST_BODY_BYTES = 6_000_000
"""Of all but a whole file sent at once: a piece of an upload, a form."""
SIGNINS_PER_MINUTE = 30


def create_app(
    challenge: Challenge,
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    tokens: Callable[[], str] = lambda: secrets.token_urlsafe(24),
    reach: str = "",
) -> Flask:
    """The WSGI application that serves the challenge.

    `reach` is how other computers reach a server that listens to all, where that is known.
    Raises UnguardedRouteError where a route does not say who may call it.
    """
    service = ChallengeService(
        challenge=challenge,
        challenge_id=_name_challenge(challenge),
        now=now,
        tokens=tokens,
        reach=reach,
    )
    parts = Parts(
        secret_key=load_secret_key(challenge.folder, KEY_VARIABLE),
        cookie="vocchallenge",
        place="challenge",
        session_hours=SESSION_HOURS,
        max_body_bytes=MOST_BODY_BYTES,
        static=STATIC,
        texts=TEXTS,
        show_error=show_error,
    )
    app = begin_app(__name__, service, parts)
    for blueprint in (signin, front, team, methods_pages, uploads, boards, organising):
        app.register_blueprint(blueprint)
    prepare_templates(app)
    limit_guesses(app, LIMITED, SIGNINS_PER_MINUTE)
    refuse_unguarded(app)
    return app


def _name_challenge(challenge: Challenge) -> str:
    """A name that no other challenge has, not even one of the same release."""
    with challenge.catalogue.reading() as session:
        contest = load_contest(session)
        return digest_of(f"{contest.release_digest} {contest.made_at}".encode())[:16]
