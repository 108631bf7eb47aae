"""People who call everything right are found, and attentive ones are not."""

import random

import pytest

from catalog.states import Said
from qa.verifiers import (
    measure_verifier,
)


@pytest.mark.parametrize(
    ("passed", "wrong", "is_suspect"),
    [(4, 4, False), (5, 5, True), (2, 5, False), (3, 5, True), (5, 25, False), (9, 20, True)],
)
def test_nobody_is_accused_for_few_answers_or_for_what_chance_makes(
    passed: int, wrong: int, is_suspect: bool
) -> None:
    answers = {
        (Said.PART, Said.RIGHT): passed,
        (Said.WRONG, Said.WRONG): wrong - passed,
        (None, Said.RIGHT): 50,
        (Said.RIGHT, Said.WRONG): 1,
        (Said.RIGHT, Said.RIGHT): 3,
    }
    person = measure_verifier(1, answers, 1000)
    assert person.is_suspect is is_suspect
    assert (person.passed.count, person.refused.value) == (wrong, 0.25)


def test_simulated_people_who_err_rarely_are_hardly_ever_accused() -> None:
    lots = random.Random(3)
    accused = 0
    for _ in range(500):
        passed = sum(lots.random() < 0.1 for _ in range(20))
        answers: dict[tuple[Said | None, Said], int] = {
            (Said.WRONG, Said.RIGHT): passed,
            (Said.WRONG, Said.WRONG): 20 - passed,
        }
        accused += measure_verifier(1, answers, 1000).is_suspect
    assert accused <= 5
