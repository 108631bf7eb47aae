"""Images are locked in one order, and others are taken only where nobody has them."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from catalog.image_store import digest_of
from catalog.locks import lock_free_images, lock_images
from catalog.party import Party, make_party, open_party
from catalog.states import ImageState
from catalog.tables import Image
from tests.rows import make_image, writing

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
IN_POOL = select(Image.id).where(Image.state == ImageState.POOL)


def add_images(party: Party) -> list[int]:
    """The ids of three images, of which the last one is not in the pool."""
    states = (ImageState.POOL, ImageState.POOL, ImageState.DISCARDED)
    with party.catalogue.writing() as session:
        images = [
            make_image(digest_of(state.value.encode() + b"%d" % number), NOON, state=state)
            for number, state in enumerate(states)
        ]
        session.add_all(images)
        session.flush()
        return [image.id for image in images]


def test_images_are_named_by_ids_or_by_a_query_and_come_in_the_order_of_their_ids(
    any_party: Party,
) -> None:
    first, second, third = add_images(any_party)
    for lock in (lock_images, lock_free_images):
        assert writing(any_party, lock, [third, first, 99]) == [first, third]
        assert writing(any_party, lock, IN_POOL) == [first, second]
        assert writing(any_party, lock, []) == []


def test_of_very_many_ids_all_images_are_locked(party: Party) -> None:
    ids = add_images(party)
    assert writing(party, lock_images, range(100_000)) == ids


@pytest.mark.postgres
def test_an_image_that_another_transaction_has_is_not_waited_for(
    tmp_path: Path, postgres_url: str
) -> None:
    values = {"catalogue": postgres_url}
    make_party(tmp_path / "party", name="Zoo", preset="voc2012", values=values)
    with open_party(tmp_path / "party") as party:
        first, second, _third = add_images(party)
        with party.catalogue.writing() as session, party.catalogue.writing() as other:
            assert lock_images(session, [first]) == [first]
            assert lock_free_images(other, IN_POOL) == [second]
            assert lock_free_images(session, [first, second]) == [first]
        assert writing(party, lock_free_images, IN_POOL) == [first, second]
