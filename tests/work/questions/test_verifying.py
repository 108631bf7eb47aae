"""People who call everything right are found by what they say of gold crops."""

import random

import pytest

from qa.verifiers import (
    LEAST_WRONG,
    load_verification,
    load_verifiers,
)
from tests.annotate_ui.house import House

from .asking import add_verifier, answer_all


def test_people_who_accept_everything_are_found_and_attentive_ones_are_not(mixed: House) -> None:
    lots = random.Random(2)
    eager, attentive = (add_verifier(mixed, name) for name in ("eager", "attentive"))
    answer_all(eager, 1.0, lots)
    answer_all(attentive, 0.05, lots)
    with mixed.party.catalogue.reading() as session:
        people = {person.person_id: person for person in load_verifiers(session)}
        verification = load_verification(session)
    assert people[eager.id].is_suspect
    assert people[eager.id].passed.value == 1.0
    assert people[eager.id].passed.count >= LEAST_WRONG
    assert people[eager.id].secs == pytest.approx(1.5)
    assert not people[attentive.id].is_suspect
    assert verification is not None
    assert verification.confirmed == 40
