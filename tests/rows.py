"""Rows that the tests of every stage need, and calls that start together."""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Select
from sqlalchemy.orm import Session

from catalog.image_store import digest_of
from catalog.party import Party
from catalog.states import Role
from catalog.tables import Image, Person, Release, ReleaseImage
from vockit.format.image_sets import Split

T = TypeVar("T")
P = ParamSpec("P")
InSession = Callable[Concatenate[Session, P], T]


def make_image(sha256: str, at: datetime, **values: Any) -> Image:
    """A new image of 500 x 375 pixels, stored at that moment; not in a session yet."""
    plain = {"width": 500, "height": 375, "bytes": 1}
    return Image(sha256=sha256, stored_at=at, state_at=at, **(plain | values))


def make_person(name: str, at: datetime, role: Role = Role.ANNOTATOR) -> Person:
    """A new person who joined at that moment; not in a session yet."""
    return Person(name=name, role=role, credential_sha256=digest_of(name.encode()), created_at=at)


def add_release(
    session: Session, name: str, at: datetime, placed: Mapping[int, tuple[int, Split]]
) -> None:
    """A release of 2026 that froze a revision of each image, in a set."""
    release = Release(name=name, year=2026, created_at=at)
    session.add(release)
    session.flush()
    for image_id, (annotation_id, split) in placed.items():
        row = {"image_id": image_id, "annotation_id": annotation_id, "split": split}
        public_id = f"2026_{image_id:06d}"
        session.add(ReleaseImage(release_id=release.id, public_id=public_id, **row))


def at_once(*calls: Callable[[], T]) -> list[T]:
    """The results of the calls, which start together in threads."""
    barrier = threading.Barrier(len(calls))

    def run(call: Callable[[], T]) -> T:
        barrier.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def reading(party: Party, call: InSession[P, T], *given: P.args, **named: P.kwargs) -> T:
    """What the call returns; it reads in its own session."""
    with party.catalogue.reading() as session:
        return call(session, *given, **named)


def writing(party: Party, call: InSession[P, T], *given: P.args, **named: P.kwargs) -> T:
    """What the call returns; it writes in its own transaction."""
    with party.catalogue.writing() as session:
        return call(session, *given, **named)


def load_rows(party: Party, statement: Select[tuple[T]]) -> list[T]:
    """What the statement finds, in a new session."""
    with party.catalogue.reading() as session:
        return list(session.scalars(statement))
