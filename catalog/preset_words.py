"""Which fields of a preset list its words, and that no two words of one list look the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .states import WordKind

if TYPE_CHECKING:
    from .preset import Preset

FIELDS_OF_KINDS = {
    WordKind.CLASS: "classes",
    WordKind.GROUP: "groups",
    WordKind.VIEW: "views",
    WordKind.PART: "parts",
    WordKind.ACTION: "actions",
}
"""The fields of a Preset that list the words of each kind."""


def check_words(preset: Preset) -> None:
    """Raises ValueError unless every list holds every word once, whatever its capitals.

    Car_train.txt and car_train.txt are one file on some disks. No other two names clash: a class
    `train` gives train_val.txt, never the train.txt of the whole set (VOC2011 devkit, 9.1).
    """
    words: dict[str, Sequence[str]] = {}
    for kind, listing in FIELDS_OF_KINDS.items():
        specs = preset.list_words(kind)
        words[f"{listing}.{{}}.name"] = [item.name for item in specs]
        words[f"{listing}.{{}}.key"] = [item.key for item in specs]
    words |= {
        "classes.{}.display": [item.display for item in preset.classes],
        "flags.{}.name": [item.name for item in preset.flags],
        "discard_reasons.{}.key": [item.key for item in preset.discard_reasons],
    }
    for index, item in enumerate(preset.classes):
        words[f"classes.{index}.queries.{{}}"] = item.queries
    for key, listed in words.items():
        places: dict[str, int] = {}
        for index, word in enumerate(listed):
            first = places.setdefault(word.casefold(), index)
            if first != index:
                raise ValueError(
                    f"{key.format(index)} = {word!r} is wrong: expected a word that differs from "
                    f"{key.format(first)} in more than capitals"
                )
