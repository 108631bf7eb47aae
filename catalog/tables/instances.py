"""The lives of a catalogue: when it was made, and each time it came back of a backup."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from .base import Row


class Instance(Row):
    """A life of the catalogue. The first row is written when the party is first served.

    Its `token` names the party; a copy, a moved party and one that was restored keep it.
    `is_restored` rows are one for each restore. `served_at` is when a server of the party last gave
    a sign of life, None once it was stopped. Written by catalog, for web and operate.
    """

    token: Mapped[str] = mapped_column(String(64), unique=True)
    is_restored: Mapped[bool] = mapped_column(default=False)
    begun_at: Mapped[datetime]
    served_at: Mapped[datetime | None]
