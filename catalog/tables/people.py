"""Who takes part, what each of them holds, and what organisers set meanwhile."""

from __future__ import annotations

import unicodedata
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from catalog.states import ImageState, LeaseKind, LeaseTrack, Role

from .base import Base, Row
from .photos import Image

_FOREIGN, _LATIN = "авекмнорстухіїјѕԁһαβεζικνορτυχ", "abekmhopctyxiijsdhabezikvoptux"
_LOOKS = str.maketrans(_FOREIGN + _FOREIGN.upper(), _LATIN + _LATIN.upper())


def describe_look(name: str) -> str:
    """The name with Latin letters for those that look like them (UTS 39); equal for look-alikes."""
    return unicodedata.normalize("NFKC", name).translate(_LOOKS)


class Person(Row):
    """A participant. Written by annotate_ui.

    No two have one `name_key`, the name as it looks. `credential_sha256` is the digest of the token
    in the personal link; `ended_at` closes the link and every session. `trained_at` is when
    guidelines and training images were done, `slowed_at` when the person last worked faster than
    the party allows. `preferences` are the pages'.
    """

    name: Mapped[str] = mapped_column(String(100), unique=True)
    name_key: Mapped[str] = mapped_column(
        String(400),
        unique=True,
        default=lambda context: describe_look(context.get_current_parameters()["name"]),
    )
    role: Mapped[Role]
    credential_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    is_simulated: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]
    seen_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    trained_at: Mapped[datetime | None]
    slowed_at: Mapped[datetime | None]
    invitation_id: Mapped[int | None]
    preferences: Mapped[dict[str, Any] | None] = mapped_column(deferred=True)


class EndedSession(Row):
    """A session that its person ended by signing out, until its cookie expires anyway."""

    token: Mapped[str] = mapped_column(String(40), unique=True)
    ended_at: Mapped[datetime]


class Invitation(Row):
    """A party code by which new people sign up. Written by annotate_ui.

    `code` is not hashed, since an organiser shows it in the room; it lets new people in until
    `ended_at`, `expires_at` or `most_people`.
    """

    code: Mapped[str] = mapped_column(String(40), unique=True)
    role: Mapped[Role]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    people: Mapped[int] = mapped_column(default=0)
    most_people: Mapped[int | None]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]


class Lease(Row):
    """An image held by one person for minutes; gone when given back. Written by annotate_ui.

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


class EndedLease(Base):
    """A lease that is over: who had which image and until when. Written by annotate_ui.

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


class LiveSetting(Base):
    """One version of what organisers set while the party runs; all stay. Written by annotate_ui.

    The highest `number` of a `name` holds. Of two saves from the same number, the key lets one win.
    """

    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    value: Mapped[dict[str, Any]]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    set_at: Mapped[datetime]

    person: Mapped[Person] = relationship()
