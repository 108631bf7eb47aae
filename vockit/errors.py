"""The errors that a person can cause or fix; each is one sentence that says what to do."""

from __future__ import annotations


class UserError(Exception):
    """An error told to the user as one sentence; `exit_status` is the command's."""

    exit_status = 1


class SettingsError(UserError):
    """A setting, a preset or the way a command was called is wrong."""

    exit_status = 2


class WriteError(UserError):
    """A file or folder cannot be written."""


class NothingWrittenError(UserError):
    """Nothing of the tree could be written in the form that was asked for."""


class FolderTakenError(SettingsError):
    """The folder to write to holds something else."""


class ServeError(UserError):
    """The pages cannot be served the way that was asked for."""


class MissingExtraError(SettingsError):
    """What was asked for needs a package that an extra of vockit installs."""


class TreeNotFoundError(SettingsError):
    """There is no VOC tree where the user pointed."""


class TreeError(SettingsError):
    """The folder cannot be read as one release, or its lists cannot be read."""


class LabelMapError(SettingsError):
    """A tree's labelmap.txt is there, and cannot be read."""
