"""Which images are to be hashed, and their hashes, as rows of the catalogue."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Row, and_, func, or_, select, update
from sqlalchemy.orm import Session

from catalog.session import Catalogue
from catalog.states import ImageState
from catalog.tables import Image
from catalog.transitions import move_image

from .bands import Hashes
from .hashes import RECIPE
from .hashing import HashOutcome, HashTask
from .matching import WORDS_256, HashTable

log = logging.getLogger(__name__)

STANDING = (
    ImageState.HASHED,
    ImageState.POOL,
    ImageState.ANNOTATING,
    ImageState.ANNOTATED,
    ImageState.DISCARDED,  # its annotator may think again
    ImageState.CHECKING,
    ImageState.RETURNED,
    ImageState.CHECKED,
    ImageState.RELEASED,
)
"""The states of images that are in a release or may still come to be in one."""

PAGE_ROWS = 1000
TABLE_PAGE_ROWS = 10_000


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
    """The state that each image entered by this; those that were not fetched (any more) have none.

    An image that is past fetched keeps its state, and its old hashes where new ones failed.
    """
    hashed = [_hash_values(outcome) for outcome in outcomes if outcome.hashes is not None]
    if hashed:
        session.execute(update(Image), hashed)
    entered = []
    for outcome in outcomes:
        enters = ImageState.BROKEN if outcome.hashes is None else ImageState.HASHED
        reason = _clean_reason(outcome)
        if move_image(session, outcome.image_id, ImageState.FETCHED, enters, at=at, reason=reason):
            entered.append(enters)
    return entered


def load_hash_table(session: Session) -> HashTable:
    """The hashes of this program's recipe of all standing images; new are those not matched yet.

    Rows come in order of the images' ids, all of one moment.
    """
    statement = (
        select(Image.id, Image.state, Image.phash_64, Image.phash_256, Image.quality)
        .where(Image.state.in_(STANDING), Image.hash_recipe == RECIPE)
        .order_by(Image.id)
        .execution_options(yield_per=TABLE_PAGE_ROWS)
    )
    pages = [_parse_page(rows) for rows in session.execute(statement).partitions()]
    return _join_pages([_parse_page([]), *pages])


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


def _hash_values(outcome: HashOutcome) -> dict[str, Any]:
    assert outcome.hashes is not None
    return {**asdict(outcome.hashes), "id": outcome.image_id, "hash_recipe": RECIPE}


def _clean_reason(outcome: HashOutcome) -> str | None:
    if outcome.reason is None:
        return None
    log.warning("image %d cannot be hashed: %s", outcome.image_id, outcome.reason)
    return outcome.reason.replace("\0", "")


def _parse_page(rows: Sequence[Row[Any]]) -> HashTable:
    return HashTable(
        image_ids=np.array([row[0] for row in rows], dtype=np.int64),
        is_new=np.array([row[1] is ImageState.HASHED for row in rows], dtype=np.bool_),
        hashes_64=parse_hashes([row[2] for row in rows]),
        hashes_256=parse_hashes([row[3] for row in rows]).reshape(-1, WORDS_256),
        quality=np.array([row[4] for row in rows], dtype=np.float64),
    )


def parse_hashes(texts: Sequence[str]) -> Hashes:
    """The words of 64 bits that hexadecimal digits stand for, one after the other."""
    return np.frombuffer(bytes.fromhex("".join(texts)), dtype=">u8").astype(np.uint64)


def _join_pages(pages: Sequence[HashTable]) -> HashTable:
    return HashTable(
        np.concatenate([page.image_ids for page in pages]),
        np.concatenate([page.is_new for page in pages]),
        np.concatenate([page.hashes_64 for page in pages]),
        np.concatenate([page.hashes_256 for page in pages]),
        np.concatenate([page.quality for page in pages]),
    )
