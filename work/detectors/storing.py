"""Stores what a detector found in the waiting images as a set of suggestions, and says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from catalog.image_store import digest_of
from catalog.party import Party
from catalog.states import SuggestionKind
from work.suggest.loading import add_set
from work.suggest.values import LoadReport, SetInfo, Watch, gather

from .carrying import MODEL, carry_boxes, list_links
from .errors import NothingWaitsError
from .finder import Finder
from .job import Confirm, Looked, LookJob
from .looking import Look, list_waiting


@dataclass(frozen=True, kw_only=True)
class LookOrder:
    """Who suggests, with which of the party's classes, where the page goes, and whom to ask."""

    info: SetInfo
    words: Mapping[str, str]
    folder: Path
    watch: Watch
    confirm: Confirm


def look_and_store(
    party: Party, finder: Finder, order: LookOrder, at: datetime
) -> tuple[Looked, LoadReport] | None:
    """What was seen, and what became of it; None where a person said no.

    Raises NothingWaitsError, ModelError, and SuggestionError where nothing is left of what was
    found.
    """
    info = order.info
    with party.catalogue.reading() as session:
        waiting = list_waiting(session, info.sha256, info.min_confidence)
    if not waiting:
        raise NothingWaitsError(f"No image waits that {info.model} has not looked at.")
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
        return None
    report = add_set(
        party, info, gather(looked.rows), words=order.words, looked_at=looked.image_ids, at=at
    )
    return looked, report


def carry_and_store(party: Party, watch: Watch, at: datetime) -> LoadReport:
    """What became of the boxes of linked images.

    Raises NothingWaitsError, and SuggestionError where nothing could be carried over.
    """
    with party.catalogue.reading() as session:
        links = list_links(session)
        if not links:
            raise NothingWaitsError(
                "No waiting image without carried boxes is linked to an annotated one; `vocparty "
                "dedup` links images of one event."
            )
        with watch("Carrying over", len(links), "images") as advance:
            rows = list(carry_boxes(session, links, advance))
    info = SetInfo(
        model=MODEL,
        version=f"{at:%Y-%m-%d %H:%M}",
        sha256=digest_of(repr(links).encode()),
        kind=SuggestionKind.PARTY,
    )
    seen = [link.waiting_id for link in links]
    return add_set(party, info, gather(rows), looked_at=seen, at=at)
