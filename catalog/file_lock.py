"""Deleting a file that nothing wants, and committing a row that names it: never at once.

Whoever stores bytes that are there already stores nothing, and its row comes later. So whoever
deletes lets no such row come while it looks and deletes, and whoever commits one looks, in the same
transaction, whether the file is still there. SQLite's writers are alone anyway.
"""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.orm import Session

_LOCK_NUMBER = 2007_32  # any number that nothing else locks
_SHARED = text("SELECT pg_advisory_xact_lock_shared(:number)")
_ALONE = text("SELECT pg_advisory_xact_lock(:number)")


def keep_files(session: Session) -> None:
    """Let no file be deleted as unwanted until this transaction ends."""
    if session.get_bind().dialect.name == "postgresql":
        session.connection().execute(_SHARED, {"number": _LOCK_NUMBER})


def keep_rows_away(session: Session) -> None:
    """Let no transaction that keeps files go on until this one ends."""
    if session.get_bind().dialect.name == "postgresql":
        session.connection().execute(_ALONE, {"number": _LOCK_NUMBER})
