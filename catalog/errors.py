"""The errors that a person can cause or fix; each is one sentence that says what to do."""

from __future__ import annotations

from vockit.errors import SettingsError, UserError


class PartyNotFoundError(SettingsError):
    """No party.toml was found where the user is or pointed."""


class CatalogueError(UserError):
    """The catalogue cannot be opened or is not at the version of this program."""


class BusyError(CatalogueError):
    """Another process has been writing to the catalogue for too long."""


class ImageStoreError(UserError):
    """The image store cannot give or take a file."""


class ImageMissingError(ImageStoreError):
    """The image store holds no file of this digest."""


class ImageDamagedError(ImageStoreError):
    """The image store holds other bytes under this digest than those that were stored."""


class ImageUnreadableError(ImageDamagedError):
    """The file of this digest is there, and its disk or its permissions do not give it."""


class StoreOwnerError(ImageStoreError):
    """The image store is not here, or it is another party's."""


class StoreAwayError(StoreOwnerError):
    """The image store is not here, as where its disk is not mounted."""
