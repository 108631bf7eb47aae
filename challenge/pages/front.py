"""The front page: what the challenge is, what is open now, and how to enter."""

from __future__ import annotations

from flask import Blueprint
from flask.typing import ResponseReturnValue

from challenge import phases
from challenge.database import load_contest, load_frozen
from web.guard import open_to_everyone
from web.service import make_link

from .layout import show
from .service import current_service

front = Blueprint("front", __name__)


@front.get("/")
@open_to_everyone("whoever thinks of taking part reads the rules first")
def home() -> ResponseReturnValue:
    """Phases, measures and rules, all frozen, and the way to enter."""
    service = current_service()
    with service.catalogue.reading() as database:
        dates = phases.load_dates(database)
        return show(
            "front.html",
            database,
            frozen=load_frozen(database),
            ended_at=load_contest(database).ended_at,
            dates=dates,
            now=phases.find_phase(dates, service.now()),
            at=service.now(),
            limits=service.challenge.settings.limits,
            upload_url=make_link("uploads.receive"),
        )
