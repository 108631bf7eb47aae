"""Numbers in sentences."""

import pytest

from vockit.format.plural import format_count, is_or_are


@pytest.mark.parametrize(
    ("number", "noun", "many", "words"),
    [
        (0, "image", "", "0 images are"),
        (1, "image", "", "1 image is"),
        (2, "image", "", "2 images are"),
        (1, "box", "boxes", "1 box is"),
        (17_125, "box", "boxes", "17,125 boxes are"),
    ],
)
def test_noun_and_verb_agree_with_the_number(number: int, noun: str, many: str, words: str) -> None:
    assert f"{format_count(number, noun, many)} {is_or_are(number)}" == words
