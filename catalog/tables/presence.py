"""Questions whether an image shows a class, a group or anything; what was answered, and settled."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from catalog.states import NodeKind

from .base import Base, Row

_HOLDS = text("set_aside_at IS NULL")


class QuestionPlan(Row):
    """What could be asked from a moment on, and in which words; never changed. Written by work.

    `body` has the classes and groups with their words, parents and frequencies, and how many
    answers settle a question, counted over `images` settled ones. `digest` is that of all but the
    frequencies, `body_sha256` that of the body. The newest plan holds; an answer keeps the plan by
    which its page was made.
    """

    made_at: Mapped[datetime]
    digest: Mapped[str] = mapped_column(String(64))
    body_sha256: Mapped[str] = mapped_column(String(64))
    images: Mapped[int]
    body: Mapped[dict[str, Any]] = mapped_column(deferred=True)


class Presence(Row):
    """An answer whether an image shows a class, a group, or any object of the classes.

    Written by work. `kind` and `key` say what was asked for, the key being the id of a class or of
    a group, and empty for any object; `plan_id` is the plan whose words were shown. `known` is the
    answer that a gold image has; such an answer settles nothing. `set_aside_at` is when the answer
    was taken back or its author undone, by `set_aside_by_id` where that was another person.
    """

    __table_args__ = (
        Index(
            None,
            "image_id",
            "kind",
            "key",
            "person_id",
            unique=True,
            sqlite_where=_HOLDS,
            postgresql_where=_HOLDS,
        ),
    )

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), index=True)
    plan_id: Mapped[int] = mapped_column(ForeignKey("question_plan.id"))
    kind: Mapped[NodeKind]
    key: Mapped[str] = mapped_column(String(100))
    is_yes: Mapped[bool]
    known: Mapped[bool | None]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    judged_at: Mapped[datetime]
    took_ms: Mapped[int | None]
    set_aside_at: Mapped[datetime | None]
    set_aside_by_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))


class PresenceState(Base):
    """What the answers about an image settle by a plan, and what is asked next. Written by work.

    It follows from the answers (doctor compares). `settled` has two lists of nodes, as
    `class:dog`: "yes" and "no"; a no holds for everything below it. `next_kind` and `next_key` are
    empty where nothing is asked any more. `place` is the image's digest, by which pages find it.
    """

    __table_args__ = (Index(None, "next_kind", "next_key", "place"), Index(None, "plan_id"))

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), primary_key=True)
    plan_id: Mapped[int] = mapped_column(ForeignKey("question_plan.id"))
    place: Mapped[str] = mapped_column(String(64))
    next_kind: Mapped[NodeKind | None]
    next_key: Mapped[str | None] = mapped_column(String(100))
    settled: Mapped[dict[str, Any]]
    answers: Mapped[int]


class PresentClass(Base):
    """A class that an image shows, as its answers settle. Written by work with PresenceState."""

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), primary_key=True)
    class_id: Mapped[str] = mapped_column(String(100), primary_key=True, index=True)
    settled_at: Mapped[datetime]
