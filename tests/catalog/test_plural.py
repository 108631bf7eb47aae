from __future__ import annotations

import pytest

from catalog.plural import format_count, is_or_are


@pytest.mark.parametrize(
    ("number", "noun", "many", "told"),
    [
        (0, "image", "", "0 images are"),
        (1, "image", "", "1 image is"),
        (2, "image", "", "2 images are"),
        (1, "box", "boxes", "1 box is"),
        (17_125, "box", "boxes", "17,125 boxes are"),
    ],
)
def test_a_number_has_the_word_and_the_verb_that_go_with_it(
    number: int, noun: str, many: str, told: str
) -> None:
    assert f"{format_count(number, noun, many)} {is_or_are(number)}" == told
