"""Boxes that a model suggests, set by set, and what people did with them.

No suggestion is an annotation until a person says so: an Object that a person made of one names it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    ColumnElement,
    ForeignKey,
    Index,
    String,
    Text,
    and_,
    text,
)
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import Mapped, column_property, mapped_column, relationship

from catalog.states import SuggestionKind

from .base import Base, Row
from .boxed import Boxed
from .people import Person
from .words import find_class_today, name_class


class SuggestionSet(Row):
    """What one version of one model suggests, loaded whole or not at all. Written by work.

    `sha256` is the digest of the file that it came from, or of the model; a file is in one set that
    is not withdrawn, and so are boxes that people draw. `person_id` is the organiser who loaded it,
    none where a command did; `loaded_at` is empty until its last row is stored. `suggestions` and
    `images` count what was stored, `blanks` the images in which nothing was found, and `left_out`
    what was not stored, by reason. People see the suggestions of sets that are loaded and neither
    switched off nor
    withdrawn; a withdrawn one stays so.
    """

    __table_args__ = (
        Index(
            None,
            "sha256",
            unique=True,
            sqlite_where=text("withdrawn_at IS NULL AND kind IN ('file', 'drawn')"),
            postgresql_where=text("withdrawn_at IS NULL AND kind IN ('file', 'drawn')"),
        ),
    )

    model: Mapped[str] = mapped_column(String(200))
    version: Mapped[str] = mapped_column(String(100))
    sha256: Mapped[str] = mapped_column(String(64))
    licence: Mapped[str | None] = mapped_column(String(200))
    kind: Mapped[SuggestionKind]
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    loaded_at: Mapped[datetime | None]
    min_confidence: Mapped[float] = mapped_column(default=0.0)
    suggestions: Mapped[int] = mapped_column(default=0)
    images: Mapped[int] = mapped_column(default=0)
    blanks: Mapped[int] = mapped_column(default=0)
    left_out: Mapped[dict[str, Any]] = mapped_column(default=dict)
    switched_off_at: Mapped[datetime | None]
    withdrawn_at: Mapped[datetime | None]

    person: Mapped[Person | None] = relationship()

    @hybrid_property
    def is_shown(self) -> bool:
        """Whether people see its suggestions."""
        is_loaded = self.loaded_at is not None
        return is_loaded and self.switched_off_at is None and self.withdrawn_at is None

    @is_shown.inplace.expression
    @classmethod
    def _is_shown(cls) -> ColumnElement[bool]:
        is_loaded = cls.loaded_at.is_not(None)
        return and_(is_loaded, cls.switched_off_at.is_(None), cls.withdrawn_at.is_(None))


class Suggestion(Boxed, Row):
    """One box that a set suggests for an image. Written by work; never changed.

    `class_id` is the key of a Word as an object's, `confidence` the model's, from 0 to 1. `mask` is
    the object's pixels as COCO's compressed RLE of the whole image, none where the set has none;
    collect erases it with an image. `parts` are its parts as `{"part", "box"}`, the key of a Word
    and the corners of a box, none where the set has none.
    """

    __table_args__ = (
        CheckConstraint("1 <= box_xmin AND box_xmin <= box_xmax", name="x_order"),
        CheckConstraint("1 <= box_ymin AND box_ymin <= box_ymax", name="y_order"),
        CheckConstraint("0 <= confidence AND confidence <= 1", name="confidence_range"),
        Index(None, "image_id", "set_id"),
    )

    set_id: Mapped[int] = mapped_column(ForeignKey("suggestion_set.id"))
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"))
    class_id: Mapped[str] = mapped_column(String(100))
    confidence: Mapped[float]
    mask: Mapped[str | None] = mapped_column(Text)
    parts: Mapped[list[Any] | None]

    class_today: Mapped[str] = column_property(find_class_today(class_id))
    class_name: Mapped[str] = column_property(name_class(class_id))


class SuggestionBlank(Base):
    """An image that a set's model looked at and in which it found nothing. Written by work.

    With the images of its suggestions these are all that the set covers; the model never saw the
    others.
    """

    __table_args__ = (Index(None, "image_id"),)

    set_id: Mapped[int] = mapped_column(ForeignKey("suggestion_set.id"), primary_key=True)
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), primary_key=True)


class SuggestionRejection(Base):
    """A suggestion that the author of a revision rejected. Written by work.

    They are complete as its objects are: the next revision of the page repeats them.
    """

    __table_args__ = (Index(None, "suggestion_id"),)

    annotation_id: Mapped[int] = mapped_column(ForeignKey("annotation.id"), primary_key=True)
    suggestion_id: Mapped[int] = mapped_column(ForeignKey("suggestion.id"), primary_key=True)
