"""Answers that each serving process keeps for a moment, for pages that ask again and again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from flask import current_app

Json = dict[str, Any]


@dataclass(frozen=True)
class _Kept:
    answer: Json
    made_at: datetime


def find_kept(name: str, at: datetime, kept_for: timedelta, make: Callable[[], Json]) -> Json:
    """The answer of this name, at most so old; a new one where none is kept."""
    key = f"vocparty {name}"
    kept: _Kept | None = current_app.extensions.get(key)
    if kept is None or not timedelta(0) <= at - kept.made_at < kept_for:
        kept = _Kept(make(), at)
        current_app.extensions[key] = kept
    return kept.answer
