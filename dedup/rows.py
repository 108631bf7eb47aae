"""Which images are to be hashed, and what came of it, as rows of the catalogue."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, and_, delete, func, insert, or_, select, update
from sqlalchemy.orm import Session

from catalog.session import Catalogue
from catalog.states import ImageState
from catalog.tables import Image, Signature
from catalog.transitions import move_image

from .hashing import HashOutcome, HashTask
from .signature.hashes import RECIPE
from .signature_rows import Ids
from .standing import STANDING

log = logging.getLogger(__name__)

PAGE_ROWS = 1000
IN_PAGES = {"yield_per": PAGE_ROWS}


def has_images(session: Session) -> bool:
    """Whether any image was ever stored."""
    return session.scalar(select(Image.id).limit(1)) is not None


def count_due(session: Session) -> int:
    """How many images have no hashes of this program's recipe, and need them."""
    return session.scalar(select(func.count()).select_from(Image).where(_is_due())) or 0


def iterate_due(catalogue: Catalogue, batch_images: int) -> Iterator[list[HashTask]]:
    """Every image that is due once, in batches; no session stays open in between."""
    last_id = 0
    while page := _load_due(catalogue, last_id):
        yield from (page[at : at + batch_images] for at in range(0, len(page), batch_images))
        last_id = page[-1].image_id


def save_outcomes(
    session: Session, outcomes: Sequence[HashOutcome], *, at: datetime
) -> list[ImageState]:
    """The states that images entered by this.

    An image that is past hashed keeps its state, and its old hashes where new ones failed.
    """
    _save_hashes(session, [outcome for outcome in outcomes if outcome.hashed is not None])
    entered = [_enter(session, outcome, at) for outcome in outcomes]
    return [state for state in entered if state is not None]


def load_new_ids(session: Session) -> Ids:
    """The images that were hashed by this program's recipe and are to be matched, ascending."""
    statement = select(Image.id).where(
        Image.state == ImageState.HASHED, Image.hash_recipe == RECIPE
    )
    found = session.scalars(statement.order_by(Image.id), execution_options=IN_PAGES)
    return np.fromiter(found, np.int64)


def _is_due() -> ColumnElement[bool]:
    is_outdated = Image.hash_recipe.is_distinct_from(RECIPE)
    return or_(Image.state == ImageState.FETCHED, and_(Image.state.in_(STANDING), is_outdated))


def _load_due(catalogue: Catalogue, after_id: int) -> list[HashTask]:
    statement = (
        select(Image.id, Image.sha256)
        .where(_is_due(), Image.id > after_id)
        .order_by(Image.id)
        .limit(PAGE_ROWS)
    )
    with catalogue.reading() as session:
        return [HashTask(image_id, sha256) for image_id, sha256 in session.execute(statement)]


def _save_hashes(session: Session, outcomes: Sequence[HashOutcome]) -> None:
    if not outcomes:
        return
    session.execute(update(Image), [_hash_values(outcome) for outcome in outcomes])
    image_ids = [outcome.image_id for outcome in outcomes]
    session.execute(delete(Signature).where(Signature.image_id.in_(image_ids)))
    session.execute(insert(Signature), [_signature_values(outcome) for outcome in outcomes])


def _enter(session: Session, outcome: HashOutcome, at: datetime) -> ImageState | None:
    if outcome.hashed is not None:
        steps = [(ImageState.FETCHED, ImageState.HASHED)]
    else:
        steps = [(leaves, ImageState.BROKEN) for leaves in (ImageState.FETCHED, ImageState.HASHED)]
    reason = _clean_reason(outcome)
    for leaves, enters in steps:
        if move_image(session, outcome.image_id, leaves, enters, at=at, reason=reason):
            return enters
    return None


def _hash_values(outcome: HashOutcome) -> dict[str, Any]:
    assert outcome.hashed is not None
    return {**asdict(outcome.hashed.whole), "id": outcome.image_id, "hash_recipe": RECIPE}


def _signature_values(outcome: HashOutcome) -> dict[str, Any]:
    assert outcome.hashed is not None
    return {
        "image_id": outcome.image_id,
        "recipe": RECIPE,
        "luma": outcome.hashed.luma,
        "views": outcome.hashed.views,
    }


def _clean_reason(outcome: HashOutcome) -> str | None:
    if outcome.reason is None:
        return None
    log.warning("image %d cannot be hashed: %s", outcome.image_id, outcome.reason)
    return outcome.reason.replace("\0", "")
