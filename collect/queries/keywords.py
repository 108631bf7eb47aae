"""Further queries of a class: suggested, or written into party.toml."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from catalog.hierarchy import Node
from catalog.party import Party
from catalog.preset import ClassSpec, Preset
from catalog.settings import FILE_NAME, parse_settings
from catalog.states import NodeKind
from catalog.validation import read_text
from vockit.errors import SettingsError
from vockit.format.whole_file import write_whole

MOST_PAIRS = 40
"""Of a class with other ones; a preset may have a thousand classes."""


class QueryKind(StrEnum):
    """How a query comes from its class; the words are those that reports show."""

    NAME = "name"
    PLURAL = "plural"
    SYNONYM = "synonym"
    PARENT = "parent"
    PAIR = "pair"
    TRANSLATION = "translation"
    HAND_WRITTEN = "hand-written"


@dataclass(frozen=True)
class Suggestion:
    """A query, and why it may find the class: "plural", "with Pets", "with lion", "German"."""

    keyword: str
    why: str
    kind: QueryKind


def suggest(preset: Preset, spec: ClassSpec) -> list[Suggestion]:
    """Queries that the class does not have, each once; pairs with classes of its groups first."""
    name = spec.display
    groups = _find_groups(preset, spec)
    others = [other for other in preset.classes if other.name != spec.name]
    others.sort(key=lambda other: not _find_groups(preset, other) & groups)
    pairs = [other.display for other in others[:MOST_PAIRS]]
    listed = [
        Suggestion(name, "the class itself", QueryKind.NAME),
        Suggestion(make_plural(name), "plural", QueryKind.PLURAL),
        *(Suggestion(word, "synonym", QueryKind.SYNONYM) for word in _list_synonyms(spec)),
        *(
            Suggestion(f"{name} {parent}", f"with {parent}", QueryKind.PARENT)
            for parent in _list_parents(preset, spec)
        ),
        *(Suggestion(f"{name} {pair}", f"with {pair}", QueryKind.PAIR) for pair in pairs),
        *(
            Suggestion(word, language, QueryKind.TRANSLATION)
            for word, language in _list_translations(spec)
        ),
    ]
    known = {keyword.casefold() for keyword in spec.queries}
    suggestions: dict[str, Suggestion] = {}
    for suggestion in listed:
        if suggestion.keyword.casefold() not in known:
            suggestions.setdefault(suggestion.keyword.casefold(), suggestion)
    return list(suggestions.values())


def find_kinds(
    preset: Preset, asked: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], QueryKind]:
    """How queries come from their classes: by name and keyword, of classes of the preset."""
    specs = {spec.name: spec for spec in preset.classes}
    displays = {spec.display.casefold() for spec in preset.classes}
    return {
        (name, keyword): _find_kind(preset, specs[name], keyword.casefold(), displays)
        for name, keyword in asked
        if name in specs
    }


def _find_kind(preset: Preset, spec: ClassSpec, word: str, displays: Collection[str]) -> QueryKind:
    """The kind of a query in small letters; `displays` are what all classes are called."""
    name = spec.display.casefold()
    if word in (name, spec.name.casefold()):
        return QueryKind.NAME
    of_kinds = {
        QueryKind.PLURAL: [make_plural(spec.display)],
        QueryKind.SYNONYM: _list_synonyms(spec),
        QueryKind.PARENT: [f"{name} {parent}" for parent in _list_parents(preset, spec)],
        QueryKind.TRANSLATION: [translation for translation, _ in _list_translations(spec)],
    }
    for kind, words in of_kinds.items():
        if word in map(str.casefold, words):
            return kind
    rest = word.removeprefix(f"{name} ") if word.startswith(f"{name} ") else word
    rest = word.removesuffix(f" {name}") if rest == word else rest
    is_pair = rest != word and rest in displays
    return QueryKind.PAIR if is_pair else QueryKind.HAND_WRITTEN


def _list_synonyms(spec: ClassSpec) -> list[str]:
    """The other words for the class: those of the preset, then those of the word lists."""
    return [*spec.synonyms, *_load_words()["synonyms"].get(spec.name, ())]


def _list_parents(preset: Preset, spec: ClassSpec) -> list[str]:
    """The groups above the class, in small letters as words of a search."""
    above = _find_groups(preset, spec)
    return [group.display.casefold() for group in preset.groups if group.key in above]


def _find_groups(preset: Preset, spec: ClassSpec) -> set[str]:
    """The ids of all groups above the class."""
    above = preset.hierarchy.ancestors[Node(NodeKind.CLASS, spec.key)]
    return {node.key for node in above if node.kind is NodeKind.GROUP}


def _list_translations(spec: ClassSpec) -> list[tuple[str, str]]:
    """The words of the class in other languages, each with its language."""
    words = _load_words()
    translations = words["translations"].get(spec.name, ())
    return list(zip(translations, words["languages"], strict=False))


def has_words(spec: ClassSpec) -> bool:
    """Whether the preset has synonyms of the class, or the word lists synonyms or translations."""
    return bool(_list_synonyms(spec) or _list_translations(spec))


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
