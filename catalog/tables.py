"""The catalogue's tables: what is known of every photo, image, person and box.

Each column has exactly one stage that writes it, named in the class's docstring; every stage may
read it. An image's `state` is written by the stage that owns the step (catalog/states.py). The
columns of boxes are called box_xmin and so on, since PostgreSQL keeps xmin and xmax for itself.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from .box import Box
from .columns import UtcDateTime, word_column
from .states import (
    BlindKind,
    FindingVerdict,
    ImageState,
    LeaseKind,
    PhotoState,
    Role,
    Source,
    Split,
    Verdict,
    View,
)


class Base(DeclarativeBase):
    """What all tables share: constraint names that migrations can rely on."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012  SQLAlchemy's own protocol
        datetime: UtcDateTime(),
        dict[str, Any]: JSON(),
        list[Any]: JSON(),
        list[str]: JSON(),
        BlindKind: word_column(BlindKind),
        FindingVerdict: word_column(FindingVerdict),
        ImageState: word_column(ImageState),
        LeaseKind: word_column(LeaseKind),
        PhotoState: word_column(PhotoState),
        Role: word_column(Role),
        Source: word_column(Source),
        Split: word_column(Split),
        Verdict: word_column(Verdict),
        View: word_column(View),
    }


def as_table(entity: type[Base]) -> Table:
    """The table of a mapped class: statements on it cost a fraction of those on the class."""
    found = entity.__table__
    assert isinstance(found, Table)
    return found


class Query(Base):
    """One keyword of one class, and what it was worth so far. Written by collect.

    `kept` counts images, `judged` those of them that people are done with, `useful` those of these
    that hold an object of the class.
    """

    __tablename__ = "query"
    __table_args__ = (UniqueConstraint("source", "class_name", "keyword"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    source: Mapped[Source]
    class_name: Mapped[str] = mapped_column(String(100))
    keyword: Mapped[str] = mapped_column(String(200))
    searches: Mapped[int] = mapped_column(default=0)
    matches: Mapped[int] = mapped_column(BigInteger, default=0)
    draws: Mapped[int] = mapped_column(default=0)
    kept: Mapped[int] = mapped_column(default=0)
    judged: Mapped[int] = mapped_column(default=0, server_default="0")
    useful: Mapped[int] = mapped_column(default=0)


class Search(Base):
    """One call of a search and what it showed; nothing is ever changed. Written by collect.

    `dates` says which date the window is of. `matches` is what the source claimed, `returned` how
    many records came, `fresh` how many of those looked at were wanted and had no row: a sample of
    them, or all where that had too few.
    """

    __tablename__ = "search"
    __table_args__ = (Index(None, "query_id", "window_start_at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    query_id: Mapped[int] = mapped_column(ForeignKey("query.id"))
    dates: Mapped[str] = mapped_column(String(10))
    licence_ids: Mapped[str] = mapped_column(String(200))
    window_start_at: Mapped[datetime | None]
    window_end_at: Mapped[datetime | None]
    page: Mapped[int]
    matches: Mapped[int] = mapped_column(BigInteger)
    returned: Mapped[int]
    fresh: Mapped[int]
    searched_at: Mapped[datetime]


class CallBudget(Base):
    """The calls that a key may make now, for all machines. Written by collect.

    `key_sha256` stands for the key, which no catalogue holds. `calls` are those left at
    `counted_at`; more come with time.
    """

    __tablename__ = "call_budget"

    key_sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    calls: Mapped[float]
    counted_at: Mapped[datetime]


class HostPause(Base):
    """Until when a host that asked for rest is left alone by all machines. Written by collect."""

    __tablename__ = "host_pause"

    host: Mapped[str] = mapped_column(String(200), primary_key=True)
    until_at: Mapped[datetime]
    reason: Mapped[str] = mapped_column(Text)


class BlockedOwner(Base):
    """An owner who is left out, whatever the source, and why. Written by collect."""

    __tablename__ = "blocked_owner"

    owner_id: Mapped[str] = mapped_column(String(200), primary_key=True)
    reason: Mapped[str] = mapped_column(Text)
    blocked_at: Mapped[datetime]


class Photo(Base):
    """A source's record of one photograph and how we came by it. Written by collect.

    `taken_at_text` is the owner's local time as the source gave it; it has no time zone.
    `window_start_at` to `window_end_at` is the date window of the search that found it.
    `checked_at` is when its source was last asked whether the photograph may still be kept.
    """

    __tablename__ = "photo"
    __table_args__ = (
        UniqueConstraint("source", "source_id"),
        Index(None, "state", "id"),
        Index(None, "state", "checked_at", "id"),
        # All that the caps of owners, and the counts by query, ask for: no row is read for them.
        Index(
            "ix_photo_owner_room",
            *("owner_id", "state", "source", "uploaded_at", "taken_at_text", "taken_at_unknown"),
        ),
        Index("ix_photo_query_counts", "query_id", "state", "image_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    source: Mapped[Source]
    source_id: Mapped[str] = mapped_column(String(200))
    state: Mapped[PhotoState] = mapped_column(default=PhotoState.FOUND)
    reason: Mapped[str | None] = mapped_column(Text)
    owner_id: Mapped[str | None] = mapped_column(String(200))
    owner_name: Mapped[str | None] = mapped_column(Text)
    title: Mapped[str | None] = mapped_column(Text)
    tags: Mapped[str | None] = mapped_column(Text)
    licence_id: Mapped[str | None] = mapped_column(String(100))
    licence_name: Mapped[str | None] = mapped_column(Text)
    licence_url: Mapped[str | None] = mapped_column(Text)
    taken_at_text: Mapped[str | None] = mapped_column(String(40))
    taken_at_unknown: Mapped[bool] = mapped_column(default=False)
    uploaded_at: Mapped[datetime | None]
    page_url: Mapped[str | None] = mapped_column(Text)
    image_url: Mapped[str | None] = mapped_column(Text)
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
    fetched_at: Mapped[datetime | None]
    checked_at: Mapped[datetime | None]
    image_id: Mapped[int | None] = mapped_column(ForeignKey("image.id"), index=True)

    query: Mapped[Query | None] = relationship()
    image: Mapped[Image | None] = relationship(back_populates="photos")


class Image(Base):
    """One stored file. Written by collect (file), dedup (hashes), annotate_ui (annotation_id).

    `annotation_id` is the newest revision; a save moves it only from the revision it started from.
    `original_sha256` is the digest of the bytes as they came, where upright or smaller pixels were
    stored instead. `erased_at` is when the file of a taken-down image was deleted (collect).
    """

    __tablename__ = "image"
    __table_args__ = (
        Index(None, "state", "sha256"),
        Index(None, "state", "annotation_id"),  # the board counts finished work by these
    )

    id: Mapped[int] = mapped_column(primary_key=True)
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

    `luma` is a picture of 64 by 64 pixels, `views` the hashes of many parts of the image; both are
    of a format that `recipe` names. Collect deletes it with an image's file.
    """

    __tablename__ = "signature"

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), primary_key=True)
    recipe: Mapped[str] = mapped_column(String(60))
    luma: Mapped[bytes] = mapped_column(LargeBinary)
    views: Mapped[bytes] = mapped_column(LargeBinary)


class Duplicate(Base):
    """One decision how two images belong together, as long as it is not undone. Written by dedup.

    `relation` is "duplicate" (`image_id` was put aside for `kept_image_id`), "same_event" (both
    stay) or "collage" (`image_id` holds `kept_image_id` whole). `similarity` is 1 for the same
    picture; `doubt` is 0 where nothing else is thinkable and 1 on the threshold. `evidence` holds
    all that was measured. `person_id` is empty where a rule decided.
    """

    __tablename__ = "duplicate"
    __table_args__ = (
        UniqueConstraint("image_id", "kept_image_id"),
        CheckConstraint("image_id <> kept_image_id", name="two_images"),
        Index(None, "relation", "doubt"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
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


class PairLabel(Base):
    """A person's word on two images, the lower id first; the newest not undone holds. By dedup.

    `verdict` is "duplicate", "same_event" or "different"; `relation` and `similarity` are what the
    rules had said at that moment, so that their precision can be told.
    """

    __tablename__ = "pair_label"
    __table_args__ = (
        Index(None, "first_image_id", "second_image_id"),
        CheckConstraint("first_image_id < second_image_id", name="order"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    first_image_id: Mapped[int] = mapped_column(ForeignKey("image.id"))
    second_image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), index=True)
    verdict: Mapped[str] = mapped_column(String(20))
    relation: Mapped[str | None] = mapped_column(String(20))
    similarity: Mapped[float | None]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    labelled_at: Mapped[datetime]
    undone_at: Mapped[datetime | None]


class Person(Base):
    """Somebody who takes part. Written by annotate_ui.

    `credential_sha256` is the digest of the token in the personal link; `ended_at` closes the link
    and every session at once. `trained_at` is when the guidelines and the training images were
    done. `invitation_id` says by which party code the person walked in. `preferences` is what the
    pages keep for them, read only when asked for.
    """

    __tablename__ = "person"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    role: Mapped[Role]
    credential_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    is_simulated: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]
    seen_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    trained_at: Mapped[datetime | None]
    invitation_id: Mapped[int | None]
    preferences: Mapped[dict[str, Any] | None] = mapped_column(deferred=True)


class Invitation(Base):
    """A party code by which people come in under a name of their own. Written by annotate_ui.

    `code` is kept as it is, since an organiser shows it in the room; it opens nothing but the door
    for new people, and only until `ended_at`, `expires_at` or `most_people`.
    """

    __tablename__ = "invitation"

    id: Mapped[int] = mapped_column(primary_key=True)
    code: Mapped[str] = mapped_column(String(40), unique=True)
    role: Mapped[Role]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    people: Mapped[int] = mapped_column(default=0)
    most_people: Mapped[int | None]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]


class Lease(Base):
    """An image held by one person for minutes; gone when given back. Written by annotate_ui.

    `returns_to` is the state that the image has again when the lease runs out. `opened_at` is
    empty while the image is only reserved ahead and nobody has seen it.
    """

    __tablename__ = "lease"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012  no lease gets another's id

    id: Mapped[int] = mapped_column(primary_key=True)
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), unique=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    kind: Mapped[LeaseKind]
    returns_to: Mapped[ImageState]
    acquired_at: Mapped[datetime]
    opened_at: Mapped[datetime | None]
    heartbeat_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)

    image: Mapped[Image] = relationship()
    person: Mapped[Person] = relationship()


class EndedLease(Base):
    """A lease that is over: who had which image and until when. Written by annotate_ui.

    `id` is the lease's. `how` is "finished", "given_back", "expired", "taken_back" by an
    organiser, or "passed_on": reserved ahead, and given to somebody for whom nothing else was left.
    """

    __tablename__ = "ended_lease"
    __table_args__ = (Index(None, "image_id", "person_id"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    kind: Mapped[LeaseKind]
    acquired_at: Mapped[datetime]
    opened_at: Mapped[datetime | None]
    ended_at: Mapped[datetime]
    how: Mapped[str] = mapped_column(String(20))


class LiveSetting(Base):
    """One version of what organisers set while the party runs; all stay. Written by annotate_ui.

    The highest `number` of a `name` holds. Who saves names the number that they started from, so
    that the key lets only one of two go first.
    """

    __tablename__ = "live_setting"

    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    value: Mapped[dict[str, Any]]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    set_at: Mapped[datetime]

    person: Mapped[Person] = relationship()


class Annotation(Base):
    """One saved revision of one image by one person; complete, never changed. By annotate_ui.

    `parent_id` is the revision it started from. `save_key` is the browser's own name for the save,
    so that a repeated post is answered with the first row. `is_stale` marks a save that is kept
    beside: it lost against another, or a blind task names it. `is_finished` is False for a draft
    saved on the way. `unsure_classes` are those of which a checker shall look for more.
    """

    __tablename__ = "annotation"
    __table_args__ = (Index(None, "saved_at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), index=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("annotation.id"))
    save_key: Mapped[str] = mapped_column(String(64), unique=True)
    is_stale: Mapped[bool] = mapped_column(default=False)
    is_finished: Mapped[bool] = mapped_column(default=False)
    discard_reason: Mapped[str | None] = mapped_column(String(100))
    comment: Mapped[str | None] = mapped_column(Text)
    active_secs: Mapped[float] = mapped_column(default=0.0)
    unsure_classes: Mapped[list[str]] = mapped_column(default=list, server_default="[]")
    saved_at: Mapped[datetime]

    person: Mapped[Person] = relationship()
    objects: Mapped[list[Object]] = relationship(
        back_populates="annotation", order_by="Object.number"
    )


class Object(Base):
    """One annotated instance in a revision, in the annotator's order from 1. By annotate_ui.

    `object_key` is the browser's own name for the object and stays from revision to revision.
    """

    __tablename__ = "object"
    __table_args__ = (
        UniqueConstraint("annotation_id", "number"),
        CheckConstraint("1 <= box_xmin AND box_xmin <= box_xmax", name="x_order"),
        CheckConstraint("1 <= box_ymin AND box_ymin <= box_ymax", name="y_order"),
        Index(None, "annotation_id", "class_name", "drawn_secs"),  # the board counts by these
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    annotation_id: Mapped[int] = mapped_column(ForeignKey("annotation.id"))
    number: Mapped[int]
    object_key: Mapped[str] = mapped_column(String(64))
    class_name: Mapped[str] = mapped_column(String(100), index=True)
    xmin: Mapped[int] = mapped_column("box_xmin")
    ymin: Mapped[int] = mapped_column("box_ymin")
    xmax: Mapped[int] = mapped_column("box_xmax")
    ymax: Mapped[int] = mapped_column("box_ymax")
    view: Mapped[View] = mapped_column(default=View.UNSPECIFIED)
    truncated: Mapped[bool] = mapped_column(default=False)
    occluded: Mapped[bool] = mapped_column(default=False)
    difficult: Mapped[bool] = mapped_column(default=False)
    unsure: Mapped[bool] = mapped_column(default=False)
    actions: Mapped[list[str]] = mapped_column(default=list)
    point_x: Mapped[int | None]
    point_y: Mapped[int | None]
    drawn_secs: Mapped[float] = mapped_column(default=0.0)

    annotation: Mapped[Annotation] = relationship(back_populates="objects")
    parts: Mapped[list[Part]] = relationship(back_populates="object", order_by="Part.number")

    @property
    def box(self) -> Box:
        """The object's box in VOC's integers."""
        return Box(self.xmin, self.ymin, self.xmax, self.ymax)


class Part(Base):
    """A head, hand or foot of an object, in the annotator's order from 1. By annotate_ui."""

    __tablename__ = "part"
    __table_args__ = (
        UniqueConstraint("object_id", "number"),
        CheckConstraint("1 <= box_xmin AND box_xmin <= box_xmax", name="x_order"),
        CheckConstraint("1 <= box_ymin AND box_ymin <= box_ymax", name="y_order"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    object_id: Mapped[int] = mapped_column(ForeignKey("object.id"))
    number: Mapped[int]
    name: Mapped[str] = mapped_column(String(100))
    xmin: Mapped[int] = mapped_column("box_xmin")
    ymin: Mapped[int] = mapped_column("box_ymin")
    xmax: Mapped[int] = mapped_column("box_xmax")
    ymax: Mapped[int] = mapped_column("box_ymax")

    object: Mapped[Object] = relationship(back_populates="parts")

    @property
    def box(self) -> Box:
        """The part's box in VOC's integers."""
        return Box(self.xmin, self.ymin, self.xmax, self.ymax)


class Review(Base):
    """A checker's verdict on one revision. Written by annotate_ui.

    `is_complete` answers whether nothing of the classes is missing. `object_verdicts` is a list of
    {"object_key", "verdict", "comment"}. `mended_annotation_id` is the checker's own revision.
    """

    __tablename__ = "review"
    __table_args__ = (Index(None, "reviewed_at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    annotation_id: Mapped[int] = mapped_column(ForeignKey("annotation.id"), index=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    save_key: Mapped[str] = mapped_column(String(64), unique=True)
    verdict: Mapped[Verdict]
    is_complete: Mapped[bool | None]
    comment: Mapped[str | None] = mapped_column(Text)
    object_verdicts: Mapped[list[Any]] = mapped_column(default=list)
    mended_annotation_id: Mapped[int | None] = mapped_column(ForeignKey("annotation.id"))
    active_secs: Mapped[float] = mapped_column(default=0.0)
    reviewed_at: Mapped[datetime]

    annotation: Mapped[Annotation] = relationship(foreign_keys=[annotation_id])
    person: Mapped[Person] = relationship()


class Finding(Base):
    """What an automatic check said once, and what came of it. Written by qa; verdicts annotate_ui.

    `finding_key` is the same whenever the same check says the same of the same object, so that a
    second run finds the row again. A finding is open while `verdict` is empty; one that a run no
    longer finds becomes mended by itself, with no `person_id`. `subject_sha256` is the digest of
    what the check looked at: a verdict of wrong holds while that stays. `about_person_id` is for
    findings about a person's work as a whole, which name no image.
    """

    __tablename__ = "finding"
    __table_args__ = (Index(None, "verdict", "severity", "check_name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    finding_key: Mapped[str] = mapped_column(String(64), unique=True)
    check_name: Mapped[str] = mapped_column(String(60))
    severity: Mapped[str] = mapped_column(String(20))
    image_id: Mapped[int | None] = mapped_column(ForeignKey("image.id"), index=True)
    annotation_id: Mapped[int | None] = mapped_column(ForeignKey("annotation.id"))
    object_key: Mapped[str | None] = mapped_column(String(64))
    object_number: Mapped[int | None]
    about_person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    subject_sha256: Mapped[str] = mapped_column(String(64))
    message: Mapped[str] = mapped_column(Text)
    badness: Mapped[float] = mapped_column(default=0.0)
    found_at: Mapped[datetime]
    verdict: Mapped[FindingVerdict | None]
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    judged_at: Mapped[datetime | None]


class BlindTask(Base):
    """An image given to a person once more, as if it were new. Written by annotate_ui.

    The image's state and newest revision stay as they are: what the person draws are revisions kept
    beside (`is_stale`), of which `annotation_id` is the newest. `reference_id` is the revision that
    it is compared with; none yet where the first annotation is still to come. The row is the lease
    too: unfinished and past `expires_at`, the image is free for another. `score` and `is_passed`
    are for gold and training images.
    """

    __tablename__ = "blind_task"
    __table_args__ = (
        UniqueConstraint("image_id", "person_id"),
        Index(None, "person_id", "finished_at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    kind: Mapped[BlindKind]
    reference_id: Mapped[int | None] = mapped_column(ForeignKey("annotation.id"))
    annotation_id: Mapped[int | None] = mapped_column(ForeignKey("annotation.id"))
    taken_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    score: Mapped[dict[str, Any] | None]
    is_passed: Mapped[bool | None]


class GoldImage(Base):
    """An image whose annotation an organiser vouches for. Written by annotate_ui.

    It is mixed unseen into people's work, or, where `is_training`, given to new people first.
    `note` is what a trainee may read afterwards.
    """

    __tablename__ = "gold_image"

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), primary_key=True)
    annotation_id: Mapped[int] = mapped_column(ForeignKey("annotation.id"))
    is_training: Mapped[bool] = mapped_column(default=False)
    note: Mapped[str] = mapped_column(Text, default="")
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    chosen_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]


class Remark(Base):
    """What an organiser (from the wall) or a checker (beside an accepted object) said to a person.

    By annotate_ui.
    """

    __tablename__ = "remark"
    __table_args__ = (Index(None, "to_person_id", "seen_at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), index=True)
    annotation_id: Mapped[int | None] = mapped_column(ForeignKey("annotation.id"))
    object_key: Mapped[str | None] = mapped_column(String(64))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    to_person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    text: Mapped[str] = mapped_column(Text)
    written_at: Mapped[datetime]
    seen_at: Mapped[datetime | None]


class Difficulty(Base):
    """One judgement whether an object is difficult; the newest holds. Written by annotate_ui.

    `looks_sha256` is the digest of the class and box that were judged: an object that looks
    otherwise since is to be judged again.
    """

    __tablename__ = "difficulty"
    __table_args__ = (Index(None, "image_id", "object_key"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"))
    object_key: Mapped[str] = mapped_column(String(64))
    is_difficult: Mapped[bool]
    looks_sha256: Mapped[str] = mapped_column(String(64))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    judged_at: Mapped[datetime]


class Measurement(Base):
    """What was measured last of a whole party. Written by qa; export tells it with a release."""

    __tablename__ = "measurement"

    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    value: Mapped[dict[str, Any]]
    measured_at: Mapped[datetime]


class Release(Base):
    """One exported dataset. Written by export. `settings` is what decided its content."""

    __tablename__ = "release"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    year: Mapped[int]
    settings: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_at: Mapped[datetime]

    images: Mapped[list[ReleaseImage]] = relationship(
        back_populates="release", order_by="ReleaseImage.public_id"
    )


class ReleaseImage(Base):
    """One image of a release with the revision that is frozen in it. Written by export.

    `form` says how its files were written where they are not those of the release's own settings:
    of imported images, and of those that a release took over from an earlier one. Of an image that
    came without its annotation it says so; its revision is a draft kept beside, without objects.
    """

    __tablename__ = "release_image"
    __table_args__ = (
        UniqueConstraint("release_id", "image_id"),
        UniqueConstraint("release_id", "public_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    release_id: Mapped[int] = mapped_column(ForeignKey("release.id"))
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), index=True)
    annotation_id: Mapped[int] = mapped_column(ForeignKey("annotation.id"))
    split: Mapped[Split]
    public_id: Mapped[str] = mapped_column(String(40))
    form: Mapped[dict[str, Any] | None]

    release: Mapped[Release] = relationship(back_populates="images")
    image: Mapped[Image] = relationship()
    annotation: Mapped[Annotation] = relationship()
