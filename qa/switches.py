"""The settings of checking with what an organiser set on the board meanwhile."""

from __future__ import annotations

from sqlalchemy.orm import Session

from catalog.settings import Settings


def apply_live_settings(session: Session, settings: Settings) -> Settings:
    """The party's settings, as they are in force at this moment."""
    return settings
