"""What can keep a release from being made, or a tree from being read."""

from __future__ import annotations

from catalog.errors import SettingsError, VocpartyError


class ExportError(VocpartyError):
    """A release cannot be made or written."""


class NothingCheckedError(ExportError):
    """No image of the party has passed checking."""


class NotReadyError(ExportError):
    """Errors are open or images unchecked, and the release is not forced."""


class ReleaseNameError(SettingsError):
    """A release's name or year cannot be used."""


class ReleaseTextError(SettingsError):
    """A setting holds text that annotation files cannot carry."""


class FolderTakenError(SettingsError):
    """The folder to write to holds something else."""


class CatalogueChangedError(ExportError):
    """What was planned no longer holds, because people worked in the meantime."""


class DamagedImageError(ExportError):
    """A stored file that a release needs is missing or not what it was."""


class BrokenReleaseError(ExportError):
    """The written tree breaks a rule of the format; nothing was released."""


class TreeNotFoundError(SettingsError):
    """There is no VOC tree where the user pointed."""
