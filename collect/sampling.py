"""What a draw decides by chance: class, query, moment, page, photographs.

After the paper, section 3.1: a query at random, an image at random among its matches, then a new
query. Every function takes the random generator, so a draw can be repeated from its seed.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from catalog.errors import SettingsError
from catalog.preset import Preset

T = TypeVar("T")

REACHABLE = 4000
"""Flickr gives at most this many results of one search, whatever it claims."""


@dataclass(frozen=True)
class Keyword:
    """A row of the table `query` that can be drawn."""

    query_id: int
    class_name: str
    text: str


def seeded_generator(seed: int, draw_number: int) -> random.Random:
    """The generator of one draw; draws do not disturb each other, whichever thread makes them."""
    return random.Random(f"{seed}/{draw_number}")  # noqa: S311  chance, not secrecy


def choose_classes(preset: Preset, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The keywords of each class to draw from: those named, or all that have keywords.

    Raises SettingsError for a class that the preset does not have or that has no keywords.
    """
    keywords = {spec.name: spec.queries for spec in preset.classes if spec.queries}
    unknown = sorted(set(names) - set(keywords))
    if unknown or not keywords:
        raise SettingsError(
            f"Nothing to search for: {unknown[0] if unknown else preset.name} has no queries; "
            f"expected classes of the preset {preset.name}: {', '.join(keywords)}."
        )
    return {name: keywords[name] for name in keywords if not names or name in names}


def draw_keyword(rng: random.Random, keywords: Mapping[str, Sequence[Keyword]]) -> Keyword:
    """One of the keywords: each class equally likely, then each keyword of it."""
    return rng.choice(keywords[rng.choice(sorted(keywords))])


def draw_photos(rng: random.Random, photos: Sequence[T], count: int) -> tuple[T, ...]:
    """At most `count` different photos, each equally likely."""
    return tuple(rng.sample(photos, min(count, len(photos))))
