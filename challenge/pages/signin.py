"""Signing in by personal link, and signing out."""

from __future__ import annotations

from flask import Blueprint, g, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from catalog.refusals import NotFoundError, SignedOutError
from catalog.sentences import say
from web.guard import open_to_everyone
from web.sessions import begin_session

from .service import Owner, Role, current_service, end_session, get_owner

signin = Blueprint("signin", __name__)

FIRST_PAGES = {Role.TEAM: "team.show_team", Role.ORGANISER: "organising.show"}
LIMITED = ("signin.show_link", "signin.enter")
_NOT_SIGNED_IN_YET = "who has a personal link is not signed in yet"


@signin.get("/enter/<token>")
@open_to_everyone(_NOT_SIGNED_IN_YET)
def show_link(token: str) -> ResponseReturnValue:
    """Whose link it is, and one button; changes nothing."""
    with current_service().catalogue.reading() as database:
        owner = _get_owner(database, token)
        return render_template("enter.html", link_owner=owner, visitor=None)


@signin.post("/enter/<token>")
@open_to_everyone(_NOT_SIGNED_IN_YET)
def enter(token: str) -> ResponseReturnValue:
    """The way to the first page of the team or organiser, with a session."""
    service = current_service()
    with service.catalogue.writing() as database:
        owner = _get_owner(database, token)
        owner.seen_at = service.now()
        begin_session(owner, at=service.now())
        return redirect(url_for(FIRST_PAGES[Role(owner.role)]), code=303)


@signin.post("/sign-out")
@open_to_everyone("signing out twice does no harm")
def sign_out() -> ResponseReturnValue:
    """A page that says that one is signed out."""
    service = current_service()
    with service.catalogue.writing() as database:
        end_session(database, at=service.now())
    message = say("To sign in again, open your personal link.")
    title = say("You are signed out")
    return render_template(
        "error.html", title=title, message=message, is_signed_out=True, visitor=None
    )


def _get_owner(database: Session, token: str) -> Owner:
    try:
        return get_owner(database, token)
    except SignedOutError as error:
        g.is_guess = True
        raise NotFoundError(
            say(
                "This link is unknown, or it was renewed or ended; perhaps it was not copied "
                "whole. Ask the organisers for a new one."
            )
        ) from error
