"""Which release a command means, and whether it was made before."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import select

from catalog.party import find_party_folder, open_party
from catalog.tables import Release


def name_release(year: int, name: str | None) -> str:
    """The name that a release has where nobody gave it one: VOC and the year."""
    return f"VOC{year}" if name is None else name


def is_recorded(
    party_folder: Path | None, *, year: int, name: str | None, **_options: object
) -> bool:
    """Whether `vocparty export` with these options writes a release that was made before."""
    wanted = select(Release.id).where(Release.name == name_release(year, name))
    folder = party_folder or find_party_folder(Path.cwd())
    with open_party(folder) as party, party.catalogue.reading() as session:
        return session.scalar(wanted) is not None
