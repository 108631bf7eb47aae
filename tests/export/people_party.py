"""A made party of forty images, thirty-two of them test: second annotators with known errors."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from sqlalchemy.orm import Session

from catalog.party import Party, open_party
from catalog.states import Beside, BlindKind, Role
from catalog.tables import (
    Annotation,
    BlindTask,
    Image,
    Person,
    Segment,
    Segmentation,
    SegmentChoice,
)
from tests.drawings import draw
from tests.party_rows import NOW, Drawn, add_image, add_people, add_revision
from vockit.format.rings import Ring, pack_rings

IMAGES = 40
CAT_BOX = (2, 3, 30, 30)
CAT = Drawn("cat", CAT_BOX, key="cat")
SHIFTED_CAT = Drawn("cat", (5, 3, 33, 30), key="cat")
PERSON_BOX = (34, 4, 58, 39)
EXTRA_DOG = Drawn("dog", (1, 33, 10, 40), key="dog")
DRAWN: Ring = [(4, 4), (28, 4), (28, 28), (4, 28)]
DRAWN_AGAIN: Ring = [(4, 4), (28, 4), (28, 22), (4, 22)]
BOB = 3
DORA = 4
MASKED = (1, 2)
"""The images, by number, of which masks were drawn twice."""


def is_doubled(number: int) -> bool:
    """Whether a second person annotated the image: three of four."""
    return number % 4 != 3


def has_cat(number: int) -> bool:
    """Whether the image shows a cat too; Action lists those that show a person alone."""
    return number < 28


def misses_cat(number: int) -> bool:
    """Whether the second person did not see the cat: each fifth image of those with one."""
    return has_cat(number) and number % 5 == 0


def says_dog(number: int) -> bool:
    """Whether the second person took the person for a dog: each sixth image."""
    return number % 6 == 1


def sees_more(number: int) -> bool:
    """Whether the second person saw a dog that the truth lacks: each eighth image."""
    return number % 8 == 2


def describe_person(number: int, *, is_second: bool) -> Drawn:
    """The person; each third does something else for the second person."""
    runs = (number % 2 == 0) ^ (is_second and number % 3 == 0)
    name = "dog" if is_second and says_dog(number) else "person"
    actions = () if name == "dog" else ("running" if runs else "jumping",)
    return Drawn(name, PERSON_BOX, actions=actions, point_xy=(40, 20), key="person")


def list_second(number: int) -> list[Drawn]:
    """What the second person draws."""
    cats = [SHIFTED_CAT] if has_cat(number) and not misses_cat(number) else []
    dogs = [EXTRA_DOG] if sees_more(number) else []
    return [*cats, describe_person(number, is_second=True), *dogs]


def make_people_party(folder: Path) -> None:
    """Fill the party in the folder; image `number` + 1 is that number's."""
    with open_party(folder) as party:
        with party.catalogue.writing() as session:
            add_people(session)
            for name in ("bob", "dora"):
                digest = name.ljust(64, "0")
                row = Person(name=name, role=Role.ANNOTATOR, created_at=NOW)
                row.credential_sha256 = digest
                session.add(row)
            session.flush()
            for number in range(IMAGES):
                cats = [CAT] if has_cat(number) else []
                first = [*cats, describe_person(number, is_second=False)]
                image = add_image(session, party, number, first)
                if is_doubled(number):
                    add_answer(session, image, list_second(number), DORA if number % 2 else BOB)
            add_what_does_not_count(session)
        for number in MASKED:
            draw(
                party, number + 1, {"cat": DRAWN, "person": [(36, 6), (56, 6), (56, 37), (36, 37)]}
            )
            draw_again(party, number + 1)


def add_answer(
    session: Session,
    image: Image,
    drawn: list[Drawn],
    person_id: int,
    kind: BlindKind = BlindKind.DOUBLE,
    *,
    is_finished: bool = True,
) -> Annotation:
    """What a second person draws blind, as the application keeps it."""
    newest = image.annotation_id
    answer = add_revision(session, image, drawn, person_id=person_id, parent_id=newest)
    answer.parent_id = None
    answer.beside = Beside.BLIND
    image.annotation_id = newest
    task = BlindTask(image_id=image.id, person_id=person_id, kind=kind, taken_at=NOW)
    task.reference_id = newest
    task.annotation_id = answer.id
    task.finished_at = NOW if is_finished else None
    session.add(task)
    session.flush()
    return answer


def add_what_does_not_count(session: Session) -> None:
    """An answer in training, one that was not finished, one that was undone, and a discard."""
    images = {number: session.get_one(Image, number + 1) for number in (3, 7, 11, 15)}
    add_answer(session, images[3], [EXTRA_DOG], BOB, BlindKind.TRAINING)
    add_answer(session, images[7], [EXTRA_DOG], BOB, is_finished=False)
    add_answer(session, images[11], [EXTRA_DOG], BOB).set_aside_at = NOW
    add_answer(session, images[15], [], BOB).discard_reason = "quality"


def draw_again(party: Party, image_id: int) -> None:
    """Bob's blind drawing of the same boxes."""
    with party.catalogue.writing() as session:
        choice = session.get_one(SegmentChoice, image_id)
        assert choice.annotation_id is not None
        again = Segmentation(image_id=image_id, annotation_id=choice.annotation_id, person_id=BOB)
        again.save_key = f"again-{image_id}"
        again.is_finished = True
        again.beside = Beside.BLIND
        again.created_at = NOW
        again.segments.append(Segment(object_key="cat", depth=0, rings=pack_rings([DRAWN_AGAIN])))
        session.add(again)
        session.flush()
        choice.second_id = again.id


@contextmanager
def open_allowing(folder: Path, *, allows: bool = True) -> Iterator[Party]:
    """The party with the setting, and four fifths of the images in test."""
    with open_party(folder) as party:
        export = replace(
            party.settings.export,
            people_results=allows,
            train_share=0.1,
            val_share=0.1,
            test_share=0.8,
        )
        yield replace(party, settings=replace(party.settings, export=export))


def copy_party(template: Path, folder: Path) -> Path:
    """A copy to change."""
    return Path(shutil.copytree(template, folder))
