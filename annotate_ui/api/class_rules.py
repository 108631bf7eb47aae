"""The guidelines of a party with many classes: what holds for all, and each rule on request."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from catalog.preset import ClassSpec

MOST_AT_ONCE = 40
"""With more classes, a page shows the rules that are searched for, as its lists do."""
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")


def has_many(classes: Sequence[ClassSpec]) -> bool:
    """Whether lists of classes show a part of them at a time."""
    return len(classes) > MOST_AT_ONCE


def split_rules(markdown: str, classes: Sequence[ClassSpec]) -> tuple[str, dict[str, str]]:
    """The Markdown without the sections that are headed by a class, and these by its name."""
    names = {word.casefold(): item.name for item in classes for word in (item.name, item.display)}
    general = list[str]()
    rules = dict[str, list[str]]()
    part = general
    is_code = False
    for line in markdown.splitlines():
        is_code ^= _FENCE.match(line) is not None
        heading = None if is_code else _HEADING.match(line)
        if heading:
            name = names.get(heading[1].casefold())
            part = general if name is None else rules.setdefault(name, [])
        part.append(line)
    return "\n".join(general), {name: "\n".join(lines) for name, lines in rules.items()}


def find_rules(rules: Mapping[str, str], classes: Sequence[ClassSpec], typed: str) -> list[str]:
    """The rules of classes whose words hold the typed letters; those that begin so come first."""
    wanted = _plain(typed)
    begins = list[str]()
    holds = list[str]()
    for item in classes:
        words = [_plain(word) for word in (item.display, item.name)]
        if item.name in rules and any(wanted in word for word in words):
            is_first = any(word.startswith(wanted) for word in words)
            (begins if is_first else holds).append(rules[item.name])
    return [*begins, *holds][:MOST_AT_ONCE]


def _plain(text: str) -> str:
    """The text in small letters and without accents."""
    decomposed = unicodedata.normalize("NFD", text.strip())
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign)).casefold()
