"""Which files of the store the rows name."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import select, update

from catalog.image_store import digest_of
from catalog.party import Party
from catalog.stored_files import (
    find_missing,
    load_image_digests,
    load_image_sizes,
    load_named_digests,
    name_digests,
)
from catalog.tables import Annotation, Image, Release, ReleaseImage
from tests.rows import add_release, make_image, make_person, reading, writing
from vockit.format.image_sets import Split

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
FIRST = digest_of(b"first")
SECOND = digest_of(b"second")


@pytest.fixture
def released(any_party: Party) -> Party:
    """Two images in a release, which has copies, masks and files of its own."""
    with any_party.catalogue.writing() as session:
        session.add(make_person("ann", NOON))
        session.add_all([make_image(FIRST, NOON, width=60), make_image(SECOND, NOON, height=40)])
        session.flush()
        placed = {}
        for image in session.scalars(select(Image)).all():
            revision = Annotation(
                image_id=image.id, person_id=1, save_key=f"key-{image.id}", saved_at=NOON
            )
            session.add(revision)
            session.flush()
            placed[image.id] = (revision.id, Split.TRAIN)
        add_release(session, "VOC2026", NOON, placed)
        session.execute(
            update(Release).values(
                settings={
                    "encoded": {FIRST: "copy of first", SECOND: "copy of second"},
                    "notes": {"kept": {"README.md": "readme", "docs/CHANGELOG.md": "changelog"}},
                }
            )
        )
        first, second = session.scalars(select(ReleaseImage).order_by(ReleaseImage.image_id))
        first.form = {"masks": {"SegmentationClass": "mask of both", "SegmentationObject": "mask"}}
        second.form = {"masks": {"SegmentationClass": "mask of both"}}
    return any_party


def erase(party: Party, sha256: str) -> None:
    with party.catalogue.writing() as session:
        session.execute(update(Image).where(Image.sha256 == sha256).values(erased_at=NOON))


def test_images_and_what_releases_hold_of_them_are_named(released: Party) -> None:
    assert reading(released, load_named_digests) == {
        FIRST,
        SECOND,
        "copy of first",
        "copy of second",
        "mask",
        "mask of both",
        "readme",
        "changelog",
    }
    assert reading(released, load_image_digests) == {FIRST, SECOND}
    assert reading(released, load_image_sizes) == {FIRST: (60, 375), SECOND: (500, 40)}


def test_of_an_erased_image_only_what_names_no_photograph_is_named(released: Party) -> None:
    erase(released, FIRST)
    named = {SECOND, "copy of second", "mask of both", "changelog"}
    assert reading(released, load_named_digests) == named
    assert reading(released, load_image_digests) == {SECOND}
    assert reading(released, load_image_sizes) == {SECOND: (500, 40)}


def test_a_release_without_the_erased_image_keeps_all_of_its_files(released: Party) -> None:
    writing(released, add_release, "VOC2027", NOON, {})
    with released.catalogue.writing() as session:
        other = session.scalars(select(Release).where(Release.name == "VOC2027")).one()
        other.settings = {"notes": {"kept": {"README.md": "readme of 2027"}}}
    erase(released, SECOND)
    assert "readme of 2027" in reading(released, load_named_digests)


def test_a_file_that_was_erased_since_it_was_listed_is_not_missing(released: Party) -> None:
    wanted = {FIRST, SECOND, "mask"}
    assert find_missing(released.catalogue, wanted, wanted) == ()
    assert find_missing(released.catalogue, wanted, {"mask"}) == tuple(sorted([FIRST, SECOND]))
    erase(released, FIRST)
    assert find_missing(released.catalogue, wanted, {"mask"}) == (SECOND,)


@pytest.mark.parametrize(
    ("digests", "text"),
    [([], ""), (["b", "a"], "a, b"), (["d", "c", "b", "a"], "a, b, c, ...")],
)
def test_a_sentence_names_the_first_few_digests(digests: list[str], text: str) -> None:
    assert name_digests(digests) == text
