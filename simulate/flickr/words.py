"""Which pictures hold a word in title, description or tags."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from .photos import Photo, normalise_tag


def split_words(text: str) -> list[str]:
    """The words of a text, without case; a hyphen parts words."""
    return re.findall(r"[^\W_]+", text.casefold())


class WordIndex:
    """Finds pictures by their words and tags; a picture is known by its number."""

    def __init__(self, photos: Sequence[Photo]) -> None:
        self._words: dict[str, set[int]] = defaultdict(set)
        self._tags: dict[str, set[int]] = defaultdict(set)
        self._strong: dict[str, set[int]] = defaultdict(set)
        for number, photo in enumerate(photos):
            self._add(number, photo)

    def _add(self, number: int, photo: Photo) -> None:
        for text in (photo.title, photo.description, *photo.tags, *photo.normalised_tags):
            for word in split_words(text):
                self._words[word].add(number)
        for tag in photo.normalised_tags:
            self._tags[tag].add(number)
        for word in split_words(photo.title):
            self._strong[word].add(number)

    def with_words(self, words: Iterable[str]) -> set[int]:
        """The pictures in which all of these words occur."""
        return set.intersection(*(self._words.get(word, set()) for word in words))

    def with_any_word(self, words: Iterable[str]) -> set[int]:
        """The pictures in which one of these words occurs."""
        return set().union(*(self._words.get(word, set()) for word in words))

    def with_tags(self, tags: Iterable[str], *, must_all: bool) -> set[int]:
        """The pictures with one of these tags, or with all of them."""
        found = [self._tags.get(normalise_tag(tag), set()) for tag in tags]
        return set.intersection(*found) if must_all else set().union(*found)

    def relevance(self, number: int, words: Iterable[str]) -> int:
        """How well a picture fits the words: those in the title count three, tags two."""
        return sum(
            3 * (number in self._strong.get(word, ()))
            + 2 * (number in self._tags.get(word, ()))
            + (number in self._words.get(word, ()))
            for word in words
        )
