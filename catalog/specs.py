"""What a preset says of a class and of a group."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, StrictBool
from pydantic.dataclasses import dataclass

from .validation import FileWord, Line

_strict = ConfigDict(extra="forbid")
_NOT_GIVEN = ("",)


@dataclass(frozen=True, config=_strict)
class ClassSpec:
    """One class: VOC's word for it, what a page says, its groups, its queries, what it has.

    `key` is its id, which rows and pages have; it stays when the class is called otherwise.
    """

    name: FileWord
    short_rule: Line = ""  # a sentence with the name, where it is not given
    display: Line = ""  # the name, where it is not given
    groups: tuple[Line, ...] = ()
    queries: tuple[Line, ...] = _NOT_GIVEN  # the display
    has_views: StrictBool = True
    has_parts: StrictBool = False
    has_actions: StrictBool = False
    key: FileWord = ""  # the name, where it is not given
    parents: tuple[Line, ...] = ()  # groups, by their names or ids
    words: Line = ""  # as "a cat" in a question; the display with its article
    synonyms: tuple[Line, ...] = ()
    examples: tuple[Line, ...] = ()

    def __post_init__(self) -> None:
        if not self.key:
            object.__setattr__(self, "key", self.name)
        if not self.display:
            object.__setattr__(self, "display", self.name)
        if not self.words:
            object.__setattr__(self, "words", add_article(self.display))
        if not self.short_rule:
            object.__setattr__(self, "short_rule", f"Every {self.display}.")
        if self.queries is _NOT_GIVEN:
            object.__setattr__(self, "queries", (self.display,))


@dataclass(frozen=True, config=_strict)
class GroupSpec:
    """A group of classes and of other groups, which may be below several; `key` as of a class.

    `words` are those of its question, as "an animal"; a group that only the paths of classes name
    has none, and its question has its display.
    """

    name: Line
    display: Line = ""  # the name, where it is not given
    parents: tuple[Line, ...] = ()  # groups, by their names or ids
    words: Line | Literal[""] = ""
    synonyms: tuple[Line, ...] = ()
    examples: tuple[Line, ...] = ()
    key: Line = ""  # the name, where it is not given

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", self.key or self.name)
        object.__setattr__(self, "display", self.display or self.name)

    @property
    def question_words(self) -> str:
        """What its question asks for."""
        return self.words or self.display


def add_article(display: str) -> str:
    """A word as a question has it: "a cat", "an owl"."""
    return f"{'an' if display[0].lower() in 'aeiou' else 'a'} {display}"
