"""Stored files, and which of them show the same."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column, relationship

from catalog.states import ImageState

from .base import Base, Row
from .photos import Photo

if TYPE_CHECKING:
    from .annotations import Annotation


class Image(Row):
    """One stored file. Written by collect (file), dedup (hashes), annotate_ui (annotation_id).

    `annotation_id` is the newest revision; a save moves it only from the revision it started from.
    `original_sha256` is the digest of the bytes as they came, where upright or smaller pixels were
    stored instead. `erased_at` is when the file of a taken-down image was deleted (collect).
    """

    __table_args__ = (
        Index(None, "state", "sha256"),
        Index(None, "state", "annotation_id"),  # the board counts finished work by these
    )

    sha256: Mapped[str] = mapped_column(String(64), unique=True)
    original_sha256: Mapped[str | None] = mapped_column(String(64), index=True)
    width: Mapped[int]
    height: Mapped[int]
    bytes: Mapped[int]
    stored_at: Mapped[datetime]
    erased_at: Mapped[datetime | None]
    phash_64: Mapped[str | None] = mapped_column(String(16))
    phash_256: Mapped[str | None] = mapped_column(String(64))
    quality: Mapped[float | None]
    hash_recipe: Mapped[str | None] = mapped_column(String(60))
    state: Mapped[ImageState] = mapped_column(default=ImageState.FETCHED)
    state_at: Mapped[datetime]
    reason: Mapped[str | None] = mapped_column(Text)
    annotation_id: Mapped[int | None] = mapped_column(
        ForeignKey("annotation.id", use_alter=True), index=True
    )

    photos: Mapped[list[Photo]] = relationship(back_populates="image", order_by=Photo.id)
    annotation: Mapped[Annotation | None] = relationship(foreign_keys=[annotation_id])


class Signature(Base):
    """What dedup keeps of an image to find its near-duplicates. Written by dedup.

    `luma` is a picture of 128 by 128 pixels, `shown` one of 256, `views` the hashes of the whole,
    `features` local descriptors and `words` the visual words that they stand for; all are of a
    format that `recipe` names. `real_px` is how many pixels the image needs for what it shows,
    `jpeg_quality` 100 without loss. Collect deletes it with an image's file.
    """

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), primary_key=True)
    recipe: Mapped[str] = mapped_column(String(60))
    luma: Mapped[bytes] = mapped_column(LargeBinary)
    shown: Mapped[bytes] = mapped_column(LargeBinary)
    views: Mapped[bytes] = mapped_column(LargeBinary)
    features: Mapped[bytes] = mapped_column(LargeBinary)
    words: Mapped[bytes] = mapped_column(LargeBinary)
    real_px: Mapped[int]
    jpeg_quality: Mapped[float]


class Duplicate(Row):
    """One decision how two images belong together, as long as it is not undone. Written by dedup.

    `relation` is "duplicate" (`image_id` was put aside for `kept_image_id`), "same_event" (both
    stay) or "collage" (`image_id` holds `kept_image_id` whole). `similarity` is 1 for the same
    picture, `doubt` 1 on the threshold. `evidence` holds every measure. `person_id` is empty where
    a rule decided.
    """

    __table_args__ = (
        UniqueConstraint("image_id", "kept_image_id"),
        CheckConstraint("image_id <> kept_image_id", name="two_images"),
        Index(None, "relation", "doubt"),
    )

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"))
    kept_image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), index=True)
    relation: Mapped[str] = mapped_column(String(20), default="duplicate")
    distance_64_bits: Mapped[int | None]
    distance_256_bits: Mapped[int | None]
    similarity: Mapped[float | None]
    doubt: Mapped[float | None]
    evidence: Mapped[dict[str, Any] | None]
    decided_how: Mapped[str] = mapped_column(String(60))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    decided_at: Mapped[datetime]
    undone_at: Mapped[datetime | None]


class PairLabel(Row):
    """A person's word on two images, the lower id first; the newest not undone holds. By dedup.

    `verdict` is "duplicate", "same_event" or "different"; `relation` and `similarity` are the
    rules' at that moment, to measure their precision.
    """

    __table_args__ = (
        Index(None, "first_image_id", "second_image_id"),
        CheckConstraint("first_image_id < second_image_id", name="order"),
    )

    first_image_id: Mapped[int] = mapped_column(ForeignKey("image.id"))
    second_image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), index=True)
    verdict: Mapped[str] = mapped_column(String(20))
    relation: Mapped[str | None] = mapped_column(String(20))
    similarity: Mapped[float | None]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    labelled_at: Mapped[datetime]
    undone_at: Mapped[datetime | None]
