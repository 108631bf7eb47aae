"""Sentences that remember their template and values."""

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.sentences import Sentence, list_places, name_term, put_together, say, take_apart

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
PLAIN = st.one_of(TEXTS, st.integers(), st.floats(allow_nan=False, allow_infinity=False))
VALUES = st.recursive(
    st.one_of(PLAIN, st.builds(name_term, TEXTS)),
    lambda values: st.one_of(
        st.lists(PLAIN, max_size=3), st.builds(lambda value: say("so {value}", value=value), values)
    ),
    max_leaves=4,
)


def test_a_sentence_is_its_english_text() -> None:
    sentence = say("Image {image_id} is {share:.1%} done.", image_id=3, share=0.125)
    assert sentence == "Image 3 is 12.5% done."
    assert sentence.template == "Image {image_id} is {share:.1%} done."
    assert sentence.values == {"image_id": 3, "share": 0.125}


def test_a_list_of_values_is_joined_by_commas() -> None:
    assert say("Choose one of: {words}.", words=["dog", name_term("cat")]) == (
        "Choose one of: dog, cat."
    )


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(KeyError, match="image_id"):
        say("Image {image_id} is not there.")


@given(TEXTS)
def test_a_term_is_the_word_itself_whatever_signs_it_has(word: str) -> None:
    assert name_term(word) == word


@given(VALUES)
def test_a_sentence_comes_back_from_the_catalogue_as_it_was(value: object) -> None:
    sentence = say("It is {value}.", value=value)  # type: ignore[arg-type]
    stored = json.loads(json.dumps(take_apart(sentence)))
    restored = put_together(str(sentence), stored)
    assert isinstance(restored, Sentence)
    assert (restored, take_apart(restored)) == (sentence, take_apart(sentence))
    assert take_apart(pickle.loads(pickle.dumps(sentence))) == take_apart(sentence)


def test_a_plain_text_is_stored_without_parts() -> None:
    assert take_apart("plain") is None
    assert put_together("plain", None) == "plain"


def test_the_places_of_a_template_are_its_names() -> None:
    assert list_places("{who} saw {count:.0f} of {count}; {{none}}") == ["count", "count", "who"]
