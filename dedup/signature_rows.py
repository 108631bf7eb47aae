"""The signatures of the images that may be matched, out of the catalogue."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Row, and_, or_, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Image, Signature

from .candidates import Census, ViewTable, make_view_table
from .decisions import COUNTED, SOME, slices
from .matching import Source
from .signature.features import Words, unpack_features
from .signature.signature import (
    RECIPE,
    Shown,
    unpack_layout,
    unpack_views,
    unpack_words,
)

Ids = NDArray[np.int64]


def read_source(party: Party) -> Source:
    """Where the signatures of a party's images are; each read sees its own moment."""

    def read(image_ids: Ids, column: InstrumentedAttribute[bytes]) -> dict[int, bytes]:
        with party.catalogue.reading() as session:
            rows = _load(session, image_ids, column)
            return {image_id: packed for image_id, packed in rows}  # noqa: C416  rows are no pairs

    def load_views(image_ids: Ids) -> ViewTable:
        blobs = read(image_ids, Signature.views)
        return make_view_table(list(blobs), [unpack_views(blob) for blob in blobs.values()])

    def load_words(image_ids: Ids) -> list[Words]:
        """The words of each image, in order; none where its signature is gone."""
        blobs = read(image_ids, Signature.words)
        return [unpack_words(blobs.get(image_id, b"")) for image_id in image_ids.tolist()]

    def load_shown(image_ids: Ids) -> dict[int, Shown]:
        with party.catalogue.reading() as session:
            return load_known(session, image_ids)

    return Source(load_views, load_words, load_shown)


IS_NEW = or_(
    Image.state == ImageState.HASHED,
    and_(Image.state.in_(COUNTED), Signature.is_compared.is_(False)),
)
"""Images to compare with all others: those that wait for it, and annotated ones that never met any.

Labels that are imported bring their images annotated.
"""


def load_new_ids(session: Session) -> set[int]:
    """The images that are to be compared with all others."""
    return set(
        session.scalars(
            select(Image.id)
            .join(Signature, Signature.image_id == Image.id)
            .where(IS_NEW, Signature.recipe == RECIPE)
        )
    )


def mark_compared(session: Session, image_ids: Collection[int]) -> None:
    """Record that these images met all others."""
    session.execute(
        update(Signature).where(Signature.image_id.in_(image_ids)).values(is_compared=True)
    )


def load_census(session: Session) -> Census:
    """All images with a signature of this program's recipe that stand, or were put aside."""
    rows = session.execute(
        select(Image.id, IS_NEW)
        .join(Signature, Signature.image_id == Image.id)
        .where(Image.state.in_((*COUNTED, ImageState.DUPLICATE)), Signature.recipe == RECIPE)
        .order_by(Image.id)
        .execution_options(yield_per=SOME)
    )
    kind = np.dtype([("image_id", np.int64), ("is_new", np.bool_)])
    table = np.fromiter(((image_id, is_new) for image_id, is_new in rows), kind)
    return Census(table["image_id"].copy(), table["is_new"].copy())


def load_plain_ids(session: Session, min_quality: float) -> set[int]:
    """Images so plain that any two of them may look alike: one of a pair must not be so."""
    return set(session.scalars(select(Image.id).where(Image.quality < min_quality)))


def load_known(session: Session, image_ids: Ids) -> dict[int, Shown]:
    """Pictures and features of those of the images that still have a signature."""
    columns = Signature.luma, Signature.shown, Signature.views, Signature.features
    return {
        row.image_id: Shown(
            row.luma, row.shown, unpack_layout(row.views), unpack_features(row.features)
        )
        for row in _load(session, image_ids, *columns)
    }


def _load(
    session: Session, image_ids: Ids, *columns: InstrumentedAttribute[Any]
) -> Iterator[Row[Any]]:
    for part in slices(np.unique(image_ids)):
        yield from session.execute(
            select(Signature.image_id, *columns)
            .where(Signature.image_id.in_(part.tolist()), Signature.recipe == RECIPE)
            .order_by(Signature.image_id)
        )
