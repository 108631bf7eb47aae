"""People and their personal links; only the digest of a link's token is stored."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from catalog.image_store import digest_of
from catalog.states import Role
from catalog.tables import Person

from .errors import PersonError
from .leases import give_back_all

MAX_NAME_LENGTH = 100


def add_person(
    session: Session, name: str, role: Role, *, token: str, at: datetime, is_simulated: bool = False
) -> Person:
    """The new person, who signs in with the token; raises PersonError for a name that is taken."""
    person = Person(
        name=clean_name(name),
        role=role,
        credential_sha256=digest_token(token),
        is_simulated=is_simulated,
        created_at=at,
    )
    try:
        with session.begin_nested():
            session.add(person)
    except IntegrityError as error:
        raise PersonError(
            f"The name {person.name} is taken; choose another, "
            f"or renew the link with `vocparty people link {person.name}`."
        ) from error
    return person


def renew_link(session: Session, name: str, *, token: str) -> Person:
    """The person, whose older link and sessions are void from now on."""
    person = get_person(session, name)
    person.credential_sha256 = digest_token(token)
    person.ended_at = None
    return person


def end_link(session: Session, name: str, *, at: datetime) -> Person:
    """The person, whose link and sessions are void from now on and who holds no image."""
    person = get_person(session, name)
    person.ended_at = person.ended_at or at
    give_back_all(session, person.id, at=at)
    return person


def get_person(session: Session, name: str) -> Person:
    """The person of this name; raises PersonError where there is none."""
    person = session.scalar(select(Person).where(Person.name == clean_name(name)))
    if person is None:
        raise PersonError(f"There is nobody called {name}; `vocparty people list` shows the names.")
    return person


def list_people(session: Session) -> list[Person]:
    """Everybody, in the order in which they were added."""
    return list(session.scalars(select(Person).order_by(Person.id)))


def find_link_owner(session: Session, token: str) -> Person | None:
    """The person whose link carries the token, or None where it is unknown or was ended."""
    return session.scalar(
        select(Person).where(
            Person.credential_sha256 == digest_token(token), Person.ended_at.is_(None)
        )
    )


def digest_token(token: str) -> str:
    """What is stored of a token."""
    return digest_of(token.encode())


def clean_name(name: str) -> str:
    """The name without white space around it; raises PersonError where it cannot be a name."""
    cleaned = " ".join(name.split())
    if not cleaned or len(cleaned) > MAX_NAME_LENGTH or not cleaned.isprintable():
        raise PersonError(
            f"expected a name of 1 to {MAX_NAME_LENGTH} printable characters, got {name!r}."
        )
    return cleaned


def display_name(person: Person) -> str:
    """The name as pages show it; a simulated person is never shown as a real one."""
    return f"{person.name} (simulated)" if person.is_simulated else person.name
