"""A catalogue that went away in the middle of work: its server, its connection, its disk."""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, PendingRollbackError

_SQLITE_SAYS = ("disk is full", "disk I/O error", "database is locked", "unable to open")


def describe_loss(error: Exception) -> str | None:
    """One sentence about a lost catalogue, or None where the error is something else."""
    if isinstance(error, PendingRollbackError):  # a second thread after the first one's loss
        return _tell("the connection was lost")
    if isinstance(error, OperationalError | InterfaceError) and _is_loss(error):
        return _tell(str(error.orig).strip().partition("\n")[0])
    return None


def _is_loss(error: DBAPIError) -> bool:
    """Not a mistake in a statement, which is a bug and shall be seen."""
    was_connecting = error.statement is None
    says = str(error.orig)
    return (
        was_connecting
        or error.connection_invalidated
        or any(words in says for words in _SQLITE_SAYS)
    )


def _tell(reason: str) -> str:
    return f"The catalogue did not answer: {reason}; run the same command again when it does."
