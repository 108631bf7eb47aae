"""Whose the image store is."""

from __future__ import annotations

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from .base import Row


class StoreOwner(Row):
    """The token of the party that owns the image store: one row. Written by catalog.

    The image store holds the same token (catalog/store_owner.py).
    """

    token: Mapped[str] = mapped_column(String(32), unique=True)
