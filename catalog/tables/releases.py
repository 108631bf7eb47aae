"""What organisers do with finished work: releases, and images annotated again."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from vockit.format.image_sets import Split

from .annotations import Annotation
from .base import Base, Row
from .photos import Image


class Release(Row):
    """One exported dataset. Written by export. `settings` is what decided its content."""

    name: Mapped[str] = mapped_column(String(100), unique=True)
    year: Mapped[int]
    settings: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_at: Mapped[datetime]

    images: Mapped[list[ReleaseImage]] = relationship(
        back_populates="release", order_by="ReleaseImage.public_id"
    )


class ReleaseImage(Row):
    """One image of a release with the revision that is frozen in it. Written by export.

    `segmentation_id` is the drawing that its masks were made of. `form` says how files were written
    where not as the release's settings say: of images imported or taken over from an earlier
    release. It marks an image imported without annotation, whose revision is an empty draft.
    """

    __table_args__ = (
        UniqueConstraint("release_id", "image_id"),
        UniqueConstraint("release_id", "public_id"),
    )

    release_id: Mapped[int] = mapped_column(ForeignKey("release.id"))
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), index=True)
    annotation_id: Mapped[int] = mapped_column(ForeignKey("annotation.id"))
    segmentation_id: Mapped[int | None] = mapped_column(ForeignKey("segmentation.id"))
    split: Mapped[Split]
    public_id: Mapped[str] = mapped_column(String(40))
    form: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))

    release: Mapped[Release] = relationship(back_populates="images")
    image: Mapped[Image] = relationship()
    annotation: Mapped[Annotation] = relationship()


class Campaign(Row):
    """Images that are annotated again for some fields, by a version of the guidelines.

    `fields` are those of history.FIELDS and "objects". `filters` found the images. Written by work.
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
    """An image of a campaign. Written by work.

    `asked_at` is when it went into the pool, empty while a person had it. `annotation_id` was its
    newest revision then.
    """

    __table_args__ = (Index(None, "image_id"), Index(None, "asked_at"))

    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), primary_key=True)
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), primary_key=True)
    annotation_id: Mapped[int | None] = mapped_column(ForeignKey("annotation.id"))
    asked_at: Mapped[datetime | None]
