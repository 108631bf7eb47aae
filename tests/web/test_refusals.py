"""Every refusal has its answer."""

from collections.abc import Iterator

import pytest

from annotate_ui.app import API_MODULES
from catalog.refusals import RefusedError, StaleError
from web.refusals import ANSWERS, get_answer


def list_kinds(kind: type[RefusedError]) -> Iterator[type[RefusedError]]:
    for child in kind.__subclasses__():
        yield child
        yield from list_kinds(child)


@pytest.mark.parametrize("name", API_MODULES.split())
def test_every_refusal_that_a_route_knows_has_a_status_and_a_code(name: str) -> None:
    __import__(f"annotate_ui.api.{name}")
    kinds = list(list_kinds(RefusedError))
    assert kinds
    for kind in kinds:
        answer = get_answer(kind)
        assert 400 <= answer.status < 600, kind
        assert answer.code.isidentifier(), kind


def test_codes_tell_all_refusals_of_the_table_apart() -> None:
    codes = [answer.code for answer in ANSWERS.values()]
    assert len(codes) == len(set(codes))


def test_a_special_refusal_is_answered_like_its_base_and_an_unknown_one_is_a_bug() -> None:
    special = type("SpecialError", (StaleError,), {})
    assert get_answer(special) == get_answer(StaleError)
    with pytest.raises(KeyError):
        get_answer(RefusedError)


def test_no_refusal_knows_a_status_of_http() -> None:
    assert not [kind for kind in list_kinds(RefusedError) if {"status", "code"} & vars(kind).keys()]
