"""A temporary database on the disk, so that memory does not grow with a file of labels."""

from __future__ import annotations

import sqlite3
from typing import Any

from vockit.format.shortage import ShortageError


class _Scratch(sqlite3.Connection):
    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """As sqlite3 has it; ShortageError where the disk takes no more."""
        try:
            return super().execute(sql, parameters)
        except sqlite3.OperationalError as error:
            raise ShortageError(
                f"The folder for temporary files takes no more ({error}). Make room there, or name "
                "another one in the variable SQLITE_TMPDIR, and run the same command again."
            ) from error


def open_scratch(schema: str) -> sqlite3.Connection:
    """An empty database with these tables, which is deleted when it is closed."""
    database = sqlite3.connect("", isolation_level=None, factory=_Scratch)
    database.executescript(schema)
    return database
