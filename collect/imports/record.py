"""What came of one photograph from elsewhere, as rows: never half, never twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.file_lock import keep_files
from catalog.image_store import ImageStore
from catalog.states import PhotoState, Source
from catalog.tables import Photo, Query
from collect.claims import Claim
from collect.errors import PhotoError
from collect.inserts import insert_new
from collect.outcomes import Outcome, record_fetched, record_lost
from collect.picture import Picture

_CLAIM = timedelta(hours=1)


@dataclass(frozen=True)
class Arrival:
    """One photograph as it came: the columns of its row, and its picture or its fault.

    The picture's file is in the store by then; `sha256` is its digest.
    """

    values: Mapping[str, Any]
    came: Picture | PhotoError
    sha256: str = ""


def record_arrival(
    session: Session,
    store: ImageStore,
    source: Source,
    arrival: Arrival,
    query_id: int,
    *,
    now: datetime,
) -> Outcome | None:
    """The outcome with the photo in its last state, or None where it has a row already."""
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
    if not insert_new(session, Photo, [row], ("source", "source_id")):
        return None
    this = (Photo.source == source, Photo.source_id == row["source_id"])
    photo_id = session.scalars(select(Photo.id).where(*this)).one()
    claim = Claim(photo_id, claimant, 1, "", None)
    if isinstance(arrival.came, PhotoError):
        return record_lost(session, claim, arrival.came)
    _keep_file(session, store, arrival.came, arrival.sha256)
    return record_fetched(session, claim, arrival.came, arrival.sha256, now=now)


def _keep_file(session: Session, store: ImageStore, picture: Picture, sha256: str) -> None:
    """Store a picture once more whose file, in a folder, was deleted as another photo's."""
    if store.folder is not None:
        keep_files(session)
        if not store.has(sha256):
            store.put(picture.data)


def load_known(session: Session, source: Source, source_ids: Iterable[str]) -> set[str]:
    """Those of the ids that have a row already, whatever became of the photo."""
    ids, known = sorted(source_ids), set()
    for at in range(0, len(ids), 500):
        some = Photo.source_id.in_(ids[at : at + 500])
        known |= set(session.scalars(select(Photo.source_id).where(Photo.source == source, some)))
    return known


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
