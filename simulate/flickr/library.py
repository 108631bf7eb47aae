"""All records of the stand-in, sorted by upload time, found by word, date and id."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence

from .photos import Photo

Span = tuple[int | None, int | None]
"""Two ends, both included; None leaves an end open."""


class Library:
    """The photos in order of upload, oldest first."""

    def __init__(self, photos: Iterable[Photo]) -> None:
        self.photos: Sequence[Photo] = sorted(photos, key=lambda it: (it.uploaded_secs, it.id))
        self._uploads = [photo.uploaded_secs for photo in self.photos]
        self._by_id = {photo.id: photo for photo in self.photos}
        self._by_word: dict[str, set[int]] = defaultdict(set)
        for position, photo in enumerate(self.photos):
            for text in (photo.title, photo.description, *photo.tags, *photo.normalised_tags):
                for word in split_words(text):
                    self._by_word[word].add(position)

    def __len__(self) -> int:
        return len(self.photos)

    def find(self, photo_id: int) -> Photo | None:
        """The record of this id."""
        return self._by_id.get(photo_id)

    def uploaded_in(self, span: Span) -> range:
        """The positions of the photos uploaded in a span."""
        first, last = span
        low = 0 if first is None else bisect_left(self._uploads, first)
        high = len(self.photos) if last is None else bisect_right(self._uploads, last)
        return range(low, max(low, high))

    def with_words(self, words: Sequence[str]) -> set[int]:
        """The positions of the photos with all of these words in title, description or tags."""
        return set.intersection(*(self._by_word.get(word, set()) for word in words))


def split_words(text: str) -> list[str]:
    """The words of a text, without case; a hyphen separates words."""
    return re.findall(r"[^\W_]+", text.casefold())
