"""What can keep a release from being made, or a tree from being read."""

from __future__ import annotations

from catalog.errors import SettingsError, VocpartyError


class ExportError(VocpartyError):
    """A release cannot be made or written."""


class NothingCheckedError(ExportError):
    """No image of the party has passed checking."""


class ReleaseNameError(SettingsError):
    """A release's name, year or texts cannot be used."""


class FolderTakenError(SettingsError):
    """The folder to write to holds something else."""


class TreeNotFoundError(SettingsError):
    """There is no VOC tree where the user pointed."""


class LabelMapError(SettingsError):
    """A tree's labelmap.txt is there, and cannot be read."""
