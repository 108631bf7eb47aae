"""What can keep a release from being made, or a tree from being read."""

from __future__ import annotations

from vockit.errors import SettingsError, WriteError


class ExportError(WriteError):
    """A release cannot be made or written."""


class NothingCheckedError(ExportError):
    """No image of the party has passed checking."""


class ReleaseNameError(SettingsError):
    """A release's name, year or texts cannot be used."""
