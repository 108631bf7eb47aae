"""What can keep a tree from being imported."""

from __future__ import annotations

from catalog.errors import SettingsError
from export.errors import ExportError


class ImportTreeError(SettingsError):
    """The tree, or the way it was named, cannot be imported."""


class UnknownWordsError(SettingsError):
    """The tree holds classes, parts or actions that the party's preset does not know."""


class ReleaseTakenError(SettingsError):
    """The party has made a release of that name itself."""


class NothingImportedError(ExportError):
    """No image of the tree could be imported."""


class ImportStoppedError(ExportError):
    """A process that read the tree's files ended before its work was done."""

    def __init__(self) -> None:
        super().__init__(
            "A process that read the tree's files was ended from outside; what is recorded stays, "
            "and the same command goes on from there."
        )
