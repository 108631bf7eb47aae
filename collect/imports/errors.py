"""What can keep photographs from elsewhere from being imported."""

from __future__ import annotations

from catalog.errors import SettingsError


class TableError(SettingsError):
    """A table cannot be read or lacks what it needs."""


class ImportSourceError(SettingsError):
    """The folder, a class or a host of an import is wrong."""
