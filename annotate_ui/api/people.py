"""People and party codes, as organisers manage them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import Field

from catalog.refusals import InvalidError, NotFoundError, StaleError, refuse
from catalog.states import Role
from catalog.tables import Invitation, Lease, Person
from web.language import translate
from web.service import make_link
from work import people
from work.lease_endings import release_leases
from work.people import display_name
from work.undo import describe_undo, describe_version, plan_undo, undo_person
from work.visit import Visit

from .answers import Json, tell
from .schemas import Reply, Routes, like, shape
from .told import PersonName

blueprint = Routes("people", __name__)

RoleField = Annotated[Role, Field(strict=False)]
Name = Annotated[str, Field(min_length=1, max_length=people.MAX_NAME_LENGTH)]
Hours = Annotated[float, Field(gt=0, le=168, allow_inf_nan=False)]
MostPeople = Annotated[int, Field(ge=1, le=1000)]
Version = Annotated[str, Field(max_length=100)]
Moment = Annotated[datetime | None, Field(strict=False)]


MemberTold = shape(
    "MemberTold: a person as organisers see them.",
    PersonName,
    **like(Person, "role created_at seen_at ended_at trained_at"),
    walked_in=bool,
)
Link = shape("Link: an address with its QR code as an image.", url=str, qr=str)
Code = shape(
    "Code: a party code; at most `most_people` may walk in with it.",
    Link,
    **like(Invitation, "id code people"),
    most_people=int,
    expires_at=datetime,
)
_LINKED = {"person": MemberTold, "link": Link}


@blueprint.on_get("/people", told={"people": [MemberTold], "codes": [Code]})
def show_people(visit: Visit) -> Reply:
    """Everybody, and the party codes that are open."""
    members = [format_member(person) for person in people.list_people(visit.session)]
    codes = people.list_open_codes(visit.session, at=visit.at)
    return {"people": members, "codes": [_format_code(code) for code in codes]}


@blueprint.on_post("/people", told=_LINKED)
def post_person(visit: Visit, *, name: Name, role: RoleField) -> Reply:
    """The new person and their link, which is not shown again."""
    token = visit.tokens()
    person = people.add_person(visit.session, name, role, token=token, at=visit.at)
    return {
        "person": format_member(person),
        "link": _make_link("signin.show_link", token=token),
    }, 201


@blueprint.on_post("/people/<int:person_id>/link", told=_LINKED)
def post_link(visit: Visit, person_id: int) -> Reply:
    """A new link; the older one and its sessions are void."""
    token = visit.tokens()
    person = people.renew_link(visit.session, _get_other(visit, person_id).name, token=token)
    return {"person": format_member(person), "link": _make_link("signin.show_link", token=token)}


@blueprint.on_post("/people/<int:person_id>/end", told={"person": MemberTold})
def post_end(visit: Visit, person_id: int) -> Reply:
    """The person, whose link and sessions are void and who holds no image."""
    person = people.end_link(visit.session, _get_other(visit, person_id).name, at=visit.at)
    return {"person": format_member(person)}


@blueprint.on_post(
    "/people/<int:person_id>/undo",
    told={"lines": list[str], "images": list[int], "version": str},
)
def post_undo(
    visit: Visit, person_id: int, *, since: Moment = None, dry_run: bool, version: Version = ""
) -> Reply:
    """What was set aside of a person's work, or with `dry_run` would be, in sentences.

    `version` is that of the answer that the sender confirms; 409 where other work would be undone.
    """
    person, start = _get_other(visit, person_id), _to_utc(since)
    if dry_run:
        found = plan_undo(visit.session, person, start)
    else:
        found = undo_person(visit.session, visit.party, person, start, at=visit.at)
        if describe_version(found) != version:
            raise StaleError(
                f"{display_name(person)}'s work changed since it was shown, so nothing was undone. "
                "Revoke the link first if they are still at work, then look at it again."
            )
    lines = describe_undo(found, is_done=not dry_run)
    return {
        "lines": [translate(line) for line in lines],
        "images": [way.image_id for way in found.ways],
        "version": describe_version(found),
    }


@blueprint.on_post("/people/<int:person_id>/role", told={"person": MemberTold})
def post_role(visit: Visit, person_id: int, *, role: RoleField) -> Reply:
    """The person in their new role, from their next request on; what they held goes back."""
    person = _get_other(visit, person_id)
    if person.role is not role:
        release_leases(visit.session, Lease.person_id == person.id, "given_back", at=visit.at)
        person.role = role
    return {"person": format_member(person)}


@blueprint.on_post("/party-codes", told={"code": Code})
def post_code(visit: Visit, *, hours: Hours, most_people: MostPeople) -> Reply:
    """A party code by which annotators may walk in."""
    invitation = Invitation(
        code=people.make_code(visit.tokens()),
        role=Role.ANNOTATOR,
        person_id=visit.person.id,
        people=0,
        most_people=most_people,
        created_at=visit.at,
        expires_at=visit.at + timedelta(hours=hours),
    )
    visit.session.add(invitation)
    visit.session.flush()
    return {"code": _format_code(invitation)}, 201


@blueprint.on_post("/party-codes/<int:invitation_id>/end")
def post_code_end(visit: Visit, invitation_id: int) -> Reply:
    """Nothing; the code lets no more people in, and who came in stays."""
    invitation = visit.session.get(Invitation, invitation_id)
    if invitation is None:
        raise NotFoundError(f"Party code {invitation_id} does not exist.")
    invitation.ended_at = invitation.ended_at or visit.at
    return {}


def format_member(person: Person) -> Json:
    """A person as organisers see them."""
    walked_in = person.invitation_id is not None
    return tell(MemberTold, person, name=people.display_name(person), walked_in=walked_in)


def _get_other(visit: Visit, person_id: int) -> Person:
    """Another person; organisers cannot lock themselves out."""
    if person_id == visit.person.id:
        raise InvalidError("Only another organiser can change your link and role.")
    return people.get_person_of(visit.session, person_id)


def _to_utc(since: datetime | None) -> datetime | None:
    if since is None:
        return None
    if since.tzinfo is None:
        refuse("since", "expected a time with its zone")
    try:
        return since.astimezone(UTC)
    except OverflowError:
        refuse("since", f"the calendar has no {since.isoformat()}")


def _format_code(code: Invitation) -> Json:
    return tell(Code, code, **_make_link("signin.show_door", code=code.code))


def _make_link(endpoint: str, **values: str) -> Json:
    url = make_link(endpoint, **values)
    return {"url": url, "qr": people.draw_qr(url)}
