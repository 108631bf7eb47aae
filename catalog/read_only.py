"""A catalogue on SQLite that this account may read and not write, as on a disk mounted read-only.

SQLite needs files beside one in WAL mode, and cannot always open it where it may not make them. A
copy in a temporary folder is read then; no server is at work there, as its files would be beside.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory


def may_write(file: Path) -> bool:
    """Whether this account may change the file, and make those that SQLite puts beside it."""
    return os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)


class ReadOnlyFile:
    """Connections that change nothing to a file of SQLite, or to a copy of it made once."""

    def __init__(self, file: Path, timeout_secs: float = 5.0) -> None:
        self._file = file
        self._timeout_secs = timeout_secs
        self._folder: TemporaryDirectory[str] | None = None

    def connect(self) -> sqlite3.Connection:
        """A new connection; raises sqlite3.Error where the file can be read in neither way."""
        if self._folder is None:
            try:
                return self._open(self._file)
            except sqlite3.OperationalError:
                self._folder = TemporaryDirectory(prefix="vocparty-")
                for path in (self._file, self._file.with_name(f"{self._file.name}-wal")):
                    if path.exists():
                        shutil.copyfile(path, Path(self._folder.name, path.name))
        return self._open(Path(self._folder.name, self._file.name), mode="rw")

    def close(self) -> None:
        """Delete the copy, where one was made."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _open(self, file: Path, mode: str = "ro") -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{file.resolve().as_uri()}?mode={mode}",
            uri=True,
            timeout=self._timeout_secs,
            check_same_thread=False,
        )
        try:
            connection.execute("PRAGMA query_only = ON").close()
            with closing(connection.execute("SELECT count(*) FROM sqlite_schema")) as rows:
                rows.fetchone()
        except BaseException:
            connection.close()
            raise
        return connection
