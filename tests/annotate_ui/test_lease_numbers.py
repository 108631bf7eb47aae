from __future__ import annotations

from itertools import pairwise

from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from annotate_ui.blind import FIRST_LEASE_ID
from annotate_ui.lease_numbers import seal, unseal
from annotate_ui.schemas import MAX_ID


def make_app(key: str = "a key") -> Flask:
    app = Flask(__name__)
    app.secret_key = key
    return app


@given(st.integers(0, MAX_ID))
def test_what_is_sealed_comes_back(number: int) -> None:
    with make_app().app_context():
        assert 0 <= seal(number) <= MAX_ID
        assert unseal(seal(number)) == number
        assert seal(unseal(number)) == number


def test_a_blind_lease_cannot_be_told_from_any_other() -> None:
    with make_app().app_context():
        plain = [seal(number) for number in range(1, 2001)]
        blind = [seal(FIRST_LEASE_ID + number) for number in range(1, 2001)]
    assert len({*plain, *blind}) == 4000
    for numbers in (plain, blind):  # both lie anywhere, and follow no order
        assert 0.45 < sum(number > MAX_ID / 2 for number in numbers) / 2000 < 0.55
        rises = sum(one < other for one, other in pairwise(numbers))
        assert 0.45 < rises / 1999 < 0.55


def test_another_party_has_other_numbers() -> None:
    with make_app().app_context():
        here = seal(7)
    with make_app("another key").app_context():
        assert seal(7) != here
