"""Exported datasets and what is frozen in them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from catalog.states import Split

from .annotations import Annotation
from .base import Row
from .images import Image
from .segments import Segmentation


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

    `segmentation_id` is the drawing that its masks were made of. `form` says how its files were
    written where not as the release's settings say: of imported images and those taken over from
    an earlier release. An image imported without its annotation says so there; its revision is a
    draft without objects.
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
    form: Mapped[dict[str, Any] | None]

    release: Mapped[Release] = relationship(back_populates="images")
    image: Mapped[Image] = relationship()
    annotation: Mapped[Annotation] = relationship()
    segmentation: Mapped[Segmentation | None] = relationship()
