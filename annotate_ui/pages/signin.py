"""Signing in by personal link, coming in by a party code, and signing out."""

from __future__ import annotations

import hmac

from flask import (
    Blueprint,
    g,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue
from flask.wrappers import Response
from sqlalchemy.orm import Session

from annotate_ui.guard import EVERYBODY, allowed
from annotate_ui.service import current_service
from annotate_ui.visitors import end_session, get_visitor
from catalog.image_store import digest_of
from catalog.refusals import InvalidError, NotFoundError, SignedOutError
from catalog.sentences import say
from catalog.states import Role
from catalog.tables import Person
from web.guard import open_to_everyone
from web.refusals import get_answer
from web.service import make_link
from web.sessions import begin_session, require_session
from work import people
from work.gold import has_drawn, is_in_training
from work.visit import Visit

signin = Blueprint("signin", __name__)

FIRST_PAGES = {Role.ANNOTATOR: "annotate", Role.CHECKER: "check", Role.ORGANISER: "board"}
LINK_COOKIE = "vocparty_link"
"""Holds a link for the page that shows it, and is sent to no other."""
LINK_SHOWN_SECS = 3600
LIMITED = ("signin.show_link", "signin.enter", "signin.show_door", "signin.join")
_NOT_SIGNED_IN_YET = "a person with a personal link is not signed in yet"
_WITHOUT_LINK_YET = "walk-ins have no link yet; only an open party code lets them in"


@signin.get("/enter/<token>")
@open_to_everyone(_NOT_SIGNED_IN_YET)
def show_link(token: str) -> ResponseReturnValue:
    """Whose link it is, and one button; changes nothing."""
    with current_service().party.catalogue.reading() as session:
        return _show_link(_get_owner(session, token))


@signin.post("/enter/<token>")
@open_to_everyone(_NOT_SIGNED_IN_YET)
def enter(token: str) -> ResponseReturnValue:
    """The way to the person's first page, with a session; new people are led to the training."""
    service = current_service()
    with service.party.catalogue.reading() as session:
        person = _get_owner(session, token)
        if _needs_password(person):
            password = service.party.settings.serve.organiser_password.encode()
            if not hmac.compare_digest(request.form.get("password", "").encode(), password):
                g.is_guess = True
                return _show_link(person, say("Wrong password. Try again.")), 403
    with service.party.catalogue.writing() as session:
        person = _get_owner(session, token)
        at = service.now()
        was_seen = person.seen_at is not None
        person.seen_at = at
        begin_session(person, at=at)
        visit = Visit(service.party, session, person, at, service.tokens)
        return redirect(_choose_first_page(visit, was_seen), code=303)


@signin.get("/join")
@open_to_everyone(_WITHOUT_LINK_YET)
def show_door() -> ResponseReturnValue:
    """A form for code and name; the code may stand in the address."""
    return _show_door(people.clean_code(request.args.get("code", "")), "", "")


@signin.post("/join")
@open_to_everyone(_WITHOUT_LINK_YET)
def join() -> ResponseReturnValue:
    """The way to the new person's own link; or the form and what is wrong."""
    service = current_service()
    code = request.form.get("code", "")
    name = request.form.get("name", "")
    if _find_visitor() is not None:
        return _show_door(people.clean_code(code), name, ""), 409
    token = service.tokens()
    at = service.now()
    try:
        people.clean_name(name)
        with service.party.catalogue.writing() as session:
            person = people.walk_in(session, code, name, token=token, at=at)
            person.seen_at = at
            session.flush()
            begin_session(person, at=at)
    except InvalidError as error:
        message = error.message
        g.is_guess = error.field == "code"
        if error.field == "name":
            message = say(
                "This name is taken, too similar to another, or not allowed. If you are {name}, "
                "ask the organiser for a new link; otherwise choose another name.",
                name=" ".join(name.split())[:100],
            )
        return _show_door(people.clean_code(code), name, message), get_answer(type(error)).status
    return _lead_to_welcome(token)


@signin.get("/welcome")
@allowed(*EVERYBODY)
def show_welcome(visit: Visit) -> ResponseReturnValue:
    """The visitor's own link, in the browser in which it was made lately, and a way to renew it."""
    token = request.cookies.get(LINK_COOKIE, "")
    is_theirs = digest_of(token.encode()) == visit.person.credential_sha256
    link = make_link("signin.show_link", token=token) if is_theirs else ""
    qr = people.draw_qr(link) if link else ""
    return render_template("welcome.html", person=visit.person, link=link, qr=qr)


@signin.post("/welcome/link")
@allowed(*EVERYBODY)
def renew_own_link(visit: Visit) -> ResponseReturnValue:
    """The way to the visitor's new link; the older one and its other sessions are void."""
    token = visit.tokens()
    begin_session(people.renew_link(visit.session, visit.person.name, token=token), at=visit.at)
    return _lead_to_welcome(token)


@signin.post("/sign-out")
@open_to_everyone("signing out twice does no harm")
def sign_out() -> ResponseReturnValue:
    """A page that says that one is signed out."""
    with current_service().party.catalogue.writing() as session:
        end_session(session, at=current_service().now())
    message = say("To sign in again, open your personal link.")
    return render_template("signed_out.html", message=message)


def _lead_to_welcome(token: str) -> Response:
    """The way to the page that shows this link, for which the browser keeps it for a while."""
    response = make_response(redirect(url_for("signin.show_welcome"), code=303))
    response.set_cookie(
        LINK_COOKIE,
        token,
        max_age=LINK_SHOWN_SECS,
        path=url_for("signin.show_welcome"),
        secure=request.is_secure,
        httponly=True,
        samesite="Strict",
    )
    return response


def _find_visitor() -> Person | None:
    """Who is signed in already, or None."""
    try:
        require_session()
        with current_service().party.catalogue.reading() as session:
            return get_visitor(session)[0]
    except SignedOutError:
        return None


def _choose_first_page(visit: Visit, was_seen: bool) -> str:
    """Where a person begins; an annotator who never came is shown the guidelines once."""
    if is_in_training(visit):
        return url_for("pages.training")
    if visit.person.role is Role.ANNOTATOR and not was_seen and not has_drawn(visit, visit.person):
        return url_for("pages.training", new="yes")
    return url_for(f"pages.{FIRST_PAGES[visit.person.role]}")


def _show_door(code: str, name: str, problem: str) -> str:
    service = current_service()
    with service.party.catalogue.reading() as session:
        is_open = bool(people.list_open_codes(session, at=service.now()))
    door = {"code": code, "name": name[:100], "problem": problem, "is_open": is_open}
    return render_template("join.html", visitor=_find_visitor(), **door)


def _show_link(person: Person, problem: str = "") -> str:
    asks = _needs_password(person)
    return render_template("enter.html", link_owner=person, asks_password=asks, problem=problem)


def _needs_password(person: Person) -> bool:
    password = current_service().party.settings.serve.organiser_password
    return bool(password) and person.role is Role.ORGANISER


def _get_owner(session: Session, token: str) -> Person:
    person = people.find_link_owner(session, token)
    if person is None:
        g.is_guess = True
        if people.is_revoked_link(session, token):
            raise NotFoundError(say("This link was revoked. Ask the organiser for a new one."))
        if people.is_renewed_link(session, token):
            raise NotFoundError(
                say("This link was renewed. Open the newer one, or ask the organiser for it.")
            )
        raise NotFoundError(
            say(
                "This link is unknown; perhaps it was not copied whole. Ask the organiser for a "
                "new one."
            )
        )
    return person
