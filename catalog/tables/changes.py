"""What organisers change once work is done: names of classes, and images annotated again."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from catalog.states import ImageState

from .base import Base, Row


class ClassChange(Row):
    """A class that was renamed, merged into another or split; never changed. By annotate_ui.

    `kind` is "rename", "merge" or "split". The objects of `old_name` have the first of `new_names`
    from then on; the others of a split are new classes. `objects` counts the rows of objects.
    """

    kind: Mapped[str] = mapped_column(String(20))
    old_name: Mapped[str] = mapped_column(String(100))
    new_names: Mapped[list[str]]
    objects: Mapped[int]
    made_by: Mapped[str] = mapped_column(String(100))
    made_at: Mapped[datetime]


class Campaign(Row):
    """Images that are annotated again for some fields, by a version of the guidelines.

    `fields` are those of history.FIELDS and "objects". `filters` found the images. Written by
    annotate_ui.
    """

    name: Mapped[str] = mapped_column(String(100), unique=True)
    fields: Mapped[list[str]]
    guidelines_number: Mapped[int]
    comment: Mapped[str] = mapped_column(Text)
    filters: Mapped[dict[str, Any]]
    made_by: Mapped[str] = mapped_column(String(100))
    made_at: Mapped[datetime]
    ended_by: Mapped[str | None] = mapped_column(String(100))
    ended_at: Mapped[datetime | None]


class CampaignImage(Base):
    """An image of a campaign. Written by annotate_ui.

    `asked_at` is when it went into the pool, empty while a person had it. `annotation_id` was its
    newest revision then and `leaves` its state, which it has again where the campaign ends first.
    """

    __table_args__ = (Index(None, "image_id"), Index(None, "asked_at"))

    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), primary_key=True)
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), primary_key=True)
    annotation_id: Mapped[int | None] = mapped_column(ForeignKey("annotation.id"))
    leaves: Mapped[ImageState | None]
    asked_at: Mapped[datetime | None]
