"""The images that questions are about."""

from __future__ import annotations

from sqlalchemy import ColumnElement, exists

from catalog.states import ImageState
from catalog.stuck import is_stuck
from catalog.tables import GoldImage, Image


def is_asked() -> ColumnElement[bool]:
    """Whether an Image is one that questions are about: new, and nobody drew on it."""
    in_gold = exists().where(GoldImage.image_id == Image.id, GoldImage.ended_at.is_(None))
    is_new = (Image.state == ImageState.POOL) & Image.annotation_id.is_(None)
    return is_new & Image.taster.is_(None) & ~in_gold & ~is_stuck()
