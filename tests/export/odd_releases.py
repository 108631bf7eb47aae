"""Releases of three awkward parties, each with the catalogue as it was when it was made.

Nothing is judged difficult; people's work is blind, gold, repeated and undone; words are retired;
trees come with and without owners; images are withdrawn after a release.
"""

import os
import shutil
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

from click.testing import CliRunner
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.party import Party, make_party, open_party
from catalog.states import (
    Beside,
    BlindKind,
    ImageState,
    PhotoState,
    Role,
    Source,
    Verdict,
    View,
)
from catalog.tables import (
    BlindTask,
    GoldImage,
    Image,
    Person,
    Photo,
    Query,
    Review,
    Search,
    TablePass,
)
from qa.difficulty import judge_difficulty
from tests.drawings import draw
from tests.party_rows import (
    CAT,
    NOW,
    PERSON,
    Drawn,
    add_image,
    add_people,
    add_review,
    add_revision,
    link,
)
from tests.trees import make_tree
from vocparty import main

PLAIN_DOG = Drawn("dog", (1, 1, 60, 40))
HORSE = Drawn("horse", (3, 3, 30, 30), occluded=True, view=View.REAR)
FIRST_DAY = "2010-01-01"
LAST_DAY = "2024-12-31"
ABOUT = """
[release]
authors = ["Ada 2", "Bob"]
affiliation = "Zoo Lab 7"
contact = "zoo@example.org"
homepage = "https://example.org/zoo-2026"
doi = "10.1234/zoo"
funding = "Fund 9"
annotation_licence = "https://creativecommons.org/licenses/by/4.0/"
intended_use = "Counting 3 animals."
known_limits = "Only 2 seasons."
"""


@dataclass(frozen=True)
class OddRelease:
    """A written release, the catalogue when it was made, and the one when it was written.

    `before` is the folder of the release that it corrects or extends, as it was written then;
    `first` that of this one as it was written first.
    """

    name: str
    folder: Path
    made: Path
    now: Path
    earlier: str | None = None
    before: Path | None = None
    is_blind: bool = False
    first: Path | None = None

    @property
    def is_edition(self) -> bool:
        """Whether it corrects another one."""
        return "." in self.name

    @property
    def is_current(self) -> bool:
        """Whether the party has nothing newer of it than was written."""
        return self.name in ("VOC2027.1", "VOC2012.1") or self.folder.name == "after a takedown"

    @property
    def before_year(self) -> str:
        """The year of the release before, by its name."""
        return (self.earlier or "")[3:7]


def command(party: Path, *words: object) -> str:
    """What a command says on this party; it must succeed."""
    result = CliRunner().invoke(main, [*map(str, words), "--party", str(party)])
    assert result.exit_code == 0, result.output
    return result.output


def copy_catalogue(party: Path, target: Path) -> Path:
    """A copy of the catalogue as it is now."""
    with sqlite3.connect(party / "catalogue.db") as now, sqlite3.connect(target) as copy:
        now.backup(copy)
    return target


@contextmanager
def other_zone() -> Iterator[None]:
    """The machine's clock fourteen hours ahead of UTC."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Pacific/Kiritimati"
    time.tzset()
    try:
        yield
    finally:
        os.environ.pop("TZ") if before is None else os.environ.update(TZ=before)
        time.tzset()


def make_releases(folder: Path) -> dict[str, OddRelease]:
    """All of them by what is odd about each."""
    with other_zone():
        return make_zoo(folder / "zoo") | make_imported(folder / "imported")


def make_zoo(folder: Path) -> dict[str, OddRelease]:
    """A blind release, the opened one, an extension with masks, and what a takedown leaves."""
    party_folder = folder / "party"
    make_party(party_folder, name="Zoo 5", preset="voc2012", values={})
    edit_settings(party_folder)
    with open_party(party_folder) as party:
        fill_zoo(party)
        add_odd_work(party)
    command(party_folder, "qa")
    command(party_folder, "agreement")
    releases = dict[str, OddRelease]()
    first = dict[str, Path]()

    def write(key: str, name: str, *words: object, before: str | None = None) -> None:
        """Write a release; only a new one takes what the catalogue holds now."""
        is_again = (folder / f"{name}.sqlite").exists()
        command(party_folder, "export", folder / key, *words)
        now = copy_catalogue(party_folder, folder / f"{key}-now.sqlite")
        made = folder / f"{name}.sqlite"
        first.setdefault(name, folder / key)
        if not is_again:
            shutil.copy(now, made)
        releases[key] = OddRelease(
            name=name,
            folder=folder / key,
            made=made,
            now=now,
            earlier=releases[before].name if before else None,
            before=releases[before].folder if before else None,
            is_blind=key == "blind",
            first=first[name],
        )

    write("blind", "VOC2026", "--year", 2026, "--blind")
    write("opened", "VOC2026", "--year", 2026, "--open")
    command(party_folder, "classes", "merge", "horse", "cow")
    with open_party(party_folder) as party:
        extend_zoo(party)
    write("extended", "VOC2027", "--year", 2027, "--extend", "VOC2026", before="opened")
    command(party_folder, "takedown", "flickr:5002", "--reason", "the owner asked")
    write("after a takedown", "VOC2027", "--year", 2027, before="opened")
    with open_party(party_folder) as party:
        judge_all(party, 4)
    write("edition after a takedown", "VOC2027.1", "--corrects", "VOC2027", before="extended")
    return releases


def edit_settings(folder: Path) -> None:
    """What the datasheet says of the makers, and a range of dates that is not to today."""
    text = (folder / "party.toml").read_text()
    collect = f'\n[collect]\nfirst_date = "{FIRST_DAY}"\nlast_date = "{LAST_DAY}"\n'
    (folder / "party.toml").write_text(text + collect + ABOUT)


ZOO: Sequence[Sequence[Drawn]] = (
    [CAT],
    [CAT, PLAIN_DOG],
    [PLAIN_DOG],
    [PERSON],
    [PERSON, CAT],
    [HORSE],
    [CAT],
    [PLAIN_DOG, CAT],
    [CAT],
    [HORSE, PERSON],
    [CAT],
    [PLAIN_DOG],
)


def fill_zoo(party: Party) -> None:
    """Twelve checked images of two searches; some share an owner, an event or a scene."""
    with party.catalogue.writing() as session:
        add_people(session)
        for name, role in (("dora", Role.ANNOTATOR), ("olga", Role.ORGANISER)):
            session.add(Person(name=name, role=role, credential_sha256=name, created_at=NOW))
        session.add(Query(source=Source.COMMONS, class_id="dog", keyword="hound 4"))
        session.flush()
        for number, drawn in enumerate(ZOO, start=1):
            owner = "same" if number in (1, 2) else None
            image = add_image(session, party, number, drawn, owner_id=owner)
            date_photo(image.photos[0], number)
            time_work(image)
        session.add(link(3, 4, "duplicate"))
        session.add(link(5, 6))
        session.add(search_of(2))
        for query in session.scalars(select(Query)):
            query.searches = 7 + query.id
            query.draws = 30
            query.matches = 900
            query.kept = 98


def search_of(query_id: int) -> Search:
    """A search by date of upload, as the photographs of that query were found."""
    return Search(
        query_id=query_id,
        dates="upload",
        licence_ids="4",
        window_start_at=NOW - timedelta(days=30),
        window_end_at=NOW,
        page=3,
        matches=90,
        returned=20,
        fresh=5,
        searched_at=NOW,
    )


def date_photo(photo: Photo, number: int) -> None:
    """Upload times in a zone of which the day is another one than in UTC; some know no owner."""
    zone = timezone(timedelta(hours=14))
    photo.uploaded_at = datetime(2009 + number, 1, 1, 3, tzinfo=zone)
    photo.taken_at_text = f"{2008 + number}-05-0{number % 9 + 1} 10:11:12"
    photo.result_page = 3
    if number % 3 == 0:
        photo.query_id = 2
        photo.source = Source.COMMONS
        photo.licence_name = "CC BY-ND 2.0"
        photo.licence_url = "https://creativecommons.org/licenses/by-nd/2.0/"
    if number % 4 == 0:
        photo.owner_name = None
    if number == 7:
        photo.licence_name = photo.licence_url = None


def time_work(image: Image) -> None:
    """Different seconds for each image."""
    assert image.annotation is not None
    image.annotation.active_secs = 20.0 + image.id


def add_odd_work(party: Party) -> None:
    """Second, gold, repeated and undone work, fixes, a discarded image, photographs that broke."""
    with party.catalogue.writing() as session:
        images = {image.id: image for image in session.scalars(select(Image))}
        for image_id in (1, 2, 4, 5, 8):
            add_blind(session, images[image_id], ZOO[image_id - 1][:1], BlindKind.DOUBLE)
        add_blind(session, images[9], [CAT], BlindKind.GOLD)
        session.add(
            GoldImage(
                image_id=9,
                annotation_id=images[9].annotation_id,
                person_id=4,
                chosen_at=NOW,
                note="a reference",
            )
        )
        repeat(session, images[7])
        fix(session, images[8])
        undo(session, images[11])
        look_at_each(session, images[5])
        discarded = add_image(session, party, 50, [], state=ImageState.DISCARDED, is_reviewed=False)
        assert discarded.annotation is not None
        discarded.annotation.discard_reason = "no_object"
        add_image(session, party, 51, [CAT], state=ImageState.DUPLICATE)
        for number, state in enumerate((PhotoState.GONE, PhotoState.BROKEN, PhotoState.FOUND)):
            photo = Photo(source=Source.FLICKR, source_id=f"{number}", state=state, found_at=NOW)
            photo.query_id = 1
            session.add(photo)
        session.add(table_pass())


def table_pass() -> TablePass:
    """A table that photographs were collected from."""
    about = {
        "format": "csv",
        "files": 1,
        "seed": 7,
        "photos_per_month": 3,
        "dates": "upload",
        "rows": 900,
        "answers": 40,
    }
    return TablePass(
        name="yfcc",
        sha256="abc1",
        sample_sha256="def2",
        about=about,
        folder="yfcc",
        files={},
        passed_at=NOW,
    )


def add_blind(session: Session, image: Image, drawn: Sequence[Drawn], kind: BlindKind) -> None:
    """What dora drew without seeing what is known."""
    newest = image.annotation_id
    drawing = add_revision(session, image, drawn, person_id=3, parent_id=newest)
    drawing.parent_id = None
    drawing.beside = Beside.BLIND
    drawing.save_key = f"blind-{image.id}"
    drawing.active_secs = 11.5
    image.annotation_id = newest
    session.add(
        BlindTask(
            image_id=image.id,
            person_id=3,
            kind=kind,
            reference_id=newest,
            annotation_id=drawing.id,
            taken_at=NOW,
            finished_at=NOW,
        )
    )


def repeat(session: Session, image: Image) -> None:
    """The image was returned once, and its author drew it again."""
    first = image.annotation
    assert first is not None
    (review,) = session.scalars(select(Review).where(Review.annotation_id == first.id))
    review.verdict = Verdict.RETURNED
    review.active_secs = 4.5
    again = add_revision(session, image, [CAT, PLAIN_DOG], person_id=1, parent_id=first.id)
    again.active_secs = 8.0
    add_review(session, again, Verdict.ACCEPT)


def fix(session: Session, image: Image) -> None:
    """The checker drew a person that the annotator had missed."""
    first = image.annotation
    assert first is not None
    drawn = [*ZOO[image.id - 1], PERSON]
    fixed = add_revision(session, image, drawn, person_id=2, parent_id=first.id)
    (review,) = session.scalars(select(Review).where(Review.annotation_id == first.id))
    review.verdict = Verdict.FIXED
    review.fixed_annotation_id = fixed.id
    review.is_complete = False


def undo(session: Session, image: Image) -> None:
    """What dora saved and accepted of it was undone; what ann did holds."""
    newest = image.annotation_id
    undone = add_revision(session, image, [PLAIN_DOG], person_id=3, parent_id=newest)
    undone.set_aside_at = NOW
    undone.active_secs = 500.0
    image.annotation_id = newest
    review = Review(annotation_id=newest, person_id=3, save_key="undone", verdict=Verdict.ACCEPT)
    review.reviewed_at = NOW.replace(year=2027)
    review.set_aside_at = NOW
    review.active_secs = 600.0
    review.is_complete = False
    session.add(review)


def look_at_each(session: Session, image: Image) -> None:
    """A second checker judged the first object by itself, and was not asked what is missing."""
    assert image.annotation is not None
    items = image.annotation.objects
    verdicts = [
        {"object_key": item.object_key, "verdict": "ok", "judged": item.number == 1}
        for item in items
    ]
    review = Review(annotation_id=image.annotation_id, person_id=4, save_key="each")
    review.verdict = Verdict.ACCEPT
    review.object_verdicts = verdicts
    review.reviewed_at = NOW.replace(year=2027)
    review.active_secs = 33.0
    session.add(review)


def extend_zoo(party: Party) -> None:
    """Seven more images, two of them with masks; difficulty is judged of a new and an old one."""
    with party.catalogue.writing() as session:
        session.add(search_of(1))
        for number in range(20, 27):
            moved = replace(CAT, box=(number - 15, 3, 50, 30))  # no annotation is a copy of another
            drawn = [moved if item is CAT else item for item in ZOO[number % 8]]
            image = add_image(session, party, number, drawn, owner_id=f"new-{number}")
            date_photo(image.photos[0], number - 12)
            time_work(image)
        session.add(link(image.id, 1, "same_scene"))
        drawn_ids = [image.id - 1, image.id - 2]
    for image_id in drawn_ids:
        draw(party, image_id, overlaps={"key-1": 0.8})
    judge_all(party, 2)
    judge_all(party, image.id - 3)


def judge_all(party: Party, image_id: int) -> None:
    """An organiser calls the first object of the image difficult, and the others not."""
    with party.catalogue.writing() as session:
        image = session.get_one(Image, image_id)
        assert image.annotation is not None
        for item in image.annotation.objects:
            judge_difficulty(
                session,
                image_id,
                item.object_key,
                item.number == 1,
                seen_id=image.annotation.id,
                person_id=4,
                at=NOW,
            )


OWNER = "<owner><flickrid>7</flickrid><name>Kim 8</name></owner>"
"""What a file of 2007 says of who took the photograph."""


def make_imported(folder: Path) -> dict[str, OddRelease]:
    """An imported tree with masks, and an edition of it that people corrected and checked."""
    party_folder = folder / "party"
    tree = make_tree(folder / "tree")
    for number in (1, 4):
        path = tree / f"Annotations/2012_00000{number}.xml"
        text = path.read_text()
        path.write_text(text.replace("</source>", f"</source>{OWNER}", 1))
    make_party(party_folder, name="Imported", preset="voc2012", values={})
    command(party_folder, "import", "dataset", tree)
    copies = {
        name: copy_catalogue(party_folder, folder / f"{name}.sqlite") for name in ("first", "then")
    }
    releases = {}
    command(party_folder, "export", folder / "again", "--year", 2012)
    made = copies["first"]
    releases["imported"] = OddRelease("VOC2012", folder / "again", made, made)
    with open_party(party_folder) as party:
        correct_imported(party)
    command(party_folder, "export", folder / "edition", "--corrects", "VOC2012")
    made = copy_catalogue(party_folder, copies["then"])
    releases["edition of an import"] = OddRelease(
        "VOC2012.1", folder / "edition", made, made, "VOC2012", folder / "again"
    )
    return releases


def correct_imported(party: Party) -> None:
    """ann moved a cat, which chris accepted; another image chris only accepted as it came."""
    with party.catalogue.writing() as session:
        add_people(session)
        people = {person.name: person.id for person in session.scalars(select(Person))}
        first, second = session.scalars(select(Image).order_by(Image.id).limit(2))
        parent = first.annotation
        assert parent is not None
        moved = Drawn("cat", (4, 4, 50, 30), key=parent.objects[0].object_key)
        revision = add_revision(
            session, first, [moved], person_id=people["ann"], parent_id=parent.id
        )
        first.state = ImageState.CHECKED
        for annotation in (revision, second.annotation):
            assert annotation is not None
            review = Review(annotation_id=annotation.id, person_id=people["chris"])
            review.save_key = f"accept-{annotation.id}"
            review.verdict = Verdict.ACCEPT
            review.is_complete = True
            review.reviewed_at = NOW
            session.add(review)
