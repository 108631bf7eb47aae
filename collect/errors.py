"""The named faults of collecting: what Flickr answered, and what was wrong with one photo."""

from __future__ import annotations

from typing import ClassVar

from catalog.errors import SettingsError, VocpartyError
from catalog.states import PhotoState

from .reasons import Reason
from .text import clean_text


class CollectError(VocpartyError):
    """Collecting cannot go on."""


class KeyMissingError(SettingsError):
    """The settings hold no Flickr key."""


class FlickrError(CollectError):
    """Flickr did not answer a call with results.

    `permanent`: the same call will fail again. `fatal`: so will every other call.
    """

    permanent: ClassVar[bool] = False
    fatal: ClassVar[bool] = False


class FlickrUnavailableError(FlickrError):
    """Flickr did not answer, or asks to come back after `retry_after_secs`."""

    def __init__(self, message: str, retry_after_secs: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_secs = retry_after_secs


class QueryRefusedError(FlickrError):
    """Flickr will never answer this query."""

    permanent = True


class KeyRefusedError(FlickrError):
    """Flickr does not know the key, or no longer."""

    permanent = True
    fatal = True
    exit_status = 2


class HostRefusesError(CollectError):
    """A host refused every request for so long that waiting makes no sense."""


class SearchesDryError(CollectError):
    """Draw after draw found nothing new, and the target is not reached."""


class PhotoError(CollectError):
    """One photo did not become an image; `photo_state` is the state that it ends in."""

    photo_state: ClassVar[PhotoState] = PhotoState.BROKEN
    permanent: ClassVar[bool] = True

    def __init__(self, reason: Reason, detail: str = "") -> None:
        detail = clean_text(detail, 300)  # it may quote what the host sent
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason
        self.detail = detail


class PhotoGoneError(PhotoError):
    """The photo was deleted, made private or replaced by a placeholder."""

    photo_state = PhotoState.GONE


class PhotoBrokenError(PhotoError):
    """What came is not a whole, decodable, acceptable JPEG."""


class PhotoUnreachableError(PhotoError):
    """The transfer failed in a way that another attempt may mend."""

    permanent = False


class HostBusyError(PhotoUnreachableError):
    """The host, not the photo, asks to wait: for `retry_after_secs` where it said so."""

    def __init__(self, detail: str, retry_after_secs: float | None = None) -> None:
        super().__init__(Reason.HOST_BUSY, detail)
        self.retry_after_secs = retry_after_secs
