"""The shares that organisers set on the board: annotated twice, gold, training images."""

from __future__ import annotations

from typing import Any

from catalog.errors import SettingsError
from qa.switches import LIVE_NAME, apply_live_settings, override_settings

from .errors import InvalidError
from .live_settings import find_setting, save_setting
from .visit import Visit

SHARES = ("double_share", "gold_share", "training_images")


def load_shares(visit: Visit) -> dict[str, Any]:
    """The shares in force, and the number of the version that they come from."""
    setting = find_setting(visit.session, LIVE_NAME)
    qa = apply_live_settings(visit.session, visit.party.settings).qa
    return {"number": setting.number if setting else 0} | {
        name: getattr(qa, name) for name in SHARES
    }


def save_shares(visit: Visit, values: dict[str, float | int], *, base: int) -> dict[str, Any]:
    """The shares as they hold from now on; other live settings of [qa] stay as they are.

    Raises InvalidError for a wrong value, SettingStaleError where another version came before.
    """
    setting = find_setting(visit.session, LIVE_NAME)
    merged = (setting.value if setting else {}) | values
    try:
        override_settings(visit.party.settings, merged)
    except SettingsError as error:
        raise InvalidError(str(error)) from error
    save_setting(visit, LIVE_NAME, merged, base=base)
    return load_shares(visit)
