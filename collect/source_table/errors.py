"""What keeps a table from becoming a source."""

from __future__ import annotations

from vockit.errors import UserError


class TableError(UserError):
    """A table cannot be read whole, or is none; nothing of it is kept."""


class RowError(ValueError):
    """A row cannot be read; the others can."""
