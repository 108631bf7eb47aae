"""The named faults of collecting: what Flickr answered, and what was wrong with one photo."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import ClassVar

from catalog.states import PhotoState
from vockit.errors import UserError


def clean_text(value: object, max_chars: int) -> str:
    """The text without NUL and lone surrogates, which no database takes, and cut to length."""
    if isinstance(value, dict):
        value = value.get("_content")
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    text = str(value).replace("\0", "")[:max_chars]
    return text.encode("utf-8", "replace").decode("utf-8")


class Reason(StrEnum):
    """One code for each way to lose a photo; reports count by it."""

    # gone
    DELETED = "deleted"
    PRIVATE = "private"
    PLACEHOLDER = "placeholder"
    # broken: the transfer
    FOREIGN_ADDRESS = "foreign_address"
    HOST_BUSY = "host_busy"
    HTTP_STATUS = "http_status"
    INTERRUPTED = "interrupted"
    TIMEOUT = "timeout"
    TOO_MANY_BYTES = "too_many_bytes"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    # broken: the bytes
    HTML = "html"
    NOT_JPEG = "not_jpeg"
    SIZE_DIFFERS = "size_differs"
    TOO_MANY_PIXELS = "too_many_pixels"
    TOO_SMALL = "too_small"
    TRUNCATED = "truncated"
    UNDECODABLE = "undecodable"
    DECODER_ENDED = "decoder_ended"
    # broken: the collector itself ended more than once while it held the photo
    NEVER_FINISHED = "never_finished"


def format_reason(reason: str) -> str:
    """A code, or several, as people read them: "too small"."""
    return reason.replace("_", " ")


def format_reasons(counts: Mapping[str, int]) -> str:
    """The sum of the counts, and each by its reason, as "3 (html 2, too small 1)"."""
    reasons = ", ".join(f"{format_reason(reason)} {count}" for reason, count in counts.items())
    return f"{sum(counts.values())} ({reasons})" if counts else "0"


class CollectError(UserError):
    """Collecting cannot go on."""


class SourceError(CollectError):
    """Flickr did not answer a call with results."""


class SourceUnavailableError(SourceError):
    """Flickr did not answer, or asks to come back after `retry_after_secs`."""

    def __init__(self, message: str, retry_after_secs: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_secs = retry_after_secs


class QueryRefusedError(SourceError):
    """Flickr will never answer this query."""


class KeyRefusedError(SourceError):
    """Flickr does not know the key, or no longer."""

    exit_status = 2


class HostRefusesError(CollectError):
    """A host refused every request for so long that waiting makes no sense."""


class SameFaultError(HostRefusesError):
    """Many photographs in a row ended for one reason: of `host`, or None for several hosts."""

    def __init__(self, message: str, host: str | None = None) -> None:
        super().__init__(message)
        self.host = host


class DecoderFailsError(CollectError):
    """No photograph can be decoded on this machine, so none of them is to blame."""


class SearchesDryError(CollectError):
    """Draw after draw found nothing new, and the target is not reached."""


class PhotoError(CollectError):
    """One photo did not become an image; `photo_state` is the state that it ends in.

    `is_counted` says whether this was one of its attempts.
    """

    photo_state: ClassVar[PhotoState] = PhotoState.BROKEN
    permanent: ClassVar[bool] = True
    is_counted: bool = True

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


class HostNotAllowedError(PhotoBrokenError):
    """Our settings do not allow its host: the photo was not asked for, and is not to blame."""


class PhotoUnreachableError(PhotoError):
    """The transfer failed in a way that another attempt may not repeat."""

    permanent = False


class HostBusyError(PhotoUnreachableError):
    """The host, not the photo, asks to wait: for `retry_after_secs` where it said so.

    It is counted where it may be this one photo that always gets that answer.
    """

    def __init__(
        self, detail: str, retry_after_secs: float | None = None, *, is_counted: bool = False
    ) -> None:
        super().__init__(Reason.HOST_BUSY, detail)
        self.retry_after_secs = retry_after_secs
        self.is_counted = is_counted
