"""Text is fitted to what the kit and XML parsers read alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from export.voc.text import fit_text, is_plain_text, is_tag, is_word

FITTED = [
    ("The Zoo Database", "The Zoo Database"),
    ("Tom & Jerry", "Tom and Jerry"),
    ("R&D", "R and D"),
    ("<b>bold</b>", "(b)bold(/b)"),
    ("  two\n\tlines ", "two lines"),
    ("no\u00a0break\u2028here", "no break here"),
    ("a\x00b\x0bc\ufffe", "a b c"),
    ("lone \ud800 half", "lone half"),
    ("Zoë 猫 🐈", "Zoë 猫 🐈"),
    ("&", "and"),
    ("\x07", ""),
]


@pytest.mark.parametrize(("text", "fitted"), FITTED)
def test_text_is_fitted(text: str, fitted: str) -> None:
    assert fit_text(text) == fitted


@given(st.text())
def test_fitted_text_is_plain_or_empty_and_stays(text: str) -> None:
    fitted = fit_text(text)
    assert fit_text(fitted) == fitted
    assert is_plain_text(fitted) or not fitted


def test_words_have_no_white_space_and_tags_are_field_names() -> None:
    assert is_word("pottedplant")
    assert not is_word("potted plant")
    assert not is_word("a&b")
    assert not is_word("")
    assert is_tag("ridingbike")
    assert not is_tag("2far")
    assert not is_tag("x" * 64)
