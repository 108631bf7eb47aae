"""A party in which people worked: images with files, drafts, revisions, a review, a lease."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text

from catalog.party import Party
from catalog.session import Catalogue
from catalog.tables import Base
from tests.annotate_ui.house import House, make_jpeg


@pytest.fixture
def worked(any_party: Party) -> House:
    """The party on SQLite and on PostgreSQL."""
    return fill(any_party)


@pytest.fixture
def small(party: Party) -> House:
    """The party on SQLite."""
    return fill(party)


def fill(party: Party) -> House:
    house = House(party)
    for colour in ("navy", "green", "grey"):
        data = make_jpeg(colour)
        image_id = house.add_image(title="Ünïcode 猫")
        with party.catalogue.writing() as session:
            digest = party.store.put(data)
            session.execute(
                text("UPDATE image SET sha256 = :digest WHERE id = :id"),
                {"digest": digest, "id": image_id},
            )
    ann, chris = house.ann(), house.chris()
    ann.save(ann.take())
    ann.save(ann.take(), finish=False)
    chris.review(chris.take("check"), "mended")
    return house


def dump(catalogue: Catalogue) -> dict[str, list[Any]]:
    """Every row of every table, as values that are the same on both databases."""
    with catalogue.reading() as session:
        return {
            table.name: [
                tuple(row)
                for row in session.execute(select(table).order_by(*table.primary_key)).all()
            ]
            for table in Base.metadata.sorted_tables
        }


def dump_files(folder: Path) -> dict[str, str]:
    """The digest of every file below a folder."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }
