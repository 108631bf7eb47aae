"""Where photographs come from, the stored files, and which of them show the same."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, column_property, mapped_column, relationship

from catalog.sentences import put_together
from catalog.states import ImageState, PhotoState, Source, Taster

from .annotations import Annotation
from .base import Base, Row
from .words import name_class


class Query(Row):
    """One keyword of one class, and what it has yielded so far. Written by collect.

    export writes that of an import.

    `kept` counts images, `judged` those that people are done with, `useful` those of the judged
    that hold an object of the class. `class_id` and `class_name` are as those of an object. Of an
    import with labels `searched_ids` are the classes that its images were searched for.
    """

    __table_args__ = (UniqueConstraint("source", "class_id", "keyword"),)

    source: Mapped[Source]
    class_id: Mapped[str] = mapped_column(String(100))
    keyword: Mapped[str] = mapped_column(String(200))
    searches: Mapped[int] = mapped_column(default=0)
    matches: Mapped[int] = mapped_column(BigInteger, default=0)
    draws: Mapped[int] = mapped_column(default=0)
    kept: Mapped[int] = mapped_column(default=0)
    judged: Mapped[int] = mapped_column(default=0, server_default="0")
    useful: Mapped[int] = mapped_column(default=0)
    searched_ids: Mapped[list[Any] | None]

    class_name: Mapped[str] = column_property(name_class(class_id))


class Search(Row):
    """One call of a search and what it showed; nothing is ever changed. Written by collect.

    `dates` says which date the window is of. `matches` is what the source claimed, `returned` how
    many records came, `fresh` how many of a sample of those were wanted and had no row.
    """

    __table_args__ = (Index(None, "query_id", "window_start_at"),)

    query_id: Mapped[int] = mapped_column(ForeignKey("query.id"))
    dates: Mapped[str] = mapped_column(String(10))
    licence_ids: Mapped[str] = mapped_column(String(200))
    window_start_at: Mapped[datetime | None]
    window_end_at: Mapped[datetime | None]
    page: Mapped[int]
    matches: Mapped[int] = mapped_column(BigInteger)
    returned: Mapped[int]
    fresh: Mapped[int]
    left_out: Mapped[dict[str, Any]] = mapped_column(default=dict)
    searched_at: Mapped[datetime]


class CallBudget(Base):
    """The calls that a key may make now, for all machines. Written by collect.

    `key_sha256` is of the key, which no catalogue holds. `calls` were left at `counted_at`.
    """

    key_sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    calls: Mapped[float]
    counted_at: Mapped[datetime]


class HostPause(Base):
    """Until when no machine asks a host that asked for a pause. Written by collect."""

    host: Mapped[str] = mapped_column(String(200), primary_key=True)
    until_at: Mapped[datetime]
    reason: Mapped[str] = mapped_column(Text)


class BlockedOwner(Base):
    """An owner who is left out, whatever the source, and why. Written by collect."""

    owner_id: Mapped[str] = mapped_column(String(200), primary_key=True)
    reason: Mapped[str] = mapped_column(Text)
    blocked_at: Mapped[datetime]


class Photo(Row):
    """A source's record of one photograph and how we came by it. Written by collect.

    export writes that of an imported image; work withdraws it with its image.
    `taken_at_text` is the owner's local time as the source gave it; it has no time zone.
    `window_start_at` to `window_end_at` is the date window of the search that found it.
    `second_url` is where a copy of its picture may be, asked where `image_url` has none any more.
    `place` is latitude and longitude in tenths of a degree, as near as a report needs.
    `checked_at` is when its source was last asked whether the photograph may still be kept.
    `doubt` is what the source said of a kept photo since `doubted_at` and nothing was done about:
    it said so of many photographs at once.
    A photo in state `found` with a `reason` was tried: `doubted_at` is when that answer came first,
    `passed_by` the run that does not take it again.
    """

    __table_args__ = (
        UniqueConstraint("source", "source_id"),
        Index(None, "state", "id"),
        Index(None, "state", "checked_at", "id"),
        Index("ix_photo_query_counts", "query_id", "state", "image_id"),
        Index(None, "image_id", "query_id"),  # the pool is counted by query
    )

    source: Mapped[Source]
    source_id: Mapped[str] = mapped_column(String(200))
    state: Mapped[PhotoState] = mapped_column(default=PhotoState.FOUND)
    reason: Mapped[str | None] = mapped_column(Text)
    owner_id: Mapped[str | None] = mapped_column(String(200), index=True)
    owner_name: Mapped[str | None] = mapped_column(Text)
    title: Mapped[str | None] = mapped_column(Text)
    tags: Mapped[str | None] = mapped_column(Text)
    licence_id: Mapped[str | None] = mapped_column(String(100))
    licence_name: Mapped[str | None] = mapped_column(Text)
    licence_url: Mapped[str | None] = mapped_column(Text)
    taken_at_text: Mapped[str | None] = mapped_column(String(40))
    taken_at_unknown: Mapped[bool] = mapped_column(default=False)
    uploaded_at: Mapped[datetime | None]
    place: Mapped[str | None] = mapped_column(String(20))
    page_url: Mapped[str | None] = mapped_column(Text)
    image_url: Mapped[str | None] = mapped_column(Text)
    second_url: Mapped[str | None] = mapped_column(Text)
    promised_width: Mapped[int | None]
    promised_height: Mapped[int | None]
    query_id: Mapped[int | None] = mapped_column(ForeignKey("query.id"))
    window_start_at: Mapped[datetime | None]
    window_end_at: Mapped[datetime | None]
    result_page: Mapped[int | None]
    found_at: Mapped[datetime]
    claimed_by: Mapped[str | None] = mapped_column(String(100))
    claimed_until_at: Mapped[datetime | None]
    attempts: Mapped[int] = mapped_column(default=0)
    doubted_at: Mapped[datetime | None]
    passed_by: Mapped[str | None] = mapped_column(String(100))
    fetched_at: Mapped[datetime | None]
    checked_at: Mapped[datetime | None]
    doubt: Mapped[str | None] = mapped_column(Text)
    image_id: Mapped[int | None] = mapped_column(ForeignKey("image.id"))

    query: Mapped[Query | None] = relationship()
    image: Mapped[Image | None] = relationship(back_populates="photos")


class Image(Row):
    """One stored file. Written by collect, and by export where it is imported.

    dedup writes the hashes, work `annotation_id` and `taster`, catalog/transitions.py alone
    `state`.

    `annotation_id` is the newest revision; a save moves it only from the revision it started from.
    `original_sha256` is the digest of the bytes as they came, where upright or smaller pixels were
    stored instead. `erased_at` is when the file of a taken-down image was deleted, or was found
    not to be in a store that answers (collect). `doubt` is what a decoder says of the file since
    `doubted_at` and is not believed yet (dedup). A `taster` is annotated for that task alone.
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
    doubt: Mapped[str | None] = mapped_column(String(40))
    doubted_at: Mapped[datetime | None]
    state: Mapped[ImageState] = mapped_column(default=ImageState.FETCHED)
    state_at: Mapped[datetime]
    reason: Mapped[str | None] = mapped_column(Text)
    reason_parts: Mapped[dict[str, Any] | None]
    taster: Mapped[Taster | None]
    annotation_id: Mapped[int | None] = mapped_column(
        ForeignKey("annotation.id", use_alter=True), index=True
    )

    photos: Mapped[list[Photo]] = relationship(back_populates="image", order_by=Photo.id)
    annotation: Mapped[Annotation | None] = relationship(foreign_keys=[annotation_id])

    @property
    def why(self) -> str:
        """The reason of its state as a page translates it; empty where there is none."""
        return put_together(self.reason or "", self.reason_parts)


class Signature(Base):
    """What dedup keeps of an image to find its near-duplicates. Written by dedup.

    `luma` is a picture of 128 by 128 pixels, `shown` one of 256, `views` the hashes of the whole,
    `features` local descriptors and `words` their visual words, in the format of `recipe`.
    `real_px` is how many pixels the image needs for what it shows, `jpeg_quality` 100 without loss.
    `is_compared` says that the image met all others, as one that came in annotated has not yet.
    Collect deletes it with an image's file.
    """

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), primary_key=True)
    is_compared: Mapped[bool] = mapped_column(default=False)
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
    picture, `doubt` 1 on the threshold. A rule that decided has no `person_id`.
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
    rules' at that moment, to measure their precision. `kept_image_id` is the one of two duplicates
    that the other one was put aside for. `replaces_id` is the label that held until this one, and
    holds again when this one is undone.
    """

    __table_args__ = (
        Index(None, "first_image_id", "second_image_id"),
        CheckConstraint("first_image_id < second_image_id", name="order"),
    )

    first_image_id: Mapped[int] = mapped_column(ForeignKey("image.id"))
    second_image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), index=True)
    verdict: Mapped[str] = mapped_column(String(20))
    kept_image_id: Mapped[int | None] = mapped_column(ForeignKey("image.id"))
    relation: Mapped[str | None] = mapped_column(String(20))
    similarity: Mapped[float | None]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    labelled_at: Mapped[datetime]
    undone_at: Mapped[datetime | None]
    replaces_id: Mapped[int | None] = mapped_column(ForeignKey("pair_label.id"))


class TablePass(Row):
    """A table of photographs that was read and sampled once, as a source. Written by collect.

    `sha256` is the digest of the table, `sample_sha256` that of the sample, a file in the party.
    `about` says how it was sampled, `files` size and time of change of the table's files in
    `folder` then. A table that was read again, or removed, has `ended_at`.
    """

    name: Mapped[str] = mapped_column(String(40))
    sha256: Mapped[str] = mapped_column(String(64))
    sample_sha256: Mapped[str] = mapped_column(String(64))
    about: Mapped[dict[str, Any]]
    folder: Mapped[str] = mapped_column(Text)
    files: Mapped[dict[str, Any]]
    passed_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
