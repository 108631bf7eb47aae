"""Which fields of a preset list its words, and that no two words of one list look the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .states import WordKind

FIELDS_OF_KINDS = {
    WordKind.CLASS: "classes",
    WordKind.GROUP: "groups",
    WordKind.VIEW: "views",
    WordKind.PART: "parts",
    WordKind.ACTION: "actions",
}
"""The fields of a Preset that list the words of each kind."""


def check_words(words: Mapping[str, Sequence[str]]) -> None:
    """Raises ValueError unless every list holds every word once, whatever its capitals.

    The lists are by their places, as `classes.{}.name`.
    """
    for key, listed in words.items():
        places: dict[str, int] = {}
        for index, word in enumerate(listed):
            first = places.setdefault(word.casefold(), index)
            if first != index:
                raise ValueError(
                    f"{key.format(index)} = {word!r} is wrong: expected a word that differs from "
                    f"{key.format(first)} in more than capitals"
                )
