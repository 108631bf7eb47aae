"""Which queries a text answers: the rule itself, and the faster way that passes over most texts."""

from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collect.source_table.words import make_matcher, make_sieve, split_words

QUERIES = ("cat", "black cat", "dog", "Straße", "fussball", "猫", "café au lait", "4x4")
STREETS = ("strasse", "STRASSE", "Straße", "Fußball", "FUẞBALL")
WORDS = ("cat", "CAT", "cats", "black", "dog", *STREETS, "猫", "café", "au")
TEXTS = st.lists(
    st.sampled_from([*WORDS, "lait", "4x4", "2C", "é", "", "a_b", "dog2"]), max_size=6
).flatmap(
    lambda words: st.sampled_from([" ", ",", "-", "_", ", ", "+", "%", ""]).map(
        lambda between: between.join(words)
    )
)


def list_answered(text: str) -> list[int]:
    """The queries all of whose words the text has, by the rule as it is told."""
    there = set(split_words(text))
    return [number for number, query in enumerate(QUERIES) if there >= set(split_words(query))]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A black_cat, running!", ["a", "black", "cat", "running"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("猫 4x4", ["猫", "4x4"]),
        ("", []),
        ("__ -- !!", []),
    ],
)
def test_words_are_letters_and_digits_without_case(text: str, words: list[str]) -> None:
    assert split_words(text) == words


@pytest.mark.parametrize(
    ("text", "answered"),
    [
        ("my cat", ["cat"]),
        ("a Cat, all BLACK", ["cat", "black cat"]),
        ("concatenate, cats, blackcat", []),
        ("die strasse", ["Straße"]),
        ("STRASSE", ["Straße"]),
        ("CAFÉ-au-lait", ["café au lait"]),
        ("cafe au lait", []),
        ("二匹の 猫 です", ["猫"]),
        ("", []),
    ],
)
def test_a_text_answers_the_queries_all_of_whose_words_it_has(
    text: str, answered: list[str]
) -> None:
    match = make_matcher(QUERIES, is_encoded=False)
    assert [QUERIES[number] for number in match(text.encode())] == answered


@given(TEXTS)
def test_a_plain_text_answers_by_the_rule(text: str) -> None:
    assert list(make_matcher(QUERIES, is_encoded=False)(text.encode())) == list_answered(text)


@given(TEXTS)
def test_an_encoded_text_answers_by_the_rule(text: str) -> None:
    match = make_matcher(QUERIES, is_encoded=True)
    for encode in (quote, quote_plus):
        assert list(match(encode(text).encode())) == list_answered(text)


ASCII_QUERIES = tuple(query for query in QUERIES if query.isascii())


@given(st.lists(TEXTS, max_size=8), st.sampled_from([QUERIES, ASCII_QUERIES]))
def test_no_text_among_many_is_passed_over_that_answers_a_query(
    texts: list[str], queries: tuple[str, ...]
) -> None:
    for encode, is_encoded in ((str, False), (quote, True), (quote_plus, True)):
        encoded = [encode(text).encode() for text in texts]
        match = make_matcher(queries, is_encoded=is_encoded)
        answering = {place for place, text in enumerate(encoded) if match(text)}
        assert answering <= set(make_sieve(queries, is_encoded=is_encoded)(encoded))


def test_texts_without_a_word_of_a_query_are_passed_over() -> None:
    sift = make_sieve(ASCII_QUERIES, is_encoded=True)
    texts = [b"a+bird", b"the%2Ccat", b"concatenate", b"", b"DOG", b"%2", b"%zzcat", b"% cat"]
    assert list(sift(texts)) == [1, 4, 7]
    assert list(sift([])) == []


def test_bytes_that_are_no_utf_8_divide_words() -> None:
    match = make_matcher(QUERIES, is_encoded=False)
    assert list(match(b"caf\xe9 dog\xff")) == [QUERIES.index("dog")]
    assert list(make_matcher(QUERIES, is_encoded=True)(b"dog%FFcat")) == [0, 2]
