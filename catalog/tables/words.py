"""The words of the preset as rows, and what became of them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, String, func, literal_column, select
from sqlalchemy.orm import Mapped, mapped_column

from catalog.states import WordKind

from .base import Base, Row


class Word(Base):
    """A class, view, part or action: `key` is its id, which rows refer to, `name` is today's.

    Written by catalog when a party is made, and by operate. A key is never given to another word.
    `counts_as` is the key of the word that it is today: its own, or what it was merged or split
    into. `file_name` is the name that the preset's file gave it last; a word without one was made
    by a split. A word that left the preset has `retired_at`: objects keep it, no new ones get it.
    """

    kind: Mapped[WordKind] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(100), primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    counts_as: Mapped[str] = mapped_column(String(100))
    file_name: Mapped[str | None] = mapped_column(String(100))
    retired_at: Mapped[datetime | None]


class WordChange(Row):
    """What was done to a word, by whom and when; never changed. Written by operate.

    `what` is "rename", "merge", "split", "add", "retire" or "return". The word `key` is `to_keys`
    from then on: itself, what it was merged into, or the words that it was split into, of which the
    first stands for it until its images are annotated again. `new_names` are those of `to_keys`.
    """

    kind: Mapped[WordKind]
    what: Mapped[str] = mapped_column(String(20))
    key: Mapped[str] = mapped_column(String(100))
    to_keys: Mapped[list[str]]
    old_name: Mapped[str] = mapped_column(String(100))
    new_names: Mapped[list[str]]
    objects: Mapped[int]
    made_by: Mapped[str] = mapped_column(String(100))
    made_at: Mapped[datetime]


def name_class(class_id: Mapped[str] | ColumnElement[str]) -> ColumnElement[str]:
    """Today's name of the class of a column; the id itself where there is no such class."""
    return _look_up(class_id, "name")


def find_class_today(class_id: Mapped[str]) -> ColumnElement[str]:
    """The id that the class of a column counts as today."""
    return _look_up(class_id, "key")


def _look_up(class_id: Mapped[str] | ColumnElement[str], column: str) -> ColumnElement[str]:
    asked = _WORDS.alias()
    today = _WORDS.alias()
    chosen = (
        select(today.c[column])
        .where(asked.c.kind == _IS_CLASS, asked.c.key == class_id)
        .where(today.c.kind == _IS_CLASS, today.c.key == asked.c.counts_as)
        .correlate_except(asked, today)
    )
    return func.coalesce(chosen.scalar_subquery(), class_id)


_WORDS = Word.__table__
_IS_CLASS: ColumnElement[str] = literal_column(f"'{WordKind.CLASS}'")
"""No parameter, so that PostgreSQL knows a SELECT's column again in its GROUP BY."""
