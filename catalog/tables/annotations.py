"""The boxes that were drawn, revision by revision, and what checkers said of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    Index,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, column_property, mapped_column, relationship

from catalog.states import Role, Suggested, Taster, Verdict, View

from .base import Base, Row, Saved
from .boxed import Boxed
from .people import Person
from .words import find_class_today, name_class


class Annotation(Saved, Row):
    """One saved revision of one image by one person; complete, never changed.

    `parent_id` is the revision it started from; a repeated post has the same `save_key`. `beside`
    says why it never was the newest, `set_aside_at` when an organiser undid it; both are stale. A
    draft is not `is_finished`. Of `unsure_classes`, by id, a checker looks for more. `inputs`
    counts presses of keys and buttons since the revision before, as `active_secs` does the time.
    `taster` is the one task that its author was asked about, as the page showed it.
    `suggestions_shown` is how many suggestions its page showed, none where no set covers the image;
    `suggestions_withheld` says that the lottery had it show none. Written by work; by export where
    it is imported.
    """

    __table_args__ = (Index(None, "saved_at"), Index(None, "person_id", "saved_at"))

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), index=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("annotation.id"))
    save_key: Mapped[str] = mapped_column(String(64), unique=True)
    is_finished: Mapped[bool] = mapped_column(default=False)
    discard_reason: Mapped[str | None] = mapped_column(String(100))
    comment: Mapped[str | None] = mapped_column(Text)
    active_secs: Mapped[float] = mapped_column(default=0.0)
    inputs: Mapped[int] = mapped_column(default=0)
    unsure_classes: Mapped[list[str]] = mapped_column(default=list, server_default="[]")
    taster: Mapped[Taster | None]
    suggestions_shown: Mapped[int | None]
    suggestions_withheld: Mapped[bool] = mapped_column(default=False)
    saved_at: Mapped[datetime]

    person: Mapped[Person] = relationship()
    objects: Mapped[list[Object]] = relationship(order_by="Object.number")


class Object(Boxed, Row):
    """One annotated instance in a revision, in the annotator's order from 1.

    Written by work; by export where it is imported; qa says whether objects are difficult.
    `object_key` is the browser's own name for the object and stays from revision to revision.
    `class_id`, `view` and `actions` are keys of the Words that its author chose, which no later
    change rewrites; `class_today` is the class that it counts as, and `class_name` what that is
    called today. `group_of` says that one box is around more than ten that touch; such an object is
    always difficult. `suggestion_id` and `suggested` say which suggestion it was made of, and how;
    both are none where it was drawn.
    """

    __table_args__ = (
        UniqueConstraint("annotation_id", "number"),
        CheckConstraint("1 <= box_xmin AND box_xmin <= box_xmax", name="x_order"),
        CheckConstraint("1 <= box_ymin AND box_ymin <= box_ymax", name="y_order"),
        CheckConstraint("difficult OR NOT group_of", name="group_difficult"),
        CheckConstraint("(suggestion_id IS NULL) = (suggested IS NULL)", name="suggested_both"),
        Index(None, "annotation_id", "class_id", "drawn_secs"),  # the board counts by these
        Index(
            None,
            "suggestion_id",
            sqlite_where=text("suggestion_id IS NOT NULL"),
            postgresql_where=text("suggestion_id IS NOT NULL"),
        ),
    )

    annotation_id: Mapped[int] = mapped_column(ForeignKey("annotation.id"))
    number: Mapped[int]
    object_key: Mapped[str] = mapped_column(String(64))
    class_id: Mapped[str] = mapped_column(String(100), index=True)
    view: Mapped[str] = mapped_column(String(100), default=View.UNSPECIFIED.value)
    truncated: Mapped[bool] = mapped_column(default=False)
    occluded: Mapped[bool] = mapped_column(default=False)
    difficult: Mapped[bool] = mapped_column(default=False)
    group_of: Mapped[bool] = mapped_column(default=False)
    unsure: Mapped[bool] = mapped_column(default=False)
    actions: Mapped[list[str]] = mapped_column(default=list)
    point_x: Mapped[int | None]
    point_y: Mapped[int | None]
    drawn_secs: Mapped[float] = mapped_column(default=0.0)
    suggestion_id: Mapped[int | None] = mapped_column(ForeignKey("suggestion.id"))
    suggested: Mapped[Suggested | None]

    class_today: Mapped[str] = column_property(find_class_today(class_id))
    class_name: Mapped[str] = column_property(name_class(class_id))
    parts: Mapped[list[Part]] = relationship(order_by="Part.number")


class Part(Boxed, Row):
    """A part of an object, such as a head, in the annotator's order from 1.

    `word` is the key of the Word that its author chose, as an object's `class_id`. Written by work;
    by export where it is imported.
    """

    __table_args__ = (
        UniqueConstraint("object_id", "number"),
        CheckConstraint("1 <= box_xmin AND box_xmin <= box_xmax", name="x_order"),
        CheckConstraint("1 <= box_ymin AND box_ymin <= box_ymax", name="y_order"),
    )

    object_id: Mapped[int] = mapped_column(ForeignKey("object.id"))
    number: Mapped[int]
    word: Mapped[str] = mapped_column(String(100))


class Origin(Base):
    """Where the objects of an imported revision stood, and what is said of them that VOC lacks.

    `form` is the tool's, `place` the file, and the line or the id in it. `objects` has for each
    object by its key `{"place", "attributes", "stated"}`: attributes as text by name, and the
    fields that the file has. It is true of the objects with these keys in all revisions of the
    image. Written by export; never changed.
    """

    annotation_id: Mapped[int] = mapped_column(ForeignKey("annotation.id"), primary_key=True)
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), index=True)
    form: Mapped[str] = mapped_column(String(40))
    place: Mapped[str] = mapped_column(Text)
    objects: Mapped[dict[str, Any]]


class Review(Row):
    """A checker's verdict on one revision. Written by work; by export where it is imported.

    `is_complete` answers whether nothing of the classes is missing, None where no one answered.
    `object_verdicts` is a list of {"object_key", "verdict", "comment", "judged"}; what was not
    judged is accepted by default. `fixed_annotation_id` is the checker's own revision.
    `set_aside_at` is when an organiser undid the verdict; from then on it does not count.
    `role` is the checker's at that time, none where it is imported. One that `is_of_pair` is about
    two boxes that overlap; what it says of the rest is what the verdict before it said.
    """

    __table_args__ = (Index(None, "reviewed_at"),)

    annotation_id: Mapped[int] = mapped_column(ForeignKey("annotation.id"), index=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    save_key: Mapped[str] = mapped_column(String(64), unique=True)
    verdict: Mapped[Verdict]
    role: Mapped[Role | None]
    is_complete: Mapped[bool | None]
    comment: Mapped[str | None] = mapped_column(Text)
    object_verdicts: Mapped[list[Any]] = mapped_column(default=list)
    fixed_annotation_id: Mapped[int | None] = mapped_column(ForeignKey("annotation.id"))
    active_secs: Mapped[float] = mapped_column(default=0.0)
    reviewed_at: Mapped[datetime]
    is_of_pair: Mapped[bool] = mapped_column(default=False)
    set_aside_at: Mapped[datetime | None]

    annotation: Mapped[Annotation] = relationship(foreign_keys=[annotation_id])
    person: Mapped[Person] = relationship()
