"""How the catalogue is opened: an engine for SQLite or PostgreSQL, reading and writing sessions."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.orm import Session

BUSY_TIMEOUT_MS = 30_000
# Of each connection, of which a party of many threads has several for hours:
PAGE_CACHE_KB = 128  # the system's own cache holds the rest of the file
STATEMENTS_KEPT = 32  # prepared ones, of which those with long lists take 100 kB
CONNECTIONS_KEPT = 8
CONNECTIONS_MORE = 24  # for as long as many threads are at work
# On PostgreSQL, whatever its settings say; SQLite's one snapshot and one writer do for both:
READING = "REPEATABLE READ"
WRITING = "READ COMMITTED"  # who waited for a row sees what was written to it meanwhile


@dataclass(frozen=True)
class Catalogue:
    """An open catalogue; a unit of work is one session and one transaction.

    `turn` is held by the thread that writes. SQLite lets one write at a time and has the others try
    again after growing pauses; threads of one process rather take turns without a pause.
    """

    engine: Engine
    turn: AbstractContextManager[object] = field(default_factory=nullcontext)

    @cached_property
    def _immediate(self) -> Engine:
        return self.engine.execution_options(sqlite_begin="IMMEDIATE")

    @cached_property
    def _snapshot(self) -> Engine:
        is_sqlite = self.engine.dialect.name == "sqlite"
        return self.engine if is_sqlite else self.engine.execution_options(isolation_level=READING)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that sees one moment of the catalogue; what it changes is rolled back."""
        with Session(self._snapshot, autoflush=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session whose changes are durable when the block ends, and undone if it raises.

        On SQLite the write lock is taken at the start, so that a transaction that has read never
        fails later because another one wrote in between. On PostgreSQL each statement sees what was
        committed before it: a condition that an UPDATE repeats, or a question asked once a row is
        locked, is answered by what others have just done.
        """
        with (
            self.turn,
            Session(self._immediate, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


def open_catalogue(url: str) -> Catalogue:
    """The catalogue at a SQLAlchemy URL: `sqlite:///FILE` or `postgresql+psycopg://...`.

    Nothing is connected until the first session.
    """
    parsed = make_url(url)
    # The one given back last is taken first: few connections, and their caches, are in use.
    pool: dict[str, Any] = {
        "pool_size": CONNECTIONS_KEPT,
        "max_overflow": CONNECTIONS_MORE,
        "pool_use_lifo": True,
    }
    if parsed.get_backend_name() != "sqlite":
        engine = create_engine(parsed, pool_pre_ping=True, isolation_level=WRITING, **pool)
        return Catalogue(engine)
    keeps = {"timeout": BUSY_TIMEOUT_MS / 1000, "cached_statements": STATEMENTS_KEPT}
    engine = create_engine(parsed, connect_args=keeps, **pool)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return Catalogue(engine, threading.Lock())


def _prepare_sqlite(connection: Any, _record: object) -> None:
    """WAL with full synchronisation: a commit that returned is on the disk."""
    connection.isolation_level = None  # we say BEGIN ourselves, see _begin_sqlite
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute(f"PRAGMA cache_size = -{PAGE_CACHE_KB}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    how = connection.get_execution_options().get("sqlite_begin", "DEFERRED")
    connection.exec_driver_sql(f"BEGIN {how}")
