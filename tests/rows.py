"""Rows that the tests of every stage need."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from catalog.tables import Image


def make_image(sha256: str, at: datetime, **values: Any) -> Image:
    """An image of 500 x 375 pixels that was stored at that moment; no session holds it yet."""
    plain = {"width": 500, "height": 375, "bytes": 1}
    return Image(sha256=sha256, stored_at=at, state_at=at, **(plain | values))
