"""What all tables share: names of constraints, types of columns."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, ClassVar

from sqlalchemy import (
    JSON,
    ColumnElement,
    DateTime,
    Dialect,
    Enum,
    MetaData,
    Table,
    or_,
)
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import DeclarativeBase, Mapped, declared_attr, mapped_column
from sqlalchemy.types import TypeDecorator

from catalog.states import Beside


class UtcDateTime(TypeDecorator[datetime]):
    """A moment in UTC; takes and gives aware datetimes only.

    SQLite keeps no time zone, so the moment is stored there as naive UTC.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The moment in UTC; raises ValueError for a datetime that names no time zone."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"expected a datetime with a time zone, got {value!r}")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The stored moment as an aware datetime in UTC."""
        naive = dialect.name == "sqlite"
        return value and (value.replace(tzinfo=UTC) if naive else value.astimezone(UTC))


_WORD = Enum(
    StrEnum,
    values_callable=lambda members: [member.value for member in members],
    native_enum=False,
    create_constraint=True,
    length=20,
)
"""A string that is one of an enumeration's words, guarded by a CHECK constraint."""


class Base(DeclarativeBase):
    """What all tables share: their names, and constraint names that migrations can rely on."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: UtcDateTime(),
        dict[str, Any]: JSON(),
        list[Any]: JSON(),
        list[str]: JSON(),
        StrEnum: _WORD,
    }

    @declared_attr.directive
    def __tablename__(cls) -> str:  # noqa: N805
        """The class's name in words: CallBudget is call_budget."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


class Saved:
    """What people saved of an image, the newest of its kind or not."""

    beside: Mapped[Beside | None]
    set_aside_at: Mapped[datetime | None]

    @hybrid_property
    def is_stale(self) -> bool:
        """Whether it is no part of what led to the newest one of the image."""
        return self.beside is not None or self.set_aside_at is not None

    @is_stale.inplace.expression
    @classmethod
    def _is_stale(cls) -> ColumnElement[bool]:
        return or_(cls.beside.is_not(None), cls.set_aside_at.is_not(None))


class Row(Base):
    """A table whose rows are numbered; no number is given twice, also not that of a deleted row.

    Open pages and journals of browsers name rows by their numbers.
    """

    __abstract__ = True

    def __init_subclass__(cls, **kw: Any) -> None:
        super().__init_subclass__(**kw)
        assert isinstance(cls.__table__, Table)
        cls.__table__.dialect_options["sqlite"]["autoincrement"] = True

    id: Mapped[int] = mapped_column(primary_key=True, sort_order=-1)


MAX_ID = 2**31 - 1  # PostgreSQL's INTEGER
