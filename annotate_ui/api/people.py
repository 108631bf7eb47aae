"""People and party codes, as organisers manage them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import Field

from catalog.imports import load_imports
from catalog.refusals import InvalidError, NotFoundError, StaleError, refuse
from catalog.sentences import say
from catalog.states import Role
from catalog.tables import Invitation, Lease, Person
from web.guard import Later
from web.language import translate
from web.service import make_link
from work import people
from work.bodies import Body
from work.lease_endings import release_free
from work.people import display_name
from work.shown import version_of_person
from work.undo import plan_undo, undo_person, version_of_undo
from work.undo_words import describe_undo
from work.visit import Visit

from .names import PersonName, show_name
from .schemas import Answer, NoAnswer, Now, Reply, Routes, Shown, Version, VersionBody

blueprint = Routes("people", __name__)


class PersonBody(Body):
    """A new person."""

    name: Annotated[str, Field(min_length=1, max_length=people.MAX_NAME_LENGTH)]
    role: Annotated[Role, Field(strict=False)]


class RoleBody(Body):
    """The new role of a person."""

    role: Annotated[Role, Field(strict=False)]
    version: Version


class UndoBody(Body):
    """Which work of a person is undone: all, or since a moment.

    `version` is that of the answer that the sender confirms.
    """

    since: Annotated[datetime | None, Field(strict=False)] = None
    dry_run: bool
    version: Annotated[str, Field(max_length=100)] = ""


class CodeBody(Body):
    """A new party code: for how many hours it holds, and for how many people."""

    hours: Annotated[float, Field(gt=0, le=168, allow_inf_nan=False)]
    most_people: Annotated[int, Field(ge=1, le=1000)]


class Member(PersonName):
    """A person as organisers see them."""

    role: Role
    created_at: datetime
    seen_at: datetime | None
    ended_at: datetime | None
    trained_at: datetime | None
    walked_in: bool
    version: str


class Link(Answer):
    """An address with its QR code as an image."""

    url: str
    qr: str


class Code(Link):
    """A party code; at most `most_people` may walk in with it."""

    id: int
    code: str
    people: int
    most_people: int | None
    expires_at: datetime | None


class PeoplePage(Answer):
    """Everybody, the ids of those who stand for an import, and the party codes that are open."""

    people: list[Member]
    imports: list[int]
    codes: list[Code]


class LinkedPerson(Answer):
    """A person and their new link, which is not shown again."""

    person: Member
    link: Link


class ChangedPerson(Answer):
    """A person as they are after a change."""

    person: Member


class UndoneWork(Answer):
    """What was or would be set aside, in sentences, of which images, and its version."""

    lines: list[str]
    images: list[int]
    version: str


class NewCode(Answer):
    """A party code that was made."""

    code: Code


@blueprint.on_get("/people", answers=PeoplePage)
def show_people(visit: Visit) -> Reply:
    """Everybody, the ids of those who stand for an import, and the party codes that are open."""
    members = [_make_member(person) for person in people.list_people(visit.session)]
    codes = people.list_open_codes(visit.session, at=visit.at)
    return PeoplePage(
        people=members,
        imports=sorted(load_imports(visit.session)),
        codes=[_make_code(code) for code in codes],
    )


@blueprint.on_post("/people", answers=LinkedPerson)
def post_person(visit: Visit, body: PersonBody) -> Later:
    """The new person and their link, which is not shown again."""
    token = visit.tokens()
    person = people.add_person(visit.session, body.name, body.role, token=token, at=visit.at)
    member = _make_member(person)
    return Later(lambda _visit: (LinkedPerson(person=member, link=_make_link(token)), 201))


def _load_now(visit: Visit, person_id: int) -> Now:
    """The person as they are now, whom no one else changes; raises NotFoundError."""
    person = people.get_person_of(visit.session, person_id)
    people.lock_person(visit.session, person)
    return Now(version_of_person(person), ChangedPerson(person=_make_member(person)))


_SHOWN = Shown("version", _load_now)


@blueprint.on_post("/people/<int:person_id>/link", shows=_SHOWN, answers=LinkedPerson)
def post_link(visit: Visit, person_id: int, body: VersionBody) -> Later:
    """A new link; the older one and its sessions are void."""
    token = visit.tokens()
    person = people.renew_link(visit.session, _get_other(visit, person_id).name, token=token)
    member = _make_member(person)
    return Later(lambda _visit: LinkedPerson(person=member, link=_make_link(token)))


@blueprint.on_post("/people/<int:person_id>/end", shows=_SHOWN, answers=ChangedPerson)
def post_end(visit: Visit, person_id: int, body: VersionBody) -> Reply:
    """The person, whose link and sessions are void and who holds no image."""
    person = people.end_link(visit.session, _get_other(visit, person_id).name, at=visit.at)
    return ChangedPerson(person=_make_member(person))


@blueprint.on_post("/people/<int:person_id>/undo", shows=Shown("version"), answers=UndoneWork)
def post_undo(visit: Visit, person_id: int, body: UndoBody) -> Reply:
    """What was set aside of a person's work, or with `dry_run` would be, in sentences.

    409 where other work would be undone than the sender confirms.
    """
    person = _get_other(visit, person_id)
    start = _to_utc(body.since)
    if body.dry_run:
        undo = plan_undo(visit.session, person, start)
    else:
        undo = undo_person(visit.session, person, start, at=visit.at, organiser=visit.person)
        visit.changed.update(way.image_id for way in undo.ways)
        visit.changed.update(undo.followed.reopened, undo.followed.discarded)
        if version_of_undo(undo) != body.version:
            raise StaleError(
                say(
                    "{person}'s work changed since it was shown, so nothing was undone. Revoke "
                    "the link first if they are still at work, then look at it again.",
                    person=display_name(person),
                )
            )
    lines = describe_undo(undo, is_done=not body.dry_run)
    return UndoneWork(
        lines=[translate(line) for line in lines],
        images=[way.image_id for way in undo.ways],
        version=version_of_undo(undo),
    )


@blueprint.on_post("/people/<int:person_id>/role", shows=_SHOWN, answers=ChangedPerson)
def post_role(visit: Visit, person_id: int, body: RoleBody) -> Reply:
    """The person in their new role; what they held goes back, and their sessions end.

    So one who becomes an organiser opens the link again, and gives the organisers' password.
    """
    person = _get_other(visit, person_id)
    if person.role is not body.role:
        release_free(visit.session, Lease.person_id == person.id, "given_back", at=visit.at)
        person.role = body.role
    return ChangedPerson(person=_make_member(person))


@blueprint.on_post("/party-codes", answers=NewCode)
def post_code(visit: Visit, body: CodeBody) -> Later:
    """A party code by which annotators may walk in."""
    invitation = Invitation(
        code=people.make_code(visit.tokens()),
        role=Role.ANNOTATOR,
        person_id=visit.person.id,
        people=0,
        most_people=body.most_people,
        created_at=visit.at,
        expires_at=visit.at + timedelta(hours=body.hours),
    )
    visit.session.add(invitation)
    visit.session.flush()
    return Later(lambda _visit: (NewCode(code=_make_code(invitation)), 201))


@blueprint.on_post("/party-codes/<int:invitation_id>/end")
def post_code_end(visit: Visit, invitation_id: int) -> Reply:
    """Nothing; the code lets no more people in, and who came in stays."""
    invitation = visit.session.get(Invitation, invitation_id)
    if invitation is None:
        raise NotFoundError(say("Party code {number} does not exist.", number=invitation_id))
    invitation.ended_at = invitation.ended_at or visit.at
    return NoAnswer()


def _make_member(person: Person) -> Member:
    """A person as organisers see them."""
    return Member(
        id=person.id,
        name=show_name(person),
        role=person.role,
        created_at=person.created_at,
        seen_at=person.seen_at,
        ended_at=person.ended_at,
        trained_at=person.trained_at,
        walked_in=person.invitation_id is not None,
        version=version_of_person(person),
    )


def _get_other(visit: Visit, person_id: int) -> Person:
    """Another person; organisers cannot lock themselves out."""
    if person_id == visit.person.id:
        raise InvalidError(say("Only another organiser can change your link and role."))
    return people.get_person_of(visit.session, person_id)


def _to_utc(since: datetime | None) -> datetime | None:
    if since is None:
        return None
    if since.tzinfo is None:
        refuse("since", say("expected a time with its zone"))
    try:
        return since.astimezone(UTC)
    except OverflowError:
        refuse("since", say("the calendar has no {moment}", moment=since.isoformat()))


def _make_code(invitation: Invitation) -> Code:
    url = make_link("signin.show_door", code=invitation.code)
    return Code(
        url=url,
        qr=people.draw_qr(url),
        id=invitation.id,
        code=invitation.code,
        people=invitation.people,
        most_people=invitation.most_people,
        expires_at=invitation.expires_at,
    )


def _make_link(token: str) -> Link:
    url = make_link("signin.show_link", token=token)
    return Link(url=url, qr=people.draw_qr(url))
