"""Three awkward parties as folders, each with its catalogue and a release that it made.

Nothing is judged difficult, and work is gold, blind, repeated and undone, some of it here through
the application; an edition after a takedown; an imported tree that people corrected.
"""

import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from catalog.party import open_party
from catalog.states import Role
from tests.annotate_ui.house import House
from tests.export.odd_releases import OddRelease, command
from tests.export.recount import connect
from work.people import add_person

OPENED_AT = datetime(2027, 5, 4, 12, 30, tzinfo=UTC)
"""When people look at the parties: in the hour of the last verdict, which half has passed."""

IS_FINISHED_WORK = "i.state IN ('annotated', 'checking', 'checked', 'released')"
NOT_IMPORTED = "p.name NOT LIKE 'import %'"
CLASS_NAME = (
    "(SELECT w.name FROM word AS w JOIN word AS drawn ON drawn.counts_as = w.key"
    " WHERE w.kind = 'class' AND drawn.kind = 'class' AND drawn.key = o.class_id)"
)
"""SQL: work that is finished, a person of the party, and today's name of an object's class."""

NAMES = {
    "nothing judged difficult": "opened",
    "edition after a takedown": "edition after a takedown",
    "edition of an import": "edition of an import",
}


@dataclass(frozen=True)
class AwkwardParty:
    """A party's folder, and the folder of the release that was made of it last."""

    folder: Path
    release: OddRelease
    token: str = "organiser"

    def rows(self, statement: str, *values: object) -> list[Any]:
        """What SQL finds in the catalogue."""
        with closing(connect(self.folder / "catalogue.db")) as connection:
            return connection.execute(statement, values).fetchall()

    def pairs(self, statement: str, *values: object) -> dict[Any, Any]:
        """The rows of two columns, the second by the first."""
        return {row[0]: row[1] for row in self.rows(statement, *values)}

    def number(self, statement: str, *values: object) -> Any:
        """The one value that SQL finds."""
        ((value,),) = self.rows(statement, *values)
        return value

    @contextmanager
    def open(self) -> Iterator[House]:
        """The party's application, on a clock that stands at OPENED_AT; changes nothing."""
        with open_party(self.folder) as party:
            house = House(party)
            house.clock.at = OPENED_AT
            yield house


def make_parties(releases: Mapping[str, OddRelease], folder: Path) -> dict[str, AwkwardParty]:
    """All of them by what is awkward about each, from these releases, which stay as they are."""
    parties = {
        name: AwkwardParty(copy_party(releases[key], folder / name), releases[key])
        for name, key in NAMES.items()
    }
    for party in parties.values():
        give_digests(party)
    time_objects(parties["nothing judged difficult"])
    tell_apart(parties["nothing judged difficult"])
    with parties["nothing judged difficult"].open() as house:
        draw_and_undo(house)
    for party in parties.values():
        with open_party(party.folder) as opened, opened.catalogue.writing() as session:
            add_person(session, "boss", Role.ORGANISER, token=party.token, at=OPENED_AT)
        command(party.folder, "qa")
    return parties


def copy_party(release: OddRelease, folder: Path) -> Path:
    """The party as it was when the release was written."""
    left_out = shutil.ignore_patterns("catalogue.db*")
    shutil.copytree(release.folder.parent / "party", folder, ignore=left_out)
    file = folder / "catalogue.db"
    with closing(sqlite3.connect(release.now)) as then, closing(sqlite3.connect(file)) as copy:
        then.backup(copy)
    return folder


def give_digests(party: AwkwardParty) -> None:
    """Digests instead of the words that the rows have in their places, which doctor refuses."""
    with closing(sqlite3.connect(party.folder / "catalogue.db")) as catalogue, catalogue:
        catalogue.create_function("digest", 1, lambda word: sha256(f"{word}".encode()).hexdigest())
        catalogue.execute(
            "UPDATE person SET credential_sha256 = digest(name)"
            " WHERE credential_sha256 GLOB '*[^0-9a-f]*' OR length(credential_sha256) <> 64"
        )
        catalogue.execute(
            "UPDATE table_pass SET sha256 = digest(sha256), sample_sha256 = digest(sample_sha256)"
        )


def time_objects(party: AwkwardParty) -> None:
    """Every second object took some time to draw, and the discarded image has its reason."""
    with closing(sqlite3.connect(party.folder / "catalogue.db")) as catalogue, catalogue:
        catalogue.execute("UPDATE object SET drawn_secs = 2.25 + id % 5 WHERE id % 2 = 0")
        catalogue.execute("UPDATE image SET reason = 'no_object' WHERE state = 'discarded'")


def tell_apart(party: AwkwardParty) -> None:
    """Of images that two drew, the second person has another box, view, class or object."""
    changes = (
        "box_xmin = 5",
        "box_ymax = 34",
        "view = 'Right', truncated = 0",
        "class_id = 'dog'",
        "box_xmin = 30, box_ymin = 20",
    )
    doubles = party.rows("SELECT annotation_id FROM blind_task WHERE kind = 'double' ORDER BY id")
    with closing(sqlite3.connect(party.folder / "catalogue.db")) as catalogue, catalogue:
        for change, (revision,) in zip(changes, doubles, strict=True):
            statement = f"UPDATE object SET {change} WHERE annotation_id = ? AND number = 1"
            catalogue.execute(statement, [revision])


def draw_and_undo(house: House) -> None:
    """Four more images: one checked, one drawn, one in hand, and one of which work was undone."""
    eve = house.enter(house.add_person("eve"))
    carl = house.enter(house.add_person("carl", Role.CHECKER))
    vic = house.enter(house.add_person("vic"))
    house.add_images(4)
    assert vic.save(vic.take()).status_code == 201
    house.run("people", "undo", "vic")
    for _ in range(2):
        assert eve.save(eve.take()).status_code == 201
    assert carl.review(carl.take("check")).status_code == 201
    assert eve.take() is not None
