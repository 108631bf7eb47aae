"""What all tables share: names of constraints, types of columns."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, MetaData, Table
from sqlalchemy.orm import DeclarativeBase

from catalog.columns import UtcDateTime, word_column
from catalog.states import (
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
