"""People with their personal links, stored as digests only, and the codes to join a party."""

from __future__ import annotations

from datetime import datetime
from random import Random

from sqlalchemy import ColumnElement, bindparam, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from catalog.image_store import digest_of
from catalog.imports import load_imports
from catalog.locks import lock_images
from catalog.refusals import InvalidError, NotFoundError
from catalog.sentences import say
from catalog.states import Role
from catalog.tables import Invitation, Lease, Person
from catalog.tables.people import describe_look

from .lease_endings import release_free

MAX_NAME_LENGTH = 100
RESERVED_NAMES = frozenset({*Role, "admin", "administrator", "command line", "vocparty"}) | {
    "organisator",
    "prüfer",
}
"""By which pages, also German ones, and commands call somebody, as they look."""
RESERVED_ENDS = ("(simulated)", "(simuliert)", "(command line)")
CODE_LENGTH = 8
ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # without those that look alike on a beamer


def add_person(
    session: Session, name: str, role: Role, *, token: str, at: datetime, is_simulated: bool = False
) -> Person:
    """The new person, who signs in with the token; raises InvalidError for a name that is taken."""
    if not is_simulated:
        _require_free(clean_name(name))
    person = Person(
        name=clean_name(name),
        role=role,
        credential_sha256=digest_of(token.encode()),
        is_simulated=is_simulated,
        created_at=at,
    )
    try:
        with session.begin_nested():
            session.add(person)
    except IntegrityError as error:
        name = person.name
        other = session.scalar(select(Person.name).where(Person.name_key == describe_look(name)))
        message = say(
            "The name {name} is too similar to {other}. Choose another name.",
            name=name,
            other=other or "",
        )
        if other in (None, name):
            message = say(
                "The name {name} is taken. Choose another, or renew its link "
                "(`vocparty people link {name}`).",
                name=name,
            )
        raise InvalidError(message, field="name") from error
    return person


def renew_link(session: Session, name: str, *, token: str) -> Person:
    """The person, whose older link and sessions are void from now on.

    Raises InvalidError for one who stands for an import, whose rows would become a person's work.
    """
    person = get_person(session, name)
    if person.id in load_imports(session):
        message = say("{name} stands for an import; no one signs in as that.", name=person.name)
        raise InvalidError(message)
    person.renewed_sha256 = person.credential_sha256
    person.credential_sha256 = digest_of(token.encode())
    person.ended_at = None
    return person


def end_link(session: Session, name: str, *, at: datetime) -> Person:
    """The person, whose link and sessions are void from now on and who holds no image.

    The person was locked before.
    """
    person = get_person(session, name)
    person.ended_at = person.ended_at or at
    release_free(session, Lease.person_id == person.id, "given_back", at=at)
    return person


def lock_person(session: Session, person: Person) -> None:
    """Let nobody else change the person or take an image for them until the transaction ends.

    Saves of theirs that are under way end first. What they take just before is left to
    `release_free`, since images are locked before people.
    """
    lock_images(session, select(Lease.image_id).where(Lease.person_id == person.id))
    session.refresh(person, with_for_update=True)


def get_person(session: Session, name: str) -> Person:
    """The person of this name; raises NotFoundError where there is none."""
    person = session.scalar(select(Person).where(Person.name == clean_name(name)))
    if person is None:
        raise NotFoundError(
            say("Unknown person {name}. `vocparty people list` shows all names.", name=name)
        )
    return person


def list_people(session: Session) -> list[Person]:
    """Everybody, in the order in which they were added."""
    return list(session.scalars(select(Person).order_by(Person.id)))


_OF_LINK = select(Person).where(
    Person.credential_sha256 == bindparam("sha256"), Person.ended_at.is_(None)
)


def find_link_owner(session: Session, token: str) -> Person | None:
    """The person whose link carries the token, or None where it is unknown or was ended."""
    return session.scalar(_OF_LINK, {"sha256": digest_of(token.encode())})


def is_revoked_link(session: Session, token: str) -> bool:
    """Whether the link is a person's and was revoked."""
    owner = Person.credential_sha256 == digest_of(token.encode())
    return session.scalar(select(Person.id).where(owner, Person.ended_at.is_not(None))) is not None


def is_renewed_link(session: Session, token: str) -> bool:
    """Whether a person had the link until it was last renewed."""
    owner = Person.renewed_sha256 == digest_of(token.encode())
    return session.scalar(select(Person.id).where(owner)) is not None


def get_person_of(session: Session, person_id: int) -> Person:
    """The person of this number; raises NotFoundError where there is none."""
    person = session.get(Person, person_id)
    if person is None:
        raise NotFoundError(say("Person {person_id} does not exist.", person_id=person_id))
    return person


def list_open_codes(session: Session, *, at: datetime) -> list[Invitation]:
    """The codes by which people may still come in."""
    return list(session.scalars(select(Invitation).where(*_is_open(at)).order_by(Invitation.id)))


def walk_in(session: Session, code: str, name: str, *, token: str, at: datetime) -> Person:
    """The new person, else InvalidError for a code that is not open, or for the name."""
    wanted = update(Invitation).where(Invitation.code == clean_code(code), *_is_open(at))
    counted = wanted.values(people=Invitation.people + 1).returning(Invitation)
    invitation = session.scalar(counted, execution_options={"populate_existing": True})
    if invitation is None:
        raise InvalidError(say("This party code is not valid. Ask the organiser."), field="code")
    person = add_person(session, name, invitation.role, token=token, at=at)
    person.invitation_id = invitation.id
    return person


def make_code(token: str) -> str:
    """A code to read aloud, as hard to guess as CODE_LENGTH letters are."""
    drawn = Random(f"party code {token}")  # noqa: S311  the token is what cannot be guessed
    return "".join(drawn.choices(ALPHABET, k=CODE_LENGTH))


def clean_code(code: str) -> str:
    """The code as it is stored, however it was typed."""
    return "".join(letter for letter in code.upper() if letter.isalnum())[:40]


def draw_qr(url: str) -> str:
    """The address as a QR code: a data URI of an SVG, dark on white with its quiet zone."""
    import segno

    return str(segno.make(url, error="m").svg_data_uri(scale=8, border=4, light="#ffffff"))


def clean_name(name: str) -> str:
    """The name without white space around it; raises InvalidError where it cannot be a name."""
    cleaned = " ".join(name.split())
    is_seen = bool(describe_look(cleaned)) and cleaned.isprintable()
    if not is_seen or len(cleaned) > MAX_NAME_LENGTH:
        message = say(
            "The name is wrong: expected a name of 1 to {most} printable characters, got {name}.",
            most=MAX_NAME_LENGTH,
            name=repr(name),
        )
        raise InvalidError(message, field="name")
    return cleaned


def _require_free(name: str) -> None:
    """Raise InvalidError for a name by which the software calls somebody."""
    look = describe_look(name)
    if look in RESERVED_NAMES or look.endswith(RESERVED_ENDS):
        message = say("The name {name} is reserved. Choose another name.", name=name)
        raise InvalidError(message, field="name")


def display_name(person: Person) -> str:
    """The name as pages show it; a simulated person is never shown as a real one."""
    return say("{name} (simulated)", name=person.name) if person.is_simulated else person.name


def _is_open(at: datetime) -> tuple[ColumnElement[bool], ...]:
    return (
        Invitation.ended_at.is_(None),
        or_(Invitation.expires_at.is_(None), Invitation.expires_at > at),
        or_(Invitation.most_people.is_(None), Invitation.people < Invitation.most_people),
    )
