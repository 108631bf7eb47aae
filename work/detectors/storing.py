"""Stores what a detector found in the waiting images as a set of suggestions, and says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import update

from catalog.party import Party
from catalog.states import SuggestionKind
from catalog.tables import SuggestionSet
from vockit.format.plural import format_count
from work.suggest.loading import add_set
from work.suggest.report import describe_report
from work.suggest.values import SetInfo, Watch, gather

from .finder import Finder
from .job import Confirm, LookJob
from .looking import Look, list_waiting


@dataclass(frozen=True, kw_only=True)
class LookOrder:
    """Who suggests, with which of the party's classes, where the page goes, and whom to ask."""

    info: SetInfo
    words: Mapping[str, str]
    folder: Path
    watch: Watch
    confirm: Confirm


def look_and_store(party: Party, finder: Finder, order: LookOrder, at: datetime) -> list[str]:
    """What was done, a line each; nothing where a person said no.

    A set of the party's own detector takes the place of those before. Raises ModelError, and
    SuggestionError where nothing is left of what was found.
    """
    info = order.info
    with party.catalogue.reading() as session:
        waiting = list_waiting(session, info.sha256)
    if not waiting:
        return [f"No image waits that {info.model} has not looked at."]
    job = LookJob(
        store=party.store,
        look=Look(finder, info.min_confidence),
        title=f"{info.model} {info.version}: what it finds in the first pictures",
        folder=order.folder,
        watch=order.watch,
        confirm=order.confirm,
    )
    looked = job.run(waiting)
    if looked is None:
        return []
    report = add_set(party, info, gather(looked.rows), words=order.words, at=at)
    lines = [f"Looked at {format_count(looked.images, 'image')}.", *describe_report(report)]
    for reason, count in looked.unread.items():
        lines.append(f"Not looked at: {format_count(count, 'image')}; {reason}.")
    if info.kind is SuggestionKind.PARTY:
        _switch_off_earlier(party, report.set_id, at)
    return lines


def _switch_off_earlier(party: Party, set_id: int, at: datetime) -> None:
    """Show suggestions of the party's newest detector alone."""
    earlier = update(SuggestionSet).where(
        SuggestionSet.kind == SuggestionKind.PARTY,
        SuggestionSet.id != set_id,
        SuggestionSet.switched_off_at.is_(None),
    )
    with party.catalogue.writing() as session:
        session.execute(earlier.values(switched_off_at=at))
