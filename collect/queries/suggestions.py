"""Queries that a class may be given: plurals, synonyms, pairs of classes, translations.

Nothing is added by itself; the words are in words.toml.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from catalog.preset import ClassSpec, Preset


@dataclass(frozen=True)
class Suggestion:
    """A query, and why it may find the class: "plural", "synonym", "with lion", "German"."""

    keyword: str
    why: str


def suggest(preset: Preset, spec: ClassSpec) -> list[Suggestion]:
    """Queries that the class does not have, each once."""
    known = {keyword.casefold() for keyword in spec.queries}
    found: dict[str, Suggestion] = {}
    for one in _list_all(preset, spec):
        if one.keyword.casefold() not in known:
            found.setdefault(one.keyword.casefold(), one)
    return list(found.values())


def make_plural(word: str) -> str:
    """The English plural of a word, by the rules of its ending."""
    irregular: str | None = _load_words()["plurals"].get(word)
    if irregular is not None:
        return irregular
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return f"{word}es"
    is_ies = word.endswith("y") and word[-2:-1] not in tuple("aeiou")
    return f"{word[:-1]}ies" if is_ies else f"{word}s"


def _list_all(preset: Preset, spec: ClassSpec) -> Iterator[Suggestion]:
    words = _load_words()
    yield Suggestion(spec.display, "the class itself")
    yield Suggestion(make_plural(spec.display), "plural")
    for synonym in words["synonyms"].get(spec.name, ()):
        yield Suggestion(synonym, "synonym")
    for other in preset.classes:
        if other.name != spec.name:
            yield Suggestion(f"{spec.display} {other.display}", f"with {other.display}")
    languages, translations = words["languages"], words["translations"].get(spec.name, [])
    for language, word in zip(languages, translations, strict=False):
        yield Suggestion(word, language)


@cache
def _load_words() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))
