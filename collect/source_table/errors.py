"""What keeps a table from becoming a source."""

from __future__ import annotations

from vockit.errors import SettingsError, UserError


class TableError(UserError):
    """A table cannot be read whole, or is none; nothing of it is kept."""


class TableChoiceError(TableError, SettingsError):
    """The table or the column that was named is not there."""


class RowError(ValueError):
    """A row cannot be read; the others can."""
