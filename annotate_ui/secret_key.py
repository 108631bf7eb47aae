"""The key that signs session cookies: made once in the party's folder, for its owner only."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from .errors import ServeError

FILE_NAME = "session.key"
KEY_BYTES = 32


def load_secret_key(folder: Path) -> str:
    """The party's key; of several processes that make it at once, all get the same."""
    path = folder / FILE_NAME
    if not path.exists():
        _make_key(path)
    key = path.read_text(encoding="ascii", errors="replace").strip()
    if len(key) < KEY_BYTES:
        raise ServeError(f"{path} holds no key; delete it, and everybody signs in anew.")
    return key


def _make_key(path: Path) -> None:
    """Put a whole new file under the name, unless there is one by now."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(KEY_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)
    finally:
        temporary.unlink()
