"""Signing in by personal link and signing out."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Flask, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from sqlalchemy.orm import Session

from catalog.states import Role
from catalog.tables import Person

from .errors import NotFoundError
from .people import find_link_owner
from .roles import open_to_everyone
from .service import current_service
from .sessions import begin_session, end_session
from .training import has_drawn, is_in_training
from .visit import Visit

signin = Blueprint("signin", __name__)

FIRST_PAGES = {
    Role.ANNOTATOR: "pages.annotate",
    Role.CHECKER: "pages.check",
    Role.ORGANISER: "pages.board",
}
_STRANGERS_HAVE_LINKS = "whoever has a personal link is not signed in yet"


@signin.get("/enter/<token>")
@open_to_everyone(_STRANGERS_HAVE_LINKS)
def show_link(token: str) -> ResponseReturnValue:
    """Whose link it is, and one button; changes nothing."""
    with current_service().party.catalogue.reading() as session:
        return render_template("enter.html", link_owner=_get_owner(session, token))


@signin.post("/enter/<token>")
@open_to_everyone(_STRANGERS_HAVE_LINKS)
def enter(token: str) -> ResponseReturnValue:
    """The way to the person's first page, with a session; new people are led to the training.

    There are the guidelines with examples, also where no training images are asked for.
    """
    service = current_service()
    with service.party.catalogue.writing() as session:
        person = _get_owner(session, token)
        at = service.now()
        was_seen = person.seen_at is not None
        person.seen_at = at
        begin_session(person, at=at)
        visit = Visit(service.party, session, person, at, service.tokens)
        return redirect(_choose_first_page(visit, was_seen), code=303)


@signin.post("/sign-out")
@open_to_everyone("signing out twice does no harm")
def sign_out() -> ResponseReturnValue:
    """A page that says that one is signed out."""
    end_session()
    message = "Until next time. Your personal link lets you in again."
    return render_template("signed_out.html", message=message)


def limit_signins(app: Flask) -> None:
    """Let one address try only so many links a minute, each process counting for itself."""
    limit = f"{current_limit(app)} per minute"
    limiter = Limiter(
        get_remote_address,
        app=app,
        storage_uri="memory://",
        strategy="moving-window",
        headers_enabled=True,
    )
    for endpoint in ("signin.show_link", "signin.enter", "joining.show_door", "joining.join"):
        view: Any = limiter.limit(limit)(app.view_functions[endpoint])
        app.view_functions[endpoint] = view


def current_limit(app: Flask) -> int:
    """How often one address may try in a minute."""
    with app.app_context():
        return current_service().party.settings.annotate.signins_per_minute


def _choose_first_page(visit: Visit, was_seen: bool) -> str:
    """Where a person begins; an annotator who never came is shown the guidelines once."""
    if is_in_training(visit):
        return url_for("organising.training")
    if visit.person.role is Role.ANNOTATOR and not was_seen and not has_drawn(visit, visit.person):
        return url_for("organising.training", new="yes")
    return url_for(FIRST_PAGES[visit.person.role])


def _get_owner(session: Session, token: str) -> Person:
    person = find_link_owner(session, token)
    if person is None:
        raise NotFoundError("This link is not known or was ended; ask the organiser for a new one.")
    return person
