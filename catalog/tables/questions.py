"""Questions about a class at a box of an image, each put to one person, and what they answered."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, column_property, mapped_column, relationship

from catalog.states import QuestionKind, Said

from .base import Row
from .boxed import Boxed
from .words import find_class_today

_HOLDS = text("set_aside_at IS NULL")


class Question(Boxed, Row):
    """A question that was put to one person. Written by work.

    `kind` says what is asked: whether the box is one object of the class, whether the image shows
    another one, or to draw one; then the box is the whole image. `suggestion_id` is the suggestion
    that it is about, or that the person drew; but for this and `asked_at` nothing changes. Where
    the party knows the answer, `known` is it, and `object_key` names the object of a gold image
    that the box was made of. `asked_at` is when it was last put to the person.
    """

    __table_args__ = (
        CheckConstraint("1 <= box_xmin AND box_xmin <= box_xmax", name="x_order"),
        CheckConstraint("1 <= box_ymin AND box_ymin <= box_ymax", name="y_order"),
        UniqueConstraint("suggestion_id", "person_id"),
        Index(None, "image_id", "class_id", "kind"),
        Index(None, "person_id", "kind"),
    )

    kind: Mapped[QuestionKind]
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), index=True)
    class_id: Mapped[str] = mapped_column(String(100))
    suggestion_id: Mapped[int | None] = mapped_column(ForeignKey("suggestion.id"))
    object_key: Mapped[str | None] = mapped_column(String(64))
    known: Mapped[Said | None]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    asked_at: Mapped[datetime]

    class_today: Mapped[str] = column_property(find_class_today(class_id))


class QuestionAnswer(Row):
    """What a person answered, each time anew. Written by work.

    `took_ms` is how long the question was in front of the person. `set_aside_at` is when the
    answer was corrected, taken back, or its author undone, by `set_aside_by_id` where that was
    another person; a question has one answer that holds.
    """

    __table_args__ = (
        Index(None, "question_id", unique=True, sqlite_where=_HOLDS, postgresql_where=_HOLDS),
    )

    question_id: Mapped[int] = mapped_column(ForeignKey("question.id"))
    said: Mapped[Said]
    answered_at: Mapped[datetime]
    took_ms: Mapped[int]
    set_aside_at: Mapped[datetime | None]
    set_aside_by_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))

    question: Mapped[Question] = relationship()
