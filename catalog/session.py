"""An open catalogue: an engine for SQLite or PostgreSQL, reading and writing sessions."""

from __future__ import annotations

import shutil
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, exc, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, ExceptionContext, make_url
from sqlalchemy.orm import Session

from .errors import BusyError
from .read_only import ReadOnlyFile, may_write

if TYPE_CHECKING:
    from numpy.typing import NDArray

S = TypeVar("S", bound="Sequence[Any] | NDArray[Any]")

PATIENCE_SECS = 30.0
LEAST_WAIT_MS = 200  # for a lock of others, where another thread waited for one in vain meanwhile
TURN_PATIENCE = 5  # times as long for the turn, since those before us get on with it
CONNECTIONS_KEPT = 8
CONNECTIONS_MORE = 24  # for as long as many threads are at work
# PostgreSQL's isolation levels, whatever its settings say; SQLite needs none:
READING = "REPEATABLE READ"
WRITING = "READ COMMITTED"  # after waiting for a row, a transaction sees what was written to it


@dataclass(frozen=True)
class Catalogue:
    """An open catalogue; a unit of work is one session and one transaction.

    On SQLite, which has one writer and retries with growing pauses, the thread that writes holds
    `turn`. A writer that has waited `patience_secs` for the locks of others gives up, and so do
    those who waited for their turn meanwhile; who comes later waits in full.
    """

    engine: Engine
    turn: threading.Lock | None = None
    patience_secs: float = PATIENCE_SECS
    blocked_at: deque[float] = field(default_factory=lambda: deque(maxlen=1), compare=False)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that sees one moment of the catalogue; what it changes is rolled back."""
        engine = self.engine
        if self.turn is None:  # PostgreSQL
            engine = engine.execution_options(isolation_level=READING)
        with Session(engine, autoflush=False) as session:
            yield session

    @contextmanager
    def writing(
        self, *, keeps_classes: bool = False, visitor_id: int | None = None
    ) -> Iterator[Session]:
        """A session whose changes are durable when the block ends, and undone if it raises.

        `keeps_classes` holds Lock.CLASSES, and `visitor_id` the Lock.VISITOR of that person, at no
        further cost.

        Raises BusyError, or OperationalError of the database, where others hold a lock for longer
        than `patience_secs`.

        On SQLite the write lock is taken at the start, so a transaction that has read never fails
        because another one wrote in between. On PostgreSQL each statement sees what was committed
        before it, so the condition of an UPDATE is checked against the newest row.
        """
        began = time.monotonic()
        try:
            with (
                self._take_turn(),
                Session(self.engine, expire_on_commit=False) as session,
                session.begin(),
            ):
                locks = [f"pg_advisory_xact_lock_shared({Lock.CLASSES})"] if keeps_classes else []
                if visitor_id is not None:
                    locks.append(f"pg_advisory_xact_lock({Lock.VISITOR}, {visitor_id})")
                self._begin(session, began, locks)
                yield session
        except exc.OperationalError as error:
            fault = _find_first(error)
            if not _waited_for_row(fault):
                self.blocked_at.append(time.monotonic())
            if fault is error:
                raise
            raise fault from None

    def _begin(self, session: Session, began: float, locks: Sequence[str]) -> None:
        """Take SQLite's lock, or PostgreSQL's, and tell it for how long to wait for each."""
        wait_ms = int(1000 * self.patience_secs)
        if self.blocked_at and self.blocked_at[-1] > began:
            wait_ms = min(wait_ms, LEAST_WAIT_MS)
        if self.turn:
            options = {"sqlite_begin": "IMMEDIATE", "sqlite_wait_ms": wait_ms}
            session.connection(execution_options=options)
        elif locks or self.patience_secs < PATIENCE_SECS:
            waits = f"set_config('lock_timeout', '{wait_ms}', true)"
            session.connection().exec_driver_sql(f"SELECT {', '.join([waits, *locks])}")

    @contextmanager
    def _take_turn(self) -> Iterator[None]:
        patience_secs = TURN_PATIENCE * self.patience_secs
        if self.turn and not self.turn.acquire(timeout=patience_secs):
            raise BusyError("Busy: the catalogue is being written. Try again in a moment.")
        try:
            yield
        finally:
            if self.turn:
                self.turn.release()

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


def open_catalogue(url: str) -> Catalogue:
    """The catalogue at a SQLAlchemy URL: `sqlite:///FILE` or `postgresql+psycopg://...`.

    Nothing is connected until the first session.
    """
    parsed = make_url(url)
    # The connection given back last is used first, so that few are in use.
    pool: dict[str, Any] = {
        "pool_size": CONNECTIONS_KEPT,
        "max_overflow": CONNECTIONS_MORE,
        "pool_use_lifo": True,
    }
    if parsed.get_backend_name() != "sqlite":
        pool["connect_args"] = {"client_encoding": "utf8"}
        engine = create_engine(parsed, pool_pre_ping=True, isolation_level=WRITING, **pool)
        return Catalogue(engine)
    file = Path(parsed.database or "")
    if file.is_file() and not may_write(file):
        return _open_read_only(parsed, file, pool)
    engine = create_engine(parsed, connect_args={"timeout": PATIENCE_SECS}, **pool)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    event.listen(engine, "handle_error", partial(_tell_full, file))
    return Catalogue(engine, threading.Lock())


def _open_read_only(url: URL, file: Path, pool: dict[str, Any]) -> Catalogue:
    """The catalogue in a file that this account may only read; what writes says so."""
    source = ReadOnlyFile(file, PATIENCE_SECS)
    engine = create_engine(url, creator=source.connect, **pool)
    event.listen(engine, "connect", lambda connection, _: _leave_begin_to_us(connection))
    event.listen(engine, "begin", _begin_sqlite)
    event.listen(engine, "engine_disposed", lambda _engine: source.close())
    return Catalogue(engine, threading.Lock())


def _prepare_sqlite(connection: Any, _record: object) -> None:
    """WAL with full synchronisation: a commit that returned is on the disk."""
    _leave_begin_to_us(connection)
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}").close()


def _leave_begin_to_us(connection: Any) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves, see _begin_sqlite


def _begin_sqlite(connection: Connection) -> None:
    options = connection.get_execution_options()
    wait_ms = options.get("sqlite_wait_ms", int(1000 * PATIENCE_SECS))
    if connection.info.get("wait_ms") != wait_ms:
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {wait_ms}")
        connection.info["wait_ms"] = wait_ms
    connection.exec_driver_sql(f"BEGIN {options.get('sqlite_begin', 'DEFERRED')}")


_LEAST_FREE_BYTES = 64 * 1024  # SQLite needs half of it beside a file that it opens


def is_full(file: Path, says: str) -> bool:
    """Whether SQLite has no room beside the file, of which it says that the disk has an error."""
    is_failing = "disk I/O error" in says and file.parent.is_dir()
    return is_failing and shutil.disk_usage(file.parent).free < _LEAST_FREE_BYTES


def _tell_full(file: Path, context: ExceptionContext) -> exc.OperationalError | None:
    """The error of a full disk, where SQLite means one; else None, and its own is raised."""
    if not is_full(file, str(context.original_exception)):
        return None
    full = sqlite3.OperationalError(_SAYS_FULL[0])
    return exc.OperationalError(context.statement, context.parameters, full)


_SAYS_FULL = ("disk is full", "No space left")  # of SQLite, and of PostgreSQL
_SAYS_READ_ONLY = ("readonly database", "Read-only file system")
_SAYS = (
    *_SAYS_FULL,
    *_SAYS_READ_ONLY,
    "disk I/O error",
    "database is locked",
    "unable to open",
)


class DiskFault(StrEnum):
    """Why a disk takes nothing."""

    FULL = "full"
    READ_ONLY = "read-only"


def find_disk_fault(error: BaseException) -> DiskFault | None:
    """What is the matter with the catalogue's disk, where the database says so; else None."""
    says = str(error.orig) if isinstance(error, exc.DBAPIError) else ""
    if any(words in says for words in _SAYS_FULL):
        return DiskFault.FULL
    return DiskFault.READ_ONLY if any(words in says for words in _SAYS_READ_ONLY) else None


_TO_DO = {
    DiskFault.FULL: "Make room, then run the same command again.",
    DiskFault.READ_ONLY: (
        "Mount it for writing, or see that this account may write there, since this command stores "
        "what it finds or changes; then run the same command again."
    ),
}


def describe_fault(fault: DiskFault) -> str:
    """One sentence on a disk that takes nothing, and what to do."""
    return f"The disk of the catalogue is {fault}. Nothing is lost. {_TO_DO[fault]}"


def describe_loss(error: Exception) -> str | None:
    """One sentence where the database, its connection or its disk is gone; else None."""
    if (fault := find_disk_fault(error)) is not None:
        return describe_fault(fault)
    if isinstance(error, exc.PendingRollbackError):  # a second thread after the first one's loss
        reason = "the connection was lost"
    elif is_damaged(error):
        return DAMAGED.format(reason=error.orig)
    elif _is_loss(error):
        reason = str(error.orig).strip().partition("\n")[0]
    else:
        return None
    return (
        f"Cannot use the catalogue: {reason}. Nothing is lost; run the same command again when "
        "this is fixed."
    )


DAMAGED = (
    "The catalogue is damaged: {reason}. Stop the party, run `vocparty doctor`, and restore the "
    "catalogue from a backup with `vocparty restore`. Do not create a new one over it."
)
_DAMAGES = ("malformed", "not a database", "Could not decode to UTF-8")


def is_damaged(error: BaseException) -> TypeGuard[exc.DatabaseError]:
    """Whether SQLite says that the file is not what it wrote."""
    return isinstance(error, exc.DatabaseError) and any(
        words in str(error.orig) for words in _DAMAGES
    )


def _is_loss(error: Exception) -> TypeGuard[exc.DBAPIError]:
    """False for a mistake in a statement, which is a bug and must be seen."""
    if not isinstance(error, exc.OperationalError | exc.InterfaceError):
        return False
    was_connecting = error.statement is None
    says = str(error.orig)
    return was_connecting or error.connection_invalidated or any(words in says for words in _SAYS)


def _find_first(error: exc.OperationalError) -> exc.OperationalError:
    """The fault for which SQLite ended a transaction, so that its savepoints were no more.

    A full disk is such a fault: the block of the savepoint then cannot go back to it, and that is
    what it raises.
    """
    while "no such savepoint" in str(error.orig):
        earlier = error.orig.__context__ if error.orig else None
        if not isinstance(earlier, exc.OperationalError):
            break
        error = earlier
    return error


def _waited_for_row(error: exc.OperationalError) -> bool:
    """Whether PostgreSQL names a row as what was waited for; then all other rows may be free."""
    diagnosis = getattr(error.orig, "diag", None)
    return bool(diagnosis and diagnosis.context)


class Lock(IntEnum):
    """What transactions on PostgreSQL wait for; any numbers that nothing else locks.

    `FILES` is held together by those that keep files, and alone by one that deletes unwanted ones:
    bytes that are stored already are not stored again, but their row comes later. `CLASSES` is held
    together by those that store objects of classes, and alone by one that renames a class.
    `VISITOR` is one for each person: of two requests of theirs, one waits for the other.
    """

    FILES = 2007_32
    CLASSES = 2007_33
    VISITOR = 2007_34


def hold(session: Session, lock: Lock, *, alone: bool = False) -> None:
    """Hold the lock until the transaction ends; SQLite has one writer at a time anyway."""
    if needs_row_locks(session):
        function = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
        session.connection().execute(text(f"SELECT {function}({lock})"))


def needs_row_locks(session: Session) -> bool:
    """Whether other transactions may write at the same time: on PostgreSQL."""
    return session.get_bind().dialect.name == "postgresql"


def insert_or_keep(session: Session, table: Any, unique: Sequence[str]) -> Any:
    """An INSERT into the table that leaves a row as it is where these columns have its values."""
    dialects: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
    insert = dialects[session.get_bind().dialect.name]
    return insert(table).on_conflict_do_nothing(index_elements=unique)


def in_parts(values: S, most: int = 5_000) -> Iterator[S]:
    """The values in parts that one statement takes; SQLite allows it 32,766 of them."""
    return (values[at : at + most] for at in range(0, len(values), most))  # type: ignore[misc]
