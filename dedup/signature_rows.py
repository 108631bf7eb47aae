"""The signatures of the images that may be matched, as tables of arrays out of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Select, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Image, Signature

from .candidates import Census, ViewTable
from .columns import stack_rows
from .decisions import COUNTED
from .matching import Source
from .signature.signature import RECIPE, Layout, unpack_layout, unpack_luma, unpack_view_hashes
from .signature.view_hashes import LUMA_SIDE_PX, Luma, ViewHashes
from .signature.views import MAX_BOXES
from .verify.pictures import Pictures

MOST_VALUES = 500  # in one IN list
ROWS_AT_ONCE = 10_000

COPY_SHARE = 0.2
"""A copy half as bright, or too bright, may have so much of its original's quality."""

Ids = NDArray[np.int64]


def read_source(party: Party) -> Source:
    """Where the hashes and pictures of a party's images are; each read sees its own moment."""

    def load_views(census: Census) -> ViewTable:
        with party.catalogue.reading() as session:
            return load_view_table(session, census)

    def load_some_pictures(image_ids: Ids) -> tuple[Ids, Pictures]:
        with party.catalogue.reading() as session:
            return load_pictures(session, image_ids)

    return Source(load_views, load_some_pictures)


def load_census(session: Session, min_quality: float) -> Census:
    """All standing images with a signature of this program's recipe, of one moment.

    Images of much less quality match nothing and are left out: flat ones look alike. Those of a
    little less are copies at most, see `load_plain_ids`.
    """
    statement = _select_standing(Image.id, Image.state).where(
        Image.quality >= COPY_SHARE * min_quality
    )
    rows = session.execute(statement.execution_options(yield_per=ROWS_AT_ONCE))
    kind = np.dtype([("image_id", np.int64), ("is_new", np.bool_)])
    found = np.fromiter(((one, state is ImageState.HASHED) for one, state in rows), kind)
    return Census(found["image_id"].copy(), found["is_new"].copy())


def load_plain_ids(session: Session, min_quality: float) -> Ids:
    """Those of the census, ids ascending, that may only be copies of what is not so plain."""
    statement = _select_standing(Image.id).where(
        Image.quality >= COPY_SHARE * min_quality, Image.quality < min_quality
    )
    found = session.scalars(statement.execution_options(yield_per=ROWS_AT_ONCE))
    return np.fromiter(found, np.int64)


def _select_standing(*columns: InstrumentedAttribute[Any]) -> Select[Any]:
    return (
        select(*columns)
        .join(Signature, Signature.image_id == Image.id)
        .where(Image.state.in_(COUNTED), Signature.recipe == RECIPE)
        .order_by(Image.id)
    )


def load_view_table(session: Session, census: Census) -> ViewTable:
    """The hashes of these images' views."""
    tables = [stack_views(np.empty(0, np.int64), np.empty(0, np.bool_), [])]
    for part in cut_ids(census.image_ids):
        rows = session.execute(
            select(Signature.image_id, Signature.views)
            .where(Signature.image_id.in_(part.tolist()))
            .order_by(Signature.image_id)
        ).all()
        found = np.array([image_id for image_id, _ in rows], np.int64)
        is_new = census.is_new[np.searchsorted(census.image_ids, found)]
        unpacked = [unpack_view_hashes(views) for _, views in rows]
        tables.append(stack_views(found, is_new, unpacked))
    return stack_rows(tables)


def stack_views(owners: Ids, is_new: NDArray[np.bool_], views: Sequence[ViewHashes]) -> ViewTable:
    """The table of the views of these owners."""
    counts = [len(one.codes) for one in views]
    return ViewTable(
        owners=np.repeat(owners, counts),
        codes=np.concatenate([np.empty(0, np.uint8), *(one.codes for one in views)]),
        hashes=np.concatenate([np.empty(0, np.uint64), *(one.hashes for one in views)]),
        is_new=np.repeat(is_new, counts),
    )


def load_pictures(session: Session, image_ids: Ids) -> tuple[Ids, Pictures]:
    """The ids, ascending, of those images that still have a signature, and their pictures."""
    found: list[int] = []
    lumas: list[Luma] = []
    layouts: list[Layout] = []
    for part in cut_ids(np.unique(image_ids)):
        rows = session.execute(
            select(Signature.image_id, Signature.luma, Signature.views)
            .where(Signature.image_id.in_(part.tolist()), Signature.recipe == RECIPE)
            .order_by(Signature.image_id)
        )
        for image_id, luma, views in rows:
            found.append(image_id)
            lumas.append(unpack_luma(luma))
            layouts.append(unpack_layout(views))
    return np.array(found, np.int64), make_pictures(lumas, layouts)


def make_pictures(lumas: Sequence[Luma], layouts: Sequence[Layout]) -> Pictures:
    """The same as a table."""
    return Pictures(
        luma=np.array(lumas, np.uint8).reshape(-1, LUMA_SIDE_PX, LUMA_SIDE_PX),
        aspects=np.array([layout.aspect for layout in layouts], np.float32),
        boxes=np.array([layout.boxes for layout in layouts], np.uint8).reshape(-1, MAX_BOXES, 4),
        is_drawn=np.array([layout.is_drawn for layout in layouts], np.bool_),
    )


def cut_ids(image_ids: Ids) -> Iterator[Ids]:
    """The ids in parts that one statement takes."""
    return (image_ids[at : at + MOST_VALUES] for at in range(0, len(image_ids), MOST_VALUES))
