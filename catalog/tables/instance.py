"""Which party a catalogue is of."""

from __future__ import annotations

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from .base import Row


class Instance(Row):
    """The party among all others: one row. Written by catalog.

    The image store holds the same token (catalog/store_owner.py).
    """

    token: Mapped[str] = mapped_column(String(32), unique=True)
