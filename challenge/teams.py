"""Teams: invited with a personal link, found by it, and erased when they ask."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.refusals import InvalidError, NotFoundError, SignedOutError, refuse
from catalog.sentences import say
from catalog.tables.people import describe_look
from vockit.format.whole_file import digest_of

from . import log
from .tables import Method, Submission, Team
from .values import Deed

MOST_NAME = 100
MOST_CONTACT = 200


def make_token() -> str:
    """The unguessable text of a personal link."""
    return secrets.token_urlsafe(24)


def invite(session: Session, name: str, contact: str, *, token: str, now: datetime) -> Team:
    """The new team, which signs in with the token; raises InvalidError for a name that is taken."""
    name = clean_line(name, "name", MOST_NAME)
    key = describe_look(name)
    if not key or session.scalar(select(Team.id).where(Team.name_key == key)) is not None:
        raise InvalidError(
            say("There is a team with the name {name}, or one like it.", name=name), field="name"
        )
    team = Team(
        name=name,
        name_key=key,
        contact=clean_line(contact, "contact", MOST_CONTACT, may_be_empty=True),
        credential_sha256=digest_of(token.encode()),
        invited_at=now,
    )
    session.add(team)
    session.flush()
    log.append(session, Deed.INVITE, now, team_id=team.id)
    return team


def renew_link(session: Session, team_id: int, *, token: str, now: datetime) -> Team:
    """The team, whose earlier link ends with this one."""
    team = get_team(session, team_id)
    if team.erased_at is not None:
        raise InvalidError(say("This team was erased."), field="team")
    team.credential_sha256 = digest_of(token.encode())
    log.append(session, Deed.RENEW, now, team_id=team.id)
    return team


def visit(session: Session, token: str, now: datetime) -> Team:
    """The team whose link carries the token; raises SignedOutError for any other text."""
    digest = digest_of(token.encode())
    team = session.scalar(select(Team).where(Team.credential_sha256 == digest))
    if team is None:
        raise SignedOutError(say("This link is not known, or it was renewed or ended."))
    team.seen_at = now
    return team


def get_team(session: Session, team_id: int) -> Team:
    """The team of that number; raises NotFoundError."""
    team = session.get(Team, team_id)
    if team is None:
        raise NotFoundError(say("There is no team {number}.", number=team_id))
    return team


def find_team(session: Session, name: str) -> Team:
    """The team of that name, or of that number; raises NotFoundError."""
    team = session.scalar(select(Team).where(Team.name_key == describe_look(name)))
    if team is None and name.isdecimal() and len(name) < 10:
        team = session.get(Team, int(name))
    if team is None:
        raise NotFoundError(say("There is no team {name}.", name=name))
    return team


def list_teams(session: Session) -> Sequence[Team]:
    """All teams in the order in which they were invited."""
    return session.scalars(select(Team).order_by(Team.id)).all()


def erase(session: Session, team_id: int, now: datetime) -> Team:
    """Take the names of a team and of its people out of every row; its scores stay, without them.

    Its link ends. Uploads keep the bytes that were sent, of which later editions are scored.
    """
    team = get_team(session, team_id)
    team.name = team.name_key = f"erased team {team.id}"
    team.contact = ""
    team.credential_sha256 = None
    team.erased_at = now
    for method in session.scalars(select(Method).where(Method.team_id == team.id)):
        method.name = f"method {method.id}"
        method.description = method.contributors = method.institutions = ""
        method.reference = method.training_data = method.detectors = ""
        method.overlap_files = []
        if method.overlaps is None:  # its file of hashes goes
            method.own_images = None
    for submission in session.scalars(select(Submission).where(Submission.team_id == team.id)):
        submission.file_name = ""
    log.append(session, Deed.ERASE, now, team_id=team.id)
    return team


def clean_line(text: str, field: str, most: int, *, may_be_empty: bool = False) -> str:
    """The text on one line with single blanks; raises InvalidError for none, or for too much."""
    line = " ".join(text.split())
    if not line and not may_be_empty:
        refuse(field, say("expected some text"))
    if len(line) > most or not line.isprintable():
        refuse(field, say("expected at most {most} characters that can be printed", most=most))
    return line
