"""Which image each person holds, and held."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from catalog.states import ImageState, LeaseKind, LeaseTrack

from .base import Base, Row
from .photos import Image


class Lease(Row):
    """An image held by one person for minutes; gone when given back. Written by work.

    The catalog changes `returns_to` where a release is made of the image meanwhile.
    `track` follows from the kind: an image's boxes and its segments may be held by two people, and
    several may have it blind.
    `returns_to` is the state that the image has again when a lease on its boxes runs out, and that
    it was in when its segments were taken. `opened_at` is empty while the image is only reserved
    ahead and not seen.
    """

    __table_args__ = (
        UniqueConstraint("image_id", "track", "person_id"),
        Index(
            "uq_lease_holder",
            "image_id",
            "track",
            unique=True,
            sqlite_where=text("track <> 'blind'"),
            postgresql_where=text("track <> 'blind'"),
        ),
    )

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    kind: Mapped[LeaseKind]
    track: Mapped[LeaseTrack] = mapped_column(
        default=lambda context: LeaseKind(context.get_current_parameters()["kind"]).track
    )
    returns_to: Mapped[ImageState]
    acquired_at: Mapped[datetime]
    opened_at: Mapped[datetime | None]
    heartbeat_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)

    image: Mapped[Image] = relationship()


class SeenImage(Base):
    """An image of which a page has shown a person what others drew. Written by work."""

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), primary_key=True)
    seen_at: Mapped[datetime]


class EndedLease(Base):
    """A lease that is over: who had which image and until when. Written by work.

    `id` is the lease's. `how` is "finished", "given_back", "expired", "taken_back" by an organiser,
    "undone" with all work, or "passed_on": reserved ahead, and given to a person without any.
    """

    __table_args__ = (Index(None, "image_id", "person_id"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    kind: Mapped[LeaseKind]
    acquired_at: Mapped[datetime]
    opened_at: Mapped[datetime | None]
    ended_at: Mapped[datetime]
    how: Mapped[str] = mapped_column(String(20))
