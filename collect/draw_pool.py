"""What all threads draw from: rules, keywords, the number of the next draw, how dry it is."""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from catalog.settings import CollectSettings

from .licences import Licence
from .sampling import Keyword, seeded_generator
from .windows import Window


@dataclass(frozen=True)
class DrawRules:
    """What draws are made from: seed, range of dates, kept licences, the settings of collect."""

    seed: int
    first_draw: int
    span: Window
    licences: Mapping[str, Licence]
    settings: CollectSettings


class Chooser(Protocol):
    """Who says which keyword a draw is about."""

    def choose(self, rng: random.Random, keywords: Mapping[str, Sequence[Keyword]]) -> Keyword:
        """One of the keywords, of which there is at least one."""

    def count_found(self, keyword: Keyword, count: int) -> None:
        """Take note of how many photos a draw found."""


class DrawPool:
    """The keywords that can be drawn and the number of the next draw, shared by all threads."""

    def __init__(
        self, rules: DrawRules, keywords: Mapping[str, Sequence[Keyword]], chooser: Chooser
    ) -> None:
        self.rules = rules
        self._chooser = chooser
        self._keywords = {name: tuple(found) for name, found in keywords.items() if found}
        self._numbers = itertools.count(rules.first_draw)
        self._lock = threading.Lock()

    @property
    def is_empty(self) -> bool:
        """Whether no keyword is left."""
        return not self._keywords

    def draw(self) -> tuple[random.Random, Keyword] | None:
        """The next draw's generator and keyword, or None where no keyword is left."""
        with self._lock:
            if not self._keywords:
                return None
            rng = seeded_generator(self.rules.seed, next(self._numbers))
            return rng, self._chooser.choose(rng, self._keywords)

    def count_found(self, keyword: Keyword, count: int) -> None:
        """Take note of how many photos a draw of the keyword found."""
        with self._lock:
            self._chooser.count_found(keyword, count)

    def drop(self, keyword: Keyword) -> None:
        """Draw the keyword no more."""
        with self._lock:
            left = {
                name: tuple(one for one in found if one != keyword)
                for name, found in self._keywords.items()
            }
            self._keywords = {name: found for name, found in left.items() if found}


class Dryness:
    """How many draws in a row found nothing new, over all threads."""

    def __init__(self, most_in_a_row: int) -> None:
        self._most = most_in_a_row
        self._in_a_row = 0
        self._lock = threading.Lock()

    @property
    def is_dry(self) -> bool:
        """Whether further draws make no sense."""
        return self._in_a_row >= self._most

    def count(self, found: int) -> None:
        """Count one draw by what it found."""
        with self._lock:
            self._in_a_row = 0 if found else self._in_a_row + 1
