"""Settings that organisers change while the party runs, as versions of which none is lost."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from catalog.instances import find_last_restore
from catalog.refusals import InvalidError, StaleError
from catalog.sentences import quote_error, say
from catalog.tables import LiveSetting
from qa.check_list import LIVE_NAME, apply_live_settings, override_settings
from vockit.errors import SettingsError
from work.visit import Visit

Json = dict[str, Any]

SHARES = ("double_share", "gold_share", "training_images")
_STALE = say("Another organiser changed this meanwhile. Reload it and save again.")


class SettingStaleError(StaleError):
    """Another organiser set it in between; nothing was saved."""


def find_setting(session: Session, name: str) -> LiveSetting | None:
    """The version of a setting that holds, or None where it was never set."""
    return next(iter(list_versions(session, name, limit=1)), None)


def list_versions(session: Session, name: str, limit: int | None = None) -> list[LiveSetting]:
    """All versions of a setting, newest first."""
    versions = select(LiveSetting).where(LiveSetting.name == name).limit(limit)
    return list(session.scalars(versions.order_by(LiveSetting.number.desc())))


def load_number(session: Session, name: str) -> int:
    """The number of the version that holds, 0 where the setting was never set."""
    last = select(func.max(LiveSetting.number)).where(LiveSetting.name == name)
    return session.scalar(last) or 0


def save_setting(visit: Visit, name: str, value: Json, *, base: int) -> LiveSetting:
    """The next version after `base` (0 where it was never set), else SettingStaleError.

    After a restore the numbers of versions that were lost are not given again: an open page may
    still name one as its base.
    """
    if load_number(visit.session, name) != base:
        raise SettingStaleError(_STALE)
    version = LiveSetting(
        name=name,
        number=max(base, find_last_restore(visit.session)) + 1,
        value=value,
        person_id=visit.person.id,
        set_at=visit.at,
    )
    try:
        with visit.session.begin_nested():
            visit.session.add(version)
    except IntegrityError as error:  # of two at once, the key lets one through
        raise SettingStaleError(_STALE) from error
    return version


def load_shares(visit: Visit) -> Json:
    """The shares in force, and the number of the version that they come from."""
    qa = apply_live_settings(visit.session, visit.party.settings).qa
    shares = {name: getattr(qa, name) for name in SHARES}
    return {"number": load_number(visit.session, LIVE_NAME)} | shares


def save_qa_settings(
    visit: Visit, values: Json, *, base: int, field: str | None = None
) -> LiveSetting:
    """The next version of the live settings of [qa]; those not named stay as they are.

    Raises InvalidError for a wrong value, SettingStaleError where another version came before.
    """
    setting = find_setting(visit.session, LIVE_NAME)
    if (setting.number if setting else 0) != base:
        raise SettingStaleError(_STALE)  # the next version is made from what is merged
    merged = (setting.value if setting else {}) | values
    try:
        override_settings(visit.party.settings, merged)
    except SettingsError as error:
        raise InvalidError(quote_error(error), field=field) from error
    return save_setting(visit, LIVE_NAME, merged, base=base)
