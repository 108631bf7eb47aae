"""Settings that organisers change while the party runs, as versions of which none is lost."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from catalog.tables import LiveSetting

from .errors import AnnotateError
from .visit import Visit

Json = dict[str, Any]


class SettingStaleError(AnnotateError):
    """Somebody else set it in between; nothing was saved."""

    status, code = 409, "stale"


def find_setting(session: Session, name: str) -> LiveSetting | None:
    """The version of a setting that holds, or None where nobody ever set it."""
    versions = select(LiveSetting).where(LiveSetting.name == name)
    return session.scalar(versions.order_by(LiveSetting.number.desc()).limit(1))


def find_version(session: Session, name: str, number: int) -> LiveSetting | None:
    """One version of a setting, or None."""
    return session.get(LiveSetting, (name, number))


def list_versions(session: Session, name: str) -> list[LiveSetting]:
    """All versions of a setting, newest first."""
    versions = select(LiveSetting).where(LiveSetting.name == name)
    return list(session.scalars(versions.order_by(LiveSetting.number.desc())))


def save_setting(visit: Visit, name: str, value: Json, *, base: int) -> LiveSetting:
    """The next version of a setting, made from version `base` (0 where nobody ever set it).

    Raises SettingStaleError where another version came after that one.
    """
    newest = find_setting(visit.session, name)
    version = LiveSetting(
        name=name, number=base + 1, value=value, person_id=visit.person.id, set_at=visit.at
    )
    if (newest.number if newest else 0) != base:
        raise _stale()
    try:
        with visit.session.begin_nested():
            visit.session.add(version)
    except IntegrityError as error:  # of two at once, the key lets one through
        raise _stale() from error
    return version


def _stale() -> SettingStaleError:
    message = "Somebody else changed it in between; look at the newest version and save again."
    return SettingStaleError(message)
