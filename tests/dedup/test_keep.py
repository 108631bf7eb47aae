"""An organiser keeps the other image of a pair instead."""

from __future__ import annotations

import pytest

from catalog.image_store import digest_of
from catalog.party import Party
from catalog.states import ImageState, Role
from catalog.tables import Person
from dedup.jobs import remove_duplicates
from dedup.labels import keep_instead
from dedup.pairs import LabelError

from .images import NOON, add_hashed, clock, load_duplicates, load_states, set_state


def swap(party: Party, image_id: int, kept_id: int) -> None:
    with party.catalogue.writing() as session:
        person = session.query(Person).first() or Person(
            name="olga", role=Role.ORGANISER, credential_sha256=digest_of(b"o"), created_at=NOON
        )
        session.add(person)
        session.flush()
        keep_instead(session, image_id, kept_id, person_id=person.id, at=NOON)


def test_the_other_image_is_kept_and_stands_for_all_copies(party: Party) -> None:
    first, second, third = (add_hashed(party, 0) for _ in range(3))
    remove_duplicates(party, workers=1, clock=clock)
    swap(party, second, first)
    assert load_duplicates(party) == {first: second, third: second}
    assert load_states(party)[second] == "pool"
    remove_duplicates(party, workers=1, clock=clock)
    assert load_duplicates(party) == {first: second, third: second}


def test_an_image_that_people_work_on_stays(party: Party) -> None:
    first, second = add_hashed(party, 0), add_hashed(party, 0)
    remove_duplicates(party, workers=1, clock=clock)
    set_state(party, first, ImageState.ANNOTATING)
    with pytest.raises(LabelError, match="it stays"):
        swap(party, second, first)
