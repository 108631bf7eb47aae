"""Photos that searches found, as rows that wait for their download."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from catalog.states import PhotoState, Source
from catalog.tables import Photo, as_table

from .among import dialect_of, is_among, pack
from .inserts import insert_new
from .licences import Licence
from .results import FoundPhoto
from .windows import Window


@dataclass(frozen=True)
class Finding:
    """Which search found a photo: query, window (None: without dates), page, and when."""

    query_id: int
    window: Window | None
    page: int
    found_at: datetime


def is_wanted(photo: FoundPhoto, licences: Mapping[str, Licence], min_side_px: int) -> bool:
    """Whether a photo is worth its download: a photograph, large enough, of a kept licence."""
    if photo.image_url is None or not photo.is_photograph or photo.licence_id not in licences:
        return False
    return min(photo.promised_width or 0, photo.promised_height or 0) >= min_side_px


def load_known_ids(session: Session, source_ids: Collection[str]) -> set[str]:
    """Those of Flickr's ids that have a row already, whatever became of the photo."""
    dialect = dialect_of(session)
    given = {"ids": pack(dialect, source_ids)}
    return set(session.connection().execute(_select_known(dialect), given).scalars())


@cache
def _select_known(dialect: str) -> Select[tuple[str]]:
    photo = as_table(Photo)
    is_known = is_among(dialect, photo.c.source_id, "ids")
    return select(photo.c.source_id).where(photo.c.source == Source.FLICKR, is_known)


def insert_found(
    session: Session,
    photos: Sequence[FoundPhoto],
    finding: Finding,
    licences: Mapping[str, Licence],
) -> int:
    """How many of the photos were new; each gets one row, in state `found`."""
    rows = [_row(photo, finding, licences[photo.licence_id]) for photo in photos]
    rows.sort(key=lambda row: str(row["source_id"]))
    return insert_new(session, Photo, rows, ("source", "source_id"))


def _row(photo: FoundPhoto, finding: Finding, licence: Licence) -> dict[str, Any]:
    window = finding.window
    return {
        "source": Source.FLICKR,
        "source_id": photo.source_id,
        "state": PhotoState.FOUND,
        "owner_id": photo.owner_id,
        "owner_name": photo.owner_name,
        "title": photo.title,
        "tags": photo.tags,
        "licence_id": licence.id,
        "licence_name": licence.name,
        "licence_url": licence.url,
        "taken_at_text": photo.taken_at_text,
        "taken_at_unknown": photo.taken_at_unknown,
        "uploaded_at": photo.uploaded_at,
        "page_url": photo.page_url,
        "image_url": photo.image_url,
        "promised_width": photo.promised_width,
        "promised_height": photo.promised_height,
        "query_id": finding.query_id,
        "window_start_at": window.start if window else None,
        "window_end_at": window.end if window else None,
        "result_page": finding.page,
        "found_at": finding.found_at,
        "attempts": 0,
    }
