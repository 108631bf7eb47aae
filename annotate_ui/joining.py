"""The door for walk-ins: a party code, a name, and a personal link to come back with."""

from __future__ import annotations

from flask import Blueprint, render_template, request, url_for
from flask.typing import ResponseReturnValue

from .errors import InvalidError, PersonError
from .invitations import clean_code, draw_qr, list_open_codes, walk_in
from .people import clean_name
from .roles import open_to_everyone
from .service import current_service
from .sessions import begin_session

joining = Blueprint("joining", __name__)

_BECAUSE = "walk-ins have no link yet; only an open party code lets them in"


@joining.get("/join")
@open_to_everyone(_BECAUSE)
def show_door() -> ResponseReturnValue:
    """A form for code and name; the code may stand in the address."""
    return _show_door(clean_code(request.args.get("code", "")), "", "")


@joining.post("/join")
@open_to_everyone(_BECAUSE)
def join() -> ResponseReturnValue:
    """The new person's own link, shown once, and the way in; or the form and what is wrong."""
    service = current_service()
    code, name = request.form.get("code", ""), request.form.get("name", "")
    token, at = service.tokens(), service.now()
    try:
        clean_name(name)
        with service.party.catalogue.writing() as session:
            person = walk_in(session, code, name, token=token, at=at)
            person.seen_at = at
            session.flush()
            begin_session(person, at=at)
    except InvalidError as error:
        return _show_door(clean_code(code), name, str(error)), error.status
    except PersonError:
        message = "This name is taken, or cannot be one; choose another, such as your full name."
        return _show_door(clean_code(code), name, message), 422
    link = url_for("signin.show_link", token=token, _external=True)
    return render_template("joined.html", name=person.name, link=link, qr=draw_qr(link))


def _show_door(code: str, name: str, problem: str) -> str:
    service = current_service()
    with service.party.catalogue.reading() as session:
        is_open = bool(list_open_codes(session, at=service.now()))
    return render_template(
        "join.html", code=code, name=name[:100], problem=problem, is_open=is_open
    )
