"""What a source says of a photograph that its row does not, and whether it is believed.

A source that fails says the same of many photographs at once: that they are gone, or that they
have another licence. What is taken down never comes back, so many changes at once are believed
only when the source repeats them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from catalog.licences import LICENCES, Licence, is_kept

GONE = "gone: deleted or made private at its source"


class ChangeKind(StrEnum):
    """What a change leads to; the counts of a recheck have these names."""

    GONE = "gone"
    REFUSED = "refused"
    RELICENSED = "relicensed"
    UNKNOWN_LICENCE = "unknown_licence"  # nothing is done: it is not known what it allows


@dataclass(frozen=True)
class Change:
    """What the source says now; `licence` is None of a photograph that is gone."""

    kind: ChangeKind
    said: str
    licence: Licence | None = None


def find_change(
    licence_id: str | None, today: Licence | None, licences: Mapping[str, Licence]
) -> Change | None:
    """What differs from the licence in the row; `licences` are those that the settings keep.

    A row of a table that names no licence has none, and `today` then has an empty id.
    """
    if today is None:
        return Change(ChangeKind.GONE, GONE)
    if today.id == (licence_id or ""):
        return None
    said = f"licence: changed to {today.name}"
    if is_kept(today, licences):
        return Change(ChangeKind.RELICENSED, said, today)
    if today.id in LICENCES or today.url:  # it is known what it allows
        return Change(ChangeKind.REFUSED, said, today)
    return Change(ChangeKind.UNKNOWN_LICENCE, said, today)
