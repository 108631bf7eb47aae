"""The tables of a challenge's database: made at once, and known by the format in `contest`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, inspect, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from catalog.errors import CatalogueError
from catalog.session import Catalogue

from .tables import FORMAT, Base, Contest
from .values import Frozen


def create_tables(catalogue: Catalogue) -> None:
    """Create all tables in an empty database; raises CatalogueError where it is none."""
    with _connect(catalogue) as connection:
        if inspect(connection).get_table_names():
            raise CatalogueError(
                "The database of the challenge is not empty. Name another one as `database`."
            )
        Base.metadata.create_all(connection)


def require_current(catalogue: Catalogue) -> None:
    """Raise CatalogueError unless the database is a challenge's of this program's format."""
    with _connect(catalogue) as connection:
        has_row = inspect(connection).has_table(Contest.__tablename__)
        made = connection.scalar(select(Contest.format)) if has_row else None
    if made is None:
        raise CatalogueError(
            "The database of the challenge has no tables. Restore it from a backup, or make a new "
            "challenge with `vocparty challenge init DIR --truth RELEASE`."
        )
    if made != FORMAT:
        raise CatalogueError(
            f"Another vocparty made this challenge (format {made}; this program knows {FORMAT}). "
            "Use that vocparty."
        )


def load_contest(session: Session) -> Contest:
    """The row of what is frozen."""
    return session.scalars(select(Contest)).one()


def load_frozen(session: Session) -> Frozen:
    """What is shown before the first submission and does not change."""
    contest = load_contest(session)
    return Frozen(
        release=contest.release,
        image_set=contest.image_set,
        rules=contest.rules,
        release_digest=contest.release_digest,
        evaluator=contest.evaluator,
        competitions=tuple(contest.competitions),
        images=contest.images,
        per_method=contest.per_method,
        per_week=contest.per_week,
        failures_per_day=contest.failures_per_day,
        public_share=contest.public_share,
        step=contest.step,
    )


@contextmanager
def _connect(catalogue: Catalogue) -> Iterator[Connection]:
    """A transaction; raises CatalogueError where the database does not answer."""
    try:
        with catalogue.engine.begin() as connection:
            yield connection
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
        raise CatalogueError(f"The database of the challenge cannot be used: {reason}.") from error
