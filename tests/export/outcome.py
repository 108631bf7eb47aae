"""What an export left on the disk and in the catalogue."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import func, select

from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Image, Release


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def states(party: Party) -> dict[ImageState, int]:
    with party.catalogue.reading() as session:
        rows = session.execute(select(Image.state, func.count()).group_by(Image.state))
        return dict(rows.tuples().all())


def count_releases(party: Party) -> int:
    with party.catalogue.reading() as session:
        return session.scalar(select(func.count()).select_from(Release)) or 0
