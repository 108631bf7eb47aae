"""Checked words and lines of settings and presets, and the sentence on what is wrong with them."""

from dataclasses import field
from pathlib import Path
from typing import Any

import pytest
from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from catalog.validation import (
    FileWord,
    Line,
    TagWord,
    ViewWord,
    describe_first_error,
    parse_toml,
    read_text,
)
from vockit.errors import SettingsError

KNOWN_KEYS_ONLY = ConfigDict(extra="forbid")


@dataclass(frozen=True, config=KNOWN_KEYS_ONLY)
class Meal:
    dish: str
    grams: int = 0


@dataclass(frozen=True, config=KNOWN_KEYS_ONLY)
class Menu:
    name: str
    meals: tuple[Meal, ...] = field(default=(), kw_only=True)


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        (FileWord, "2-cats_b.c"),
        (FileWord, "a" * 100),
        (ViewWord, "Top-left_1"),
        (ViewWord, "a" * 63),
        (TagWord, "riding_horse2"),
        (TagWord, "a" * 63),
        (Line, "A Katze's, größer: 猫"),
        (Line, "a" * 200),
    ],
)
def test_a_word_at_the_limit_is_taken_as_it_is(kind: Any, word: str) -> None:
    assert TypeAdapter(kind).validate_python(word) == word


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (
            FileWord,
            ["", "a" * 101, "a cat", ".cat", "-cat", "_cat", "Käfer", "cat\n", "a/b", "a\\b"],
        ),
        (ViewWord, ["", "a" * 64, "2nd", "a.b", "top left", "Höhe", "Left\n"]),
        (TagWord, ["", "a" * 64, "2nd", "a.b", "a-b", "xml:a", "a b", "walking\n"]),
        (
            Line,
            ["", " ", "a" * 201, " cat", "cat ", "a  cat", "a\tcat", "a\ncat", "cat\n", "a\x7f"],
        ),
    ],
)
def test_a_word_that_files_cannot_hold_is_refused(kind: Any, words: list[str]) -> None:
    adapter: TypeAdapter[str] = TypeAdapter(kind)
    for word in words:
        with pytest.raises(ValidationError, match="expected one"):
            adapter.validate_python(word)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({}, "the key name is missing."),
        ({"name": 3}, "name = 3 is wrong: input should be a valid string."),
        ({"name": "Noon", "meals": 3}, "meals = 3 is wrong: input should be a list."),
        ({"name": "Noon", "meals": ({},)}, "the key meals.0.dish is missing."),
        (
            {"name": "Noon", "meals": ({"dish": ["soup"]},)},
            "meals.0.dish = ['soup'] is wrong: input should be a valid string.",
        ),
        ({"nmae": "Noon"}, "there is no key nmae; known are: name, meals. Did you mean name?"),
        (
            {"name": 3, "meals": ({"dish": "soup", "gram": 200},)},
            "there is no key meals.0.gram; known are: dish, grams. Did you mean grams?",
        ),
        ({"name": "Noon", "wine": "red"}, "there is no key wine; known are: name, meals."),
    ],
)
def test_the_first_mistake_is_told_in_one_sentence(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Menu).validate_python(values)
    assert describe_first_error(caught.value, Menu) == sentence


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_is_read_in_each_encoding_that_marks_itself(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "party.toml"
    path.write_text("name = 'Käfer'", encoding)
    assert parse_toml(read_text(path), "party.toml") == {"name": "Käfer"}


def test_a_file_that_is_no_text_missing_or_no_toml_is_named(tmp_path: Path) -> None:
    path = tmp_path / "party.toml"
    with pytest.raises(SettingsError, match=r"party\.toml cannot be read: No such file"):
        read_text(path)
    path.write_bytes(b"name = '\xff'")
    with pytest.raises(SettingsError, match=r"party\.toml is not UTF-8"):
        read_text(path)
    with pytest.raises(SettingsError, match=r"^party\.toml is not valid TOML: "):
        parse_toml("name = ", "party.toml")
