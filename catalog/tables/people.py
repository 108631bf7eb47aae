"""Who takes part, and what organisers set meanwhile."""

from __future__ import annotations

import unicodedata
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from catalog.states import Role

from .base import Base, Row

_PAIRS = (
    "аa вb еe кk мm нh оo рp сc тt уy хx іi їi јj ѕs ԁd һh αa βb εe ζz ιi κk νv οo ρp τt υu χx "
    "Ꭰd Ꭱr Ꭲt Ꭵi Ꭹy Ꭺa Ꭻj Ꭼe Ꮃw Ꮇm Ꮋh Ꮍy Ꮐg Ꮒh Ꮓz Ꮟb Ꮢr Ꮤw Ꮥs Ꮩv Ꮪs Ꮮl Ꮯc Ꮲp Ꮶk Ꮷd Ᏼb Ᏻg "
    "ɑa ɡg ıi ɩi ɪi ɴn ʀr ʙb ʜh ʟl ɢg ᴀa ᴄc ᴅd ᴇe ᴊj ᴋk ᴍm ᴏo ᴘp ᴛt ᴜu ᴠv ᴡw ᴢz ꜱs ꜰf ʋv ɛe ƒf "
    "ɾr ʏy"
)
"""Cyrillic, Greek, Cherokee (of which case folding makes capitals) and phonetic letters."""
_UNSEEN = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f"
    f"{''.join(map(chr, range(0xFE00, 0xFE10)))}{''.join(map(chr, range(0xE0100, 0xE01F0)))}"
)
"""Signs without a look that count as printable: fillers, variation selectors (UTS 39)."""
_BLANK = "\u2800"
"""The cell of braille without dots, which looks like a space and counts as printable."""
_LOOKS = (
    {ord(pair[0]): pair[1] for pair in _PAIRS.split()}
    | dict.fromkeys(map(ord, _UNSEEN), "")
    | {ord(_BLANK): " "}
)
_DOTTED_I = "i\u0307"
"""What case folding makes of the Turkish capital letter."""


def describe_look(name: str) -> str:
    """The name in small Latin letters for those that look like them; equal for look-alikes.

    UTS 39 lists letters that look alike; here are those that stand for whole names. What cannot be
    seen leaves nothing.
    """
    folded = unicodedata.normalize("NFKC", name).casefold().translate(_LOOKS)
    return " ".join(folded.replace(_DOTTED_I, "i").split())


class Person(Row):
    """A participant. Written by work; by export for the annotators of an import.

    No two have one `name_key`, the name as it looks. `credential_sha256` is the digest of the token
    in the personal link, `renewed_sha256` that of the link before it; `ended_at` closes the link
    and every session. `trained_at` is when
    guidelines and training images were done, `slowed_at` when the person last worked faster than
    the party allows. `preferences` are the pages'.
    web and annotate_ui write `seen_at`, annotate_ui `trained_at` too.
    """

    name: Mapped[str] = mapped_column(String(100), unique=True)
    name_key: Mapped[str] = mapped_column(
        String(400),
        unique=True,
        default=lambda context: describe_look(context.get_current_parameters()["name"]),
    )
    role: Mapped[Role]
    credential_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    renewed_sha256: Mapped[str | None] = mapped_column(String(64), index=True)
    is_simulated: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]
    seen_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    trained_at: Mapped[datetime | None]
    slowed_at: Mapped[datetime | None]
    invitation_id: Mapped[int | None]
    preferences: Mapped[dict[str, Any] | None] = mapped_column(deferred=True)


class EndedSession(Row):
    """A session that its person ended by signing out, until its cookie expires. By annotate_ui."""

    token: Mapped[str] = mapped_column(String(40), unique=True)
    ended_at: Mapped[datetime]


class Invitation(Row):
    """A party code by which new people sign up. Written by work and annotate_ui.

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


class LiveSetting(Base):
    """One version of what organisers set while the party runs; all stay. Written by work.

    The highest `number` of a `name` holds. Of two saves from the same number, the key lets one win.
    """

    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    value: Mapped[dict[str, Any]]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    set_at: Mapped[datetime]

    person: Mapped[Person] = relationship()
