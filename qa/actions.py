"""Whether the party marks actions, which decides whether a missing one is worth a hint."""

from __future__ import annotations

from sqlalchemy import Text, cast, select
from sqlalchemy.orm import Session

from catalog.preset import Preset
from catalog.tables import Image, Object

from .load import LOADED_STATES
from .subjects import CheckedImage


def asks_for_actions(image: CheckedImage, preset: Preset) -> bool:
    """Whether an object of the image lacks an action that its class could have."""
    able = {spec.name for spec in preset.classes if spec.has_actions}
    return any(item.class_name in able and not item.actions for item in image.objects)


def marks_actions(session: Session) -> bool:
    """Whether an object in the newest revision of any finished image has an action."""
    marked = (
        select(Object.id)
        .join(Image, Image.annotation_id == Object.annotation_id)
        .where(Image.state.in_(LOADED_STATES), cast(Object.actions, Text) != "[]")
        .order_by(Object.id.desc())
        .limit(1)
    )
    return session.scalar(marked) is not None
