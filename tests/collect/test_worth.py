"""What queries were worth, on both databases."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from catalog.box import Box
from catalog.party import Party
from catalog.states import ImageState, PhotoState, Role, Source
from catalog.tables import Annotation, Image, Object, Person, Photo, Query
from collect.balance import Record
from collect.worth import load_standing, refresh_query_worth
from tests.rows import make_image

from .clocks import NOON
from .rows import load_query


def add_image(party: Party, number: int, state: ImageState, *photos_of: int) -> int:
    """The id of an image that a photo of each of the queries came to."""
    with party.catalogue.writing() as session:
        image = make_image(f"{number:064x}", NOON, state=state)
        session.add(image)
        for query_id in photos_of:
            session.add(
                Photo(
                    source=Source.FLICKR,
                    source_id=f"{number}{query_id}",
                    found_at=NOON,
                    state=PhotoState.FETCHED,
                    image=image,
                    query_id=query_id,
                )
            )
        session.flush()
        return image.id


def annotate(party: Party, image_id: int, *class_names: str) -> None:
    """A new newest revision of the image, with an object of each class."""
    with party.catalogue.writing() as session:
        person = session.get(Person, 1) or Person(
            id=1, name="ann", role=Role.ANNOTATOR, credential_sha256="c" * 64, created_at=NOON
        )
        session.add(person)
        session.flush()
        count = session.query(Annotation).count()
        revision = Annotation(
            image_id=image_id,
            person_id=1,
            save_key=f"save {count}",
            is_finished=True,
            saved_at=NOON,
        )
        session.add(revision)
        session.flush()
        for number, name in enumerate(class_names, start=1):
            box = Box(1, 1, 10, 10)
            session.add(
                Object(
                    annotation_id=revision.id,
                    number=number,
                    object_key=f"{count}/{number}",
                    class_name=name,
                    xmin=box.xmin,
                    ymin=box.ymin,
                    xmax=box.xmax,
                    ymax=box.ymax,
                )
            )
        session.execute(update(Image).where(Image.id == image_id).values(annotation_id=revision.id))


@pytest.fixture
def queries(any_party: Party) -> tuple[int, int]:
    """The ids of cat / tabby and of sofa / lounge, with counts that are wrong."""
    with any_party.catalogue.writing() as session:
        tabby = Query(source=Source.FLICKR, class_name="cat", keyword="tabby", kept=9, useful=9)
        lounge = Query(source=Source.FLICKR, class_name="sofa", keyword="lounge", kept=9, useful=9)
        session.add_all([tabby, lounge])
        session.flush()
        return tabby.id, lounge.id


def worth(party: Party) -> list[tuple[int, int]]:
    """Kept and useful of the two queries, recounted."""
    with party.catalogue.writing() as session:
        refresh_query_worth(session)
    found = [load_query(party, "cat", "tabby"), load_query(party, "sofa", "lounge")]
    return [(query.kept, query.useful) for query in found]


def test_without_images_every_query_counts_nothing(
    any_party: Party, queries: tuple[int, int]
) -> None:
    assert worth(any_party) == [(0, 0), (0, 0)]


@pytest.mark.parametrize(
    ("state", "kept"),
    [
        (ImageState.FETCHED, 1),
        (ImageState.POOL, 1),
        (ImageState.DISCARDED, 1),
        (ImageState.CHECKED, 1),
        (ImageState.DUPLICATE, 0),
        (ImageState.BROKEN, 0),
        (ImageState.TAKEN_DOWN, 0),
    ],
)
def test_kept_are_images_that_are_still_of_use_to_somebody(
    any_party: Party, queries: tuple[int, int], state: ImageState, kept: int
) -> None:
    add_image(any_party, 1, state, queries[0])
    assert worth(any_party) == [(kept, 0), (0, 0)]


def test_useful_are_images_annotated_with_the_class_that_the_query_was_for(
    any_party: Party, queries: tuple[int, int]
) -> None:
    tabby, lounge = queries
    annotate(any_party, add_image(any_party, 1, ImageState.CHECKED, tabby), "cat", "cat", "sofa")
    annotate(any_party, add_image(any_party, 2, ImageState.ANNOTATED, tabby), "dog")
    annotate(any_party, add_image(any_party, 3, ImageState.ANNOTATED, lounge), "sofa")
    annotate(any_party, add_image(any_party, 4, ImageState.DISCARDED, lounge), "sofa")
    assert worth(any_party) == [(2, 1), (2, 1)]


def test_only_the_newest_revision_counts(any_party: Party, queries: tuple[int, int]) -> None:
    image_id = add_image(any_party, 1, ImageState.CHECKED, queries[0])
    annotate(any_party, image_id, "cat")
    annotate(any_party, image_id, "dog")
    assert worth(any_party) == [(1, 0), (0, 0)]


def test_two_photos_of_one_query_with_the_same_bytes_count_once(
    any_party: Party, queries: tuple[int, int]
) -> None:
    tabby, lounge = queries
    image_id = add_image(any_party, 1, ImageState.POOL, tabby, lounge)
    with any_party.catalogue.writing() as session:
        session.add(
            Photo(
                source=Source.FLICKR,
                source_id="twin",
                found_at=NOON,
                state=PhotoState.FETCHED,
                image_id=image_id,
                query_id=tabby,
            )
        )
    assert worth(any_party) == [(1, 0), (1, 0)]


def test_the_standing_tells_judged_images_from_waiting_ones_and_counts_what_is_shown(
    any_party: Party, queries: tuple[int, int]
) -> None:
    tabby, lounge = queries
    annotate(any_party, add_image(any_party, 1, ImageState.CHECKED, tabby), "cat", "sofa")
    annotate(any_party, add_image(any_party, 2, ImageState.ANNOTATED, lounge), "cat")
    add_image(any_party, 3, ImageState.DISCARDED, tabby)
    add_image(any_party, 4, ImageState.POOL, tabby)
    worth(any_party)
    with any_party.catalogue.reading() as session:
        standing = load_standing(session)
    assert standing.shown == {"cat": 2, "sofa": 1}
    assert standing.records == {tabby: Record(2, 1, 1), lounge: Record(1, 0, 0)}
