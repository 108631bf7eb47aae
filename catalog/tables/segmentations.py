"""The pixels that were drawn, drawing by drawing, and what checkers said of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from catalog.states import SegmentState, Suggested, Verdict

from .base import Base, Row, Saved
from .people import Person
from .photos import Image


class Segmentation(Saved, Row):
    """One saved drawing of the pixels of an image's objects; complete, never changed.

    `annotation_id` is the box revision that it refines, `parent_id` the drawing that it started
    from. `beside` says why it never was the newest, `set_aside_at` when an organiser undid it; both
    are stale. `inputs` counts clicks, drags and keys. Written by work, from
    values of annotate_ui; by export where masks are imported.
    """

    __table_args__ = (Index(None, "image_id", "person_id"), Index(None, "created_at"))

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"))
    annotation_id: Mapped[int] = mapped_column(ForeignKey("annotation.id"), index=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("segmentation.id"))
    save_key: Mapped[str] = mapped_column(String(64), unique=True)
    is_finished: Mapped[bool] = mapped_column(default=False)
    active_secs: Mapped[float] = mapped_column(default=0.0)
    inputs: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]

    person: Mapped[Person] = relationship()
    segments: Mapped[list[Segment]] = relationship(order_by="Segment.id")


class Segment(Row):
    """The pixels of an object, or a void region where `object_key` is empty.

    Written as Segmentation, by work, annotate_ui and export; collect erases `rings` with an image.

    Larger `depth` is in front, of equal ones the later row. `rings` are flat, as
    vockit/format/rings.py has them.
    `drawn_secs` and `inputs` are what its page counted for the object, over all saves.
    `suggestion_set_id` is the set of the model whose outline a person accepted as it was, or
    corrected, as `suggested` says; both are empty for what a person drew.
    """

    __table_args__ = (
        UniqueConstraint("segmentation_id", "object_key"),
        CheckConstraint("(suggestion_set_id IS NULL) = (suggested IS NULL)", name="suggested_both"),
    )

    segmentation_id: Mapped[int] = mapped_column(ForeignKey("segmentation.id"), index=True)
    object_key: Mapped[str | None] = mapped_column(String(64))
    depth: Mapped[int]
    rings: Mapped[list[Any]]
    drawn_secs: Mapped[float] = mapped_column(default=0.0)
    inputs: Mapped[int] = mapped_column(default=0)
    suggestion_set_id: Mapped[int | None] = mapped_column(ForeignKey("suggestion_set.id"))
    suggested: Mapped[Suggested | None]


class SegmentationReview(Row):
    """A checker's verdict on one drawing. Written by work, from values of annotate_ui.

    `object_verdicts` is a list of {"object_key", "verdict"}; `missing` says whether something is
    not drawn. `fixed_segmentation_id` is the checker's own drawing. From `set_aside_at` on the
    verdict is undone and does not count.
    """

    segmentation_id: Mapped[int] = mapped_column(ForeignKey("segmentation.id"), index=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    save_key: Mapped[str] = mapped_column(String(64), unique=True)
    verdict: Mapped[Verdict]
    object_verdicts: Mapped[list[Any]] = mapped_column(default=list)
    missing: Mapped[bool | None]
    comments: Mapped[str | None] = mapped_column(Text)
    fixed_segmentation_id: Mapped[int | None] = mapped_column(ForeignKey("segmentation.id"))
    active_secs: Mapped[float] = mapped_column(default=0.0)
    inputs: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]
    set_aside_at: Mapped[datetime | None]

    segmentation: Mapped[Segmentation] = relationship(foreign_keys=[segmentation_id])
    person: Mapped[Person] = relationship()


class SegmentChoice(Base):
    """An image whose objects are segmented; its own state stays. Written by work.

    export writes that of an import that is accepted as it came.

    `segmentation_id` is the newest drawing that is not stale, `second_id` the other one of an image
    that is drawn twice, `blind`, and `agreement` the IoU of both by object key. `annotation_id` is
    the box revision that the newest drawing was last compared with. A release takes `checked` ones
    without changes since. Who holds it has a Lease.
    """

    __table_args__ = (
        CheckConstraint("segmentation_id <> second_id", name="two_drawings"),
        Index(None, "state"),
    )

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), primary_key=True)
    state: Mapped[SegmentState] = mapped_column(default=SegmentState.TODO)
    blind: Mapped[bool] = mapped_column(default=False)
    chosen_at: Mapped[datetime]
    segmentation_id: Mapped[int | None] = mapped_column(ForeignKey("segmentation.id"))
    second_id: Mapped[int | None] = mapped_column(ForeignKey("segmentation.id"))
    agreement: Mapped[dict[str, Any] | None]
    annotation_id: Mapped[int | None] = mapped_column(ForeignKey("annotation.id"))

    image: Mapped[Image] = relationship()
    segmentation: Mapped[Segmentation | None] = relationship(foreign_keys=[segmentation_id])
