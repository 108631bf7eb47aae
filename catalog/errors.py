"""The errors that a person can cause or fix; each is one sentence that says what to do."""

from __future__ import annotations


class VocpartyError(Exception):
    """An error told to the user as one sentence; `exit_status` is the command's."""

    exit_status = 1


class SettingsError(VocpartyError):
    """A setting, a preset or the way a command was called is wrong."""

    exit_status = 2


class PartyNotFoundError(SettingsError):
    """No party.toml was found where the user is or pointed."""


class CatalogueError(VocpartyError):
    """The catalogue cannot be opened or is not at the version of this program."""


class BusyError(CatalogueError):
    """Another process has been writing to the catalogue for too long."""


class ImageStoreError(VocpartyError):
    """The image store cannot give or take a file."""


class ImageMissingError(ImageStoreError):
    """The image store holds no file of this digest."""


class ImageDamagedError(ImageStoreError):
    """The image store holds other bytes under this digest than those that were stored."""


class StoreOwnerError(ImageStoreError):
    """The image store is not here, or it is another party's."""


class StoreAwayError(StoreOwnerError):
    """The image store is not here, as where its disk is not mounted."""


class ServeError(VocpartyError):
    """The pages cannot be served the way that was asked for."""
