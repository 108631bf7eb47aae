"""What each serving process keeps for a moment, for pages that ask again and again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar

from flask import current_app

T = TypeVar("T")


def find_kept(name: str, at: datetime, kept_for: timedelta, make: Callable[[], T]) -> T:
    """What was made under this name, at most so long ago; made anew where nothing is kept."""
    key = f"vocparty {name}"
    kept: tuple[T, datetime] | None = current_app.extensions.get(key)
    if kept is None or not timedelta(0) <= at - kept[1] < kept_for:
        kept = (make(), at)
        current_app.extensions[key] = kept
    return kept[0]
