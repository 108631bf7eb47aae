"""How far collecting and the search for near-duplicates are, as rows tell it.

Jobs run elsewhere and report nowhere: a job that hangs looks like one that was never started, so
the board says what was done last and when, not what runs.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from annotate_ui.api.answers import format_moment
from catalog.states import ImageState, PhotoState
from catalog.tables import Duplicate, HostPause, Image, Photo, Search


def load_job_counts(session: Session, *, target_images: int, at: datetime) -> dict[str, Any]:
    """Photos by state against the target, images to hash and to compare, and last signs."""
    photos = _count(session, Photo.state)
    images = _count(session, Image.state)
    fetching = select(func.count()).where(
        Photo.state == PhotoState.FOUND, Photo.claimed_until_at > at
    )
    pauses = select(HostPause).where(HostPause.until_at > at).order_by(HostPause.host)
    return {
        "photos": {state.value: photos.get(state, 0) for state in PhotoState},
        "target_images": target_images,
        "fetching": session.scalar(fetching) or 0,
        "searched_at": _latest(session, Search.searched_at),
        "fetched_at": _latest(session, Photo.fetched_at),
        "images": sum(images.values()),
        "to_hash": images.get(ImageState.FETCHED, 0),
        "to_compare": images.get(ImageState.HASHED, 0),
        "duplicates": images.get(ImageState.DUPLICATE, 0),
        "compared_at": _latest(session, Duplicate.decided_at),
        "pauses": [
            {"host": pause.host, "until": format_moment(pause.until_at)}
            for pause in session.scalars(pauses)
        ],
    }


def _count(session: Session, column: Any) -> dict[Any, int]:
    return dict(session.execute(select(column, func.count()).group_by(column)).tuples().all())


def _latest(session: Session, column: Any) -> str | None:
    moment = session.scalar(select(func.max(column)))
    return format_moment(moment) if moment else None
