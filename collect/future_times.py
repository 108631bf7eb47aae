"""Resets times in the future, written while a machine's clock was ahead, before a run.

Otherwise quotas, pauses of hosts, claims and photographs in doubt would wait until that time.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, update
from sqlalchemy.orm import Session

from catalog.party import PartyData
from catalog.states import PhotoState
from catalog.tables import CallBudget, HostPause, Photo
from catalog.transitions import count_changed
from vockit.format.plural import format_count

from .pauses import CLOCKS_DIFFER, LONGEST_ASKED_SECS

log = logging.getLogger(__name__)

_LONGEST_IMPORT = timedelta(hours=2)
"""Longer than any claim of an import lasts."""


def set_times_back(party: PartyData, now: datetime) -> None:
    """Reset times that a correct clock cannot have written, and log how many there were."""
    download_secs = party.settings.collect.total_timeout_secs
    longest_claim = _LONGEST_IMPORT + timedelta(seconds=12 * download_secs)
    with party.catalogue.writing() as session:
        counts = {
            "quota of calls": _set_budgets_back(session, now),
            "pause of a host": _end_pauses(session, now),
            "photograph": _set_photos_back(session, now, longest_claim),
        }
    parts = [format_count(count, *_name(what)) for what, count in counts.items() if count]
    if parts:
        log.warning(
            "The clock was ahead in an earlier run, or is behind now: %s had times in the future, "
            "which were set back. If this machine's clock is wrong, set it before you go on.",
            ", ".join(parts),
        )


def _name(what: str) -> tuple[str, ...]:
    plurals = {"quota of calls": "quotas of calls", "pause of a host": "pauses of hosts"}
    return (what, plurals[what]) if what in plurals else (what,)


def _set_budgets_back(session: Session, now: datetime) -> int:
    """Let quotas that were counted in the future refill from now on; the number of them."""
    is_ahead = CallBudget.counted_at > now + CLOCKS_DIFFER
    return count_changed(session, update(CallBudget).where(is_ahead).values(counted_at=now))


def _end_pauses(session: Session, now: datetime) -> int:
    """How many pauses ended that are longer than any that is kept."""
    longest = timedelta(seconds=LONGEST_ASKED_SECS)
    is_ahead = HostPause.until_at > now + longest + CLOCKS_DIFFER
    return count_changed(session, delete(HostPause).where(is_ahead))


def _set_photos_back(session: Session, now: datetime, longest_claim: timedelta) -> int:
    """How many photos may be claimed now, and have their doubt from now on."""
    is_found = Photo.state == PhotoState.FOUND
    held = is_found, Photo.claimed_until_at > now + longest_claim
    doubted = (Photo.doubted_at > now + CLOCKS_DIFFER,)
    count = _set(session, held, {"claimed_until_at": now})
    return count + _set(session, doubted, {"doubted_at": now})


def _set(
    session: Session, conditions: Sequence[ColumnElement[bool]], values: dict[str, datetime]
) -> int:
    return count_changed(session, update(Photo).where(*conditions).values(values))
