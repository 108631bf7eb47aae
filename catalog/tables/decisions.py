"""What was decided about an image, in order; its state follows from these rows."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from catalog.states import DecisionKind, Role

from .base import Row


class Decision(Row):
    """One decision about an image: who, in which role, when and why; never deleted.

    Written by work, collect and export, through catalog/decisions.py. `annotation_id` is
    the revision that was saved or judged, `review_id` the verdict, `campaign_id` the campaign.
    From `set_aside_at` on the decision does not count: it was undone, or its campaign ended.
    `person_id` is empty for a command.
    """

    __table_args__ = (Index(None, "image_id", "set_aside_at"),)

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"))
    kind: Mapped[DecisionKind]
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    role: Mapped[Role | None]
    decided_at: Mapped[datetime]
    reason: Mapped[str | None] = mapped_column(Text)
    annotation_id: Mapped[int | None] = mapped_column(ForeignKey("annotation.id"), index=True)
    review_id: Mapped[int | None] = mapped_column(ForeignKey("review.id"), index=True)
    campaign_id: Mapped[int | None] = mapped_column(ForeignKey("campaign.id"), index=True)
    set_aside_at: Mapped[datetime | None]
