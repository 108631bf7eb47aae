"""The time zones of those who look at pages."""

from __future__ import annotations

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo


def find_zone(name: str) -> tzinfo:
    """The zone that a browser names ("Europe/Zurich"); UTC where this machine knows none of it."""
    try:
        return ZoneInfo(name)
    except (ValueError, KeyError, OSError):  # no name, no such zone, a folder of them
        return UTC
