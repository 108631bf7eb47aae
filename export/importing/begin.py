"""The rows that an import begins with: the person who stands for it, and its query."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.image_store import digest_of
from catalog.states import Role, Source
from catalog.tables import Person, Query, Release

from .errors import ReleaseTakenError
from .tree_image import Import

IMPORTED = "imported"
"""The key in a release's settings that tells that it was imported, not made here."""


def begin_import(session: Session, name: str, token: str, at: datetime) -> Import:
    """The import of that release, begun or gone on with.

    Raises ReleaseTakenError where the party made a release of that name itself.
    """
    release = session.scalar(select(Release).where(Release.name == name))
    if release is not None and IMPORTED not in release.settings:
        raise ReleaseTakenError(
            f"The party has made a release {name} itself; give the import another name with --name."
        )
    person = _get_person(session, name, token, at)
    return Import(name, person.id, _get_query(session, name).id, at)


def _get_person(session: Session, name: str, token: str, at: datetime) -> Person:
    """An annotator whose link nobody ever had and which is ended."""
    called = f"import {name}"[:100]
    person = session.scalar(select(Person).where(Person.name == called))
    if person is not None and person.ended_at is None:
        raise ReleaseTakenError(
            f"Somebody is called {called!r}; give the import another name with --name."
        )
    if person is None:
        person = Person(
            name=called,
            role=Role.ANNOTATOR,
            credential_sha256=digest_of(token.encode()),
            created_at=at,
            ended_at=at,
        )
        session.add(person)
        session.flush()
    return person


def _get_query(session: Session, name: str) -> Query:
    """The tree, recorded like a query; it stands for no class in particular."""
    row = {"source": Source.VOC, "class_name": "", "keyword": name}
    query = session.scalar(select(Query).filter_by(**row))
    if query is None:
        query = Query(**row)
        session.add(query)
        session.flush()
    return query
