"""Why a photo did not become an image, in the short codes that `photo.reason` starts with."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


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


def find_reason(text: str | None) -> Reason | None:
    """The code that a row's reason starts with, or None."""
    code = (text or "").partition(":")[0]
    return Reason(code) if code in set(Reason) else None


def format_reason(reason: str) -> str:
    """A code, or several, as people read them: "too small"."""
    return reason.replace("_", " ")


def format_reasons(counts: Mapping[str, int], noun: str = "") -> str:
    """The sum of the counts, and each by its reason, as "3 broken (html 2, too small 1)"."""
    told = f"{sum(counts.values())} {noun}".rstrip()
    reasons = ", ".join(f"{format_reason(reason)} {count}" for reason, count in counts.items())
    return f"{told} ({reasons})" if counts else told
