"""Further queries of a class: suggested, or written into party.toml."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from catalog.party import Party
from catalog.preset import ClassSpec, Preset
from catalog.settings import FILE_NAME, parse_settings
from catalog.validation import read_text
from vockit.errors import SettingsError
from vockit.format.whole_file import write_whole


@dataclass(frozen=True)
class Suggestion:
    """A query, and why it may find the class: "plural", "synonym", "with lion", "German"."""

    keyword: str
    why: str


def suggest(preset: Preset, spec: ClassSpec) -> list[Suggestion]:
    """Queries that the class does not have, each once."""
    words = _load_words()
    name = spec.display
    others = [other.display for other in preset.classes if other.name != spec.name]
    listed = [
        (name, "the class itself"),
        (make_plural(name), "plural"),
        *((synonym, "synonym") for synonym in words["synonyms"].get(spec.name, ())),
        *((f"{name} {other}", f"with {other}") for other in others),
        *zip(words["translations"].get(spec.name, ()), words["languages"], strict=False),
    ]
    known = {keyword.casefold() for keyword in spec.queries}
    suggestions: dict[str, Suggestion] = {}
    for word, why in listed:
        if word.casefold() not in known:
            suggestions.setdefault(word.casefold(), Suggestion(word, why))
    return list(suggestions.values())


def has_words(spec: ClassSpec) -> bool:
    """Whether the word lists have synonyms or translations of the class."""
    words = _load_words()
    return spec.name in words["synonyms"] or spec.name in words["translations"]


def get_class(preset: Preset, name: str) -> ClassSpec:
    """The class of this name; raises SettingsError."""
    spec = preset.find_class(name)
    if spec is None:
        known = ", ".join(preset.class_names)
        raise SettingsError(f"There is no class {name!r}; the preset has: {known}.")
    return spec


def make_plural(word: str) -> str:
    """The English plural of a word, by the rules of its ending."""
    irregular: str | None = _load_words()["plurals"].get(word)
    if irregular is not None:
        return irregular
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return f"{word}es"
    is_ies = word.endswith("y") and word[-2:-1] not in tuple("aeiou")
    return f"{word[:-1]}ies" if is_ies else f"{word}s"


@cache
def _load_words() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))


_HEAD = "[collect.queries]"


def add_queries(party: Party, class_name: str, keywords: Sequence[str]) -> tuple[str, ...]:
    """The keywords that the class did not have, which party.toml holds now."""
    spec = get_class(party.preset, class_name)
    new = tuple(dict.fromkeys(word for word in keywords if word and word not in spec.queries))
    path = party.folder / FILE_NAME
    text = read_text(path)
    before = dict(tomllib.loads(text).get("collect", {}).get("queries", {}))
    wanted = {**before, class_name: [*before.get(class_name, []), *new]}
    changed = _put_line(text, class_name, wanted[class_name])
    try:  # it may be written otherwise than line by line
        queries = parse_settings(changed, origin=str(path)).collect.queries
        is_right = {name: list(words) for name, words in queries.items()} == wanted
    except SettingsError:
        is_right = False
    if not is_right:
        raise SettingsError(f"{path} cannot be changed safely; add them under {_HEAD} by hand.")
    write_whole(path, changed.encode(), mode=0o600)
    return new


def _put_line(text: str, class_name: str, keywords: Sequence[str]) -> str:
    """The file with the line of the class, in its table, which is made where there is none."""
    line = f"{json.dumps(class_name)} = {json.dumps(list(keywords), ensure_ascii=False)}"
    if _HEAD not in text:
        return f"{text.rstrip()}\n\n{_HEAD}\n{line}\n"
    head, _, rest = text.partition(_HEAD)
    table, bracket, more = rest.partition("\n[")
    old = re.compile(rf"^[ \t]*\"?{re.escape(class_name)}\"?[ \t]*=.*\n?", re.MULTILINE)
    table = f"{old.sub('', table).rstrip()}\n{line}\n"
    return f"{head}{_HEAD}{table}{bracket}{more}"
