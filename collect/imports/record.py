"""Rows of one photograph from elsewhere, never half, never twice; and the counts of an import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from catalog.image_store import ImageStore
from catalog.session import keep_files
from catalog.states import PhotoState, Source
from catalog.tables import Photo, Query
from collect.batch_writer import Kept, Missed, Outcome, record_kept, record_missed
from collect.claims import Claim
from collect.errors import PhotoError, format_reason
from collect.picture import Picture
from collect.rows import insert_new
from collect.snapshots import Tally, format_summary


@dataclass(frozen=True)
class Refusal:
    """Something of a folder or table that leaves no row, and why: `where` is a file or a line."""

    where: str
    reason: str


@dataclass(frozen=True)
class Arrival:
    """One photograph as it came: the columns of its row, its class, its picture or its fault.

    The picture's file is in the store by then; `sha256` is its digest. `where` is as in a Refusal.
    """

    values: Mapping[str, Any]
    class_name: str | None
    came: Picture | PhotoError
    sha256: str = ""
    where: str = ""
    origin: tuple[Source, str] | None = None  # where its row says another than the import's


Recorded = tuple[Arrival, Outcome]
"""An arrival whose row is written, and what it became."""


@dataclass
class ImportCount:
    """Counts of one import while it runs."""

    tally: Tally = field(default_factory=Tally)
    refusals: list[Refusal] = field(default_factory=list)
    broken: list[Refusal] = field(default_factory=list)
    converted: Counter[str] = field(default_factory=Counter)  # by the format that came
    known: int = 0
    unlicensed: int = 0
    given_up: list[str] = field(default_factory=list)  # a sentence for each host

    def add(self, done: Recorded | Refusal | None) -> None:
        """Count what became of one photograph; None where it was there already."""
        if isinstance(done, Refusal):
            self.refusals.append(done)
        elif done is None:
            self.known += 1
        else:
            arrival, outcome = done
            fault = arrival.came if isinstance(arrival.came, PhotoError) else None
            self.tally.count(outcome, fault)
            if fault is not None:
                self.broken.append(Refusal(arrival.where, format_reason(str(fault))))
            elif isinstance(arrival.came, Picture) and arrival.came.came_as:
                self.converted[arrival.came.came_as] += 1
            has_licence = arrival.values.get("licence_id") is not None
            self.unlicensed += not has_licence and outcome is not Outcome.LOST


def format_import(count: ImportCount) -> str:
    """The counts in one line."""
    rest = f" Already known {count.known}; skipped {len(count.refusals)}."
    return format_summary(count.tally.summary()) + rest


def format_converted(count: ImportCount) -> str:
    """One sentence on files that became JPEG, empty where there were none."""
    told = ", ".join(f"{number} {kind}" for kind, number in sorted(count.converted.items()))
    return f"Stored as JPEG: {told}." if told else ""


def format_unlicensed(count: int) -> str:
    """One sentence on photographs that were kept without a licence."""
    which = "1 photograph has" if count == 1 else f"{count} photographs have"
    return (
        f"{which} no licence. Make sure that you may use {'it' if count == 1 else 'them'}; set one "
        "with --licence or skip them with --require-licence."
    )


_CLAIM = timedelta(hours=1)


def record_arrival(
    session: Session,
    store: ImageStore,
    source: Source,
    arrival: Arrival,
    query_id: int,
    *,
    now: datetime,
    retry_broken: bool = False,
) -> Outcome | None:
    """The outcome with the photo in its last state, or None where it has a row already.

    `retry_broken` takes the row of a broken photo as if it were new.
    """
    claimant = f"import {source}"
    row = {
        "state": PhotoState.FOUND,
        "found_at": now,
        "query_id": query_id,
        "taken_at_unknown": arrival.values.get("taken_at_text") is None,
        "claimed_by": claimant,
        "claimed_until_at": now + _CLAIM,
        "attempts": 1,
        **arrival.values,
        "source": source,
    }
    this = (Photo.source == source, Photo.source_id == row["source_id"])
    if not insert_new(session, Photo, [row], ("source", "source_id")):
        if not retry_broken:
            return None
        again = update(Photo).where(*this, Photo.state == PhotoState.BROKEN)
        changed = session.execute(again.values({**row, "reason": None}).returning(Photo.id))
        if changed.first() is None:
            return None
    claim = Claim(session.scalars(select(Photo.id).where(*this)).one(), claimant, 1, "", None)
    if isinstance(arrival.came, PhotoError):
        return record_missed(session, Missed(claim, arrival.came))
    if store.folder is not None:
        keep_files(session)
        if not store.has(arrival.sha256):  # it was deleted as another photo's
            store.put(arrival.came.data)
    (outcome,) = record_kept(session, [Kept(claim, arrival.came.as_stored(arrival.sha256), now)])
    return outcome


def is_known(session: Session, source: Source, source_id: str, *, but_broken: bool) -> bool:
    """Whether the source's photo has a row; with `but_broken`, one that is not broken."""
    wanted = select(Photo.id).where(Photo.source == source, Photo.source_id == source_id)
    if but_broken:
        wanted = wanted.where(Photo.state != PhotoState.BROKEN)
    return session.scalar(wanted) is not None


def get_query_id(session: Session, source: Source, class_name: str, keyword: str) -> int:
    """The row that stands for the folder or table, recorded like a query; made where missing."""
    row = {"source": source, "class_name": class_name, "keyword": keyword[:200]}
    wanted = select(Query.id).filter_by(**row)
    query_id = session.scalar(wanted)
    if query_id is None:
        session.add(Query(**row))
        session.flush()
        query_id = session.scalars(wanted).one()
    return query_id
