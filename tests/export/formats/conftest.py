"""A release with every kind of field, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.party import make_party, open_party
from catalog.states import View
from tests.export.exporting import export_release
from tests.export.rows import CAT, DOG, NOW, Drawn, add_image, add_people

PERSON = Drawn(
    "person",
    (5, 4, 40, 39),
    view=View.LEFT,
    truncated=True,
    occluded=True,
    actions=("running", "jumping"),
    point_xy=(20, 20),
    parts=(("head", (10, 4, 20, 12)), ("hand", (5, 20, 9, 25))),
)


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a release of nine images, which no test changes."""
    folder = tmp_path_factory.mktemp("release")
    make_party(folder / "party", name="Test party", preset="voc2012")
    with open_party(folder / "party") as party:
        with party.catalogue.writing() as session:
            add_people(session)
            for number in range(1, 10):
                drawn = [CAT] * (number < 7) + [DOG] * (4 < number < 7) + [PERSON] * (number > 6)
                add_image(session, party, number, drawn)
        export_release(party, folder / "out", year=2026, at=NOW)
    return folder / "out"
