"""The settings of checking with what organisers set on the board meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.errors import SettingsError
from catalog.settings import QaSettings, Settings
from catalog.tables import LiveSetting
from catalog.validation import describe_first_error

from .check_list import enabled_checks

LIVE_NAME = "qa"
"""The live setting whose value holds any keys of [qa]: shares, thresholds, switched_off."""
_NEWEST = (
    select(LiveSetting.value)
    .where(LiveSetting.name == LIVE_NAME)
    .order_by(LiveSetting.number.desc())
    .limit(1)
)


def apply_live_settings(session: Session, settings: Settings) -> Settings:
    """The party's settings as they are in force at this moment."""
    live = session.scalar(_NEWEST)
    return settings if live is None else override_settings(settings, live)


def override_settings(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """The settings with these keys of [qa] in place of those of party.toml.

    Raises SettingsError for a key that [qa] does not have, a wrong value or a check that does not
    exist; a page shows it to the organiser and saves nothing.
    """
    try:
        qa = TypeAdapter(QaSettings).validate_python(asdict(settings.qa) | dict(values))
    except ValidationError as error:
        raise SettingsError(f"[qa]: {describe_first_error(error, QaSettings)}") from error
    changed = replace(settings, qa=qa)
    enabled_checks(changed)
    return changed
