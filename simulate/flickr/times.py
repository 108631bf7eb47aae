"""The two ways in which Flickr writes a time: unix timestamps and MySQL datetimes."""

from __future__ import annotations

from datetime import UTC, datetime

FORMATS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d")
BEFORE_ALL_SECS = -(2**62)


def parse_time_secs(text: str) -> int:
    """Seconds since 1970 of a unix timestamp or a MySQL datetime, taken as it stands.

    Raises ValueError for any other text.
    """
    stripped = text.strip()
    number = parse_number(stripped.removeprefix("-"))
    if number is not None:
        return -number if stripped.startswith("-") else number
    for pattern in FORMATS:
        try:
            return int(datetime.strptime(stripped, pattern).replace(tzinfo=UTC).timestamp())
        except ValueError:
            continue
    raise ValueError(f"expected a unix timestamp or YYYY-MM-DD HH:MM:SS, got {text!r}")


def parse_number(text: str | None) -> int | None:
    """The whole number that up to 18 digits give; None for anything else."""
    is_number = text is not None and text.isdecimal() and len(text) <= 18
    return int(text) if text is not None and is_number else None


def format_mysql(secs: int) -> str:
    """The MySQL datetime of so many seconds since 1970."""
    return datetime.fromtimestamp(secs, UTC).strftime(FORMATS[0])


def format_http(secs: int) -> str:
    """The time as HTTP headers write it."""
    return datetime.fromtimestamp(secs, UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")


def order_secs(taken: str) -> int:
    """Where a taken time sorts; Flickr also has times such as "0000-00-00 00:00:00"."""
    try:
        return parse_time_secs(taken)
    except ValueError:
        return BEFORE_ALL_SECS
