"""Addresses that answers hold: of images, crops and a photograph's page."""

from __future__ import annotations

from urllib.parse import urlsplit

from catalog.box import Box


def image_url(sha256: str) -> str:
    """Where the page finds an image."""
    return f"/images/{sha256}.jpg"


def crop_url(sha256: str, box: Box, *, is_framed: bool = False) -> str:
    """Where the page finds the crop of an object."""
    corners = "-".join(str(corner) for corner in box.xyxy)
    return f"/crops/{sha256}/{corners}.jpg{'?framed=1' if is_framed else ''}"


def safe_url(url: str | None) -> str | None:
    """The address where it is one of the web; a photo's source may say anything."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return None
    is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    return url if is_web else None
