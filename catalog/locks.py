"""The one order in which transactions take locks: images, then leases, then other rows.

A transaction that works on several images locks them all first, in the order of their ids, and
waits for nothing else before. What it takes later of other images it takes only where nobody has it
(`lock_free_images`). So no two transactions ever wait for each other. SQLite has one writer, which
needs none of this (docs/decisions/images-are-locked-first.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from .session import in_parts, needs_row_locks
from .tables import Image

Which = Collection[int] | Select[tuple[int]]
"""Ids of images, or a query for them."""


def lock_images(session: Session, which: Which) -> list[int]:
    """The ids of the images, sorted, which no other transaction changes until this one ends.

    Rows that name these images may still be added meanwhile.
    """
    return [
        image_id
        for chosen in _list_chosen(which)
        for image_id in session.scalars(chosen.with_for_update(key_share=True))
    ]


def lock_image(session: Session, image_id: int) -> None:
    """Lock one image as `lock_images` does."""
    if needs_row_locks(session):
        lock_images(session, [image_id])


def lock_free_images(session: Session, which: Which) -> list[int]:
    """As `lock_images`, but without the images that other transactions are busy with."""
    return [
        image_id
        for chosen in _list_chosen(which)
        for image_id in session.scalars(chosen.with_for_update(key_share=True, skip_locked=True))
    ]


def _list_chosen(which: Which) -> Iterator[Select[tuple[int]]]:
    chosen = select(Image.id).order_by(Image.id)
    if isinstance(which, Select):
        yield chosen.where(Image.id.in_(which))
        return
    for some in in_parts(sorted(which)):
        yield chosen.where(Image.id.in_(some))
