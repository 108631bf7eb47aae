"""Party codes by which people walk in under a name of their own, and links as pictures."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, or_, select, update
from sqlalchemy.orm import Session

from catalog.image_store import digest_of
from catalog.states import Role
from catalog.tables import Invitation, Person
from catalog.transitions import count_changed

from .errors import InvalidError, NotFoundError
from .people import add_person
from .visit import Visit

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Without letters and digits that are taken for one another on a beamer."""
CODE_LENGTH = 8


def open_code(visit: Visit, *, hours: float, most_people: int) -> Invitation:
    """A new party code for annotators, open for so long and for so many people."""
    invitation = Invitation(
        code=make_code(visit.tokens()),
        role=Role.ANNOTATOR,
        person_id=visit.person.id,
        people=0,
        most_people=most_people,
        created_at=visit.at,
        expires_at=visit.at + timedelta(hours=hours),
    )
    visit.session.add(invitation)
    visit.session.flush()
    return invitation


def end_code(visit: Visit, invitation_id: int) -> None:
    """Close the door at once; who came in stays. Raises NotFoundError without such a code."""
    invitation = visit.session.get(Invitation, invitation_id)
    if invitation is None:
        raise NotFoundError(f"There is no party code {invitation_id}.")
    invitation.ended_at = invitation.ended_at or visit.at


def list_open_codes(session: Session, *, at: datetime) -> list[Invitation]:
    """The codes by which people may still come in."""
    return list(session.scalars(select(Invitation).where(*_is_open(at)).order_by(Invitation.id)))


def walk_in(session: Session, code: str, name: str, *, token: str, at: datetime) -> Person:
    """The new person, who came in by the code and whose personal link carries the token.

    Raises InvalidError for a code that is not open, PersonError for a name that cannot be taken.
    """
    wanted = Invitation.code == clean_code(code)
    invitation = session.scalar(select(Invitation).where(wanted, *_is_open(at)))
    counted = update(Invitation).where(wanted, *_is_open(at)).values(people=Invitation.people + 1)
    if invitation is None or not count_changed(session, counted):
        raise InvalidError("This party code is not open; ask the organiser.", field="code")
    person = add_person(session, name, invitation.role, token=token, at=at)
    person.invitation_id = invitation.id
    return person


def make_code(token: str) -> str:
    """A code to read aloud, as hard to guess as CODE_LENGTH letters are."""
    number = int(digest_of(f"party code {token}".encode()), 16)
    letters = []
    for _ in range(CODE_LENGTH):
        number, place = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[place])
    return "".join(letters)


def clean_code(code: str) -> str:
    """The code as it is stored, however it was typed."""
    return "".join(letter for letter in code.upper() if letter.isalnum())[:40]


def draw_qr(url: str) -> str:
    """The address as a QR code: a data URI of an SVG, dark on white with its quiet zone."""
    import segno

    return str(segno.make(url, error="m").svg_data_uri(scale=8, border=4, light="#ffffff"))


def _is_open(at: datetime) -> tuple[ColumnElement[bool], ...]:
    return (
        Invitation.ended_at.is_(None),
        or_(Invitation.expires_at.is_(None), Invitation.expires_at > at),
        or_(Invitation.most_people.is_(None), Invitation.people < Invitation.most_people),
    )
