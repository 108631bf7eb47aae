"""People and party codes, as organisers manage them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from flask import Blueprint, request, url_for
from flask.typing import ResponseReturnValue
from pydantic import Field

from annotate_ui.errors import InvalidError, NotFoundError, PersonError
from annotate_ui.organise.people import (
    MAX_NAME_LENGTH,
    add_person,
    clean_name,
    display_name,
    draw_qr,
    end_code,
    end_link,
    list_open_codes,
    list_people,
    open_code,
    renew_link,
)
from annotate_ui.organise.undo import describe_undo, plan_undo, undo_person
from annotate_ui.roles import allowed
from annotate_ui.visit import Visit
from annotate_ui.work.leases import release_leases
from catalog.states import Role
from catalog.tables import Invitation, Lease, Person

from .answers import Json, format_moment_or_none
from .schemas import MAX_ID, Body, EmptyBody, parse_body

blueprint = Blueprint("people", __name__)

_ID = f"<int(max={MAX_ID}):person_id>"
RoleField = Annotated[Role, Field(strict=False)]


class PersonBody(Body):
    """POST /people."""

    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH)]
    role: RoleField


class RoleBody(Body):
    """POST /people/ID/role."""

    role: RoleField


class UndoBody(Body):
    """POST /people/ID/undo."""

    since: Annotated[datetime | None, Field(strict=False)] = None
    dry_run: bool


class CodeBody(Body):
    """POST /party-codes."""

    hours: Annotated[float, Field(gt=0, le=168, allow_inf_nan=False)]
    most_people: Annotated[int, Field(ge=1, le=1000)]


@blueprint.get("/people")
@allowed(Role.ORGANISER)
def show_people(visit: Visit) -> ResponseReturnValue:
    """Everybody, and the party codes that are open."""
    codes = list_open_codes(visit.session, at=visit.at)
    return {
        "people": [format_member(person) for person in list_people(visit.session)],
        "codes": [_format_code(code) for code in codes],
    }


@blueprint.post("/people")
@allowed(Role.ORGANISER)
def post_person(visit: Visit) -> ResponseReturnValue:
    """The new person and their link, which is not shown again."""
    body = parse_body(PersonBody, request.get_data())
    token = visit.tokens()
    try:
        clean_name(body.name)
    except PersonError as error:
        raise InvalidError(f"name is wrong: {error}", field="name") from error
    try:
        person = add_person(visit.session, body.name, body.role, token=token, at=visit.at)
    except PersonError as error:
        raise InvalidError(str(error), field="name") from error
    return {"person": format_member(person), "link": _format_link(token)}, 201


@blueprint.post(f"/people/{_ID}/link")
@allowed(Role.ORGANISER)
def post_link(visit: Visit, person_id: int) -> ResponseReturnValue:
    """A new link; the older one and its sessions are void."""
    parse_body(EmptyBody, request.get_data())
    token = visit.tokens()
    person = renew_link(visit.session, _get_other(visit, person_id).name, token=token)
    return {"person": format_member(person), "link": _format_link(token)}


@blueprint.post(f"/people/{_ID}/end")
@allowed(Role.ORGANISER)
def post_end(visit: Visit, person_id: int) -> ResponseReturnValue:
    """The person, whose link and sessions are void and who holds no image."""
    parse_body(EmptyBody, request.get_data())
    person = end_link(visit.session, _get_other(visit, person_id).name, at=visit.at)
    return {"person": format_member(person)}


@blueprint.post(f"/people/{_ID}/undo")
@allowed(Role.ORGANISER)
def post_undo(visit: Visit, person_id: int) -> ResponseReturnValue:
    """What was set aside of a person's work, or with `dry_run` would be, in sentences."""
    body = parse_body(UndoBody, request.get_data())
    person = _get_other(visit, person_id)
    if body.since is not None and body.since.tzinfo is None:
        raise InvalidError("since is wrong: expected a time with its zone.", field="since")
    if body.dry_run:
        found = plan_undo(visit.session, person, body.since)
    else:
        found = undo_person(visit.session, visit.party, person, body.since, at=visit.at)
    lines = describe_undo(found, is_done=not body.dry_run)
    return {"lines": lines, "images": [way.image_id for way in found.ways]}


@blueprint.post(f"/people/{_ID}/role")
@allowed(Role.ORGANISER)
def post_role(visit: Visit, person_id: int) -> ResponseReturnValue:
    """The person in their new role, from their next request on; what they held goes back."""
    body = parse_body(RoleBody, request.get_data())
    person = _get_other(visit, person_id)
    if person.role is not body.role:
        release_leases(visit.session, Lease.person_id == person.id, "given_back", at=visit.at)
        person.role = body.role
    return {"person": format_member(person)}


@blueprint.post("/party-codes")
@allowed(Role.ORGANISER)
def post_code(visit: Visit) -> ResponseReturnValue:
    """A party code by which annotators may walk in."""
    body = parse_body(CodeBody, request.get_data())
    code = open_code(visit, hours=body.hours, most_people=body.most_people)
    return {"code": _format_code(code)}, 201


@blueprint.post(f"/party-codes/<int(max={MAX_ID}):invitation_id>/end")
@allowed(Role.ORGANISER)
def post_code_end(visit: Visit, invitation_id: int) -> ResponseReturnValue:
    """Nothing; the code lets no more people in."""
    parse_body(EmptyBody, request.get_data())
    end_code(visit, invitation_id)
    return {}


def format_member(person: Person) -> Json:
    """A person as organisers see them."""
    return {
        "id": person.id,
        "name": display_name(person),
        "role": person.role,
        "seen_at": format_moment_or_none(person.seen_at),
        "created_at": format_moment_or_none(person.created_at),
        "ended_at": format_moment_or_none(person.ended_at),
        "trained_at": format_moment_or_none(person.trained_at),
        "walked_in": person.invitation_id is not None,
    }


def _get_other(visit: Visit, person_id: int) -> Person:
    """Another person; organisers cannot lock themselves out."""
    if person_id == visit.person.id:
        raise InvalidError("Your own link and role can only be changed by another organiser.")
    person = visit.session.get(Person, person_id)
    if person is None:
        raise NotFoundError(f"There is no person {person_id}.")
    return person


def _format_link(token: str) -> Json:
    url = url_for("signin.show_link", token=token, _external=True)
    return {"url": url, "qr": draw_qr(url)}


def _format_code(code: Invitation) -> Json:
    url = url_for("signin.show_door", code=code.code, _external=True)
    return {
        "id": code.id,
        "code": code.code,
        "people": code.people,
        "most_people": code.most_people,
        "expires_at": format_moment_or_none(code.expires_at),
        "url": url,
        "qr": draw_qr(url),
    }
