"""All records of the stand-in, and flickr.photos.search over them: by word, date and id.

Source: flickr.com/services/api/flickr.photos.search.html. Flickr quietly ignores an argument that
it cannot read; the stand-in refuses it (code 18), so that a mistake is seen.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from .photos import Availability, Photo
from .table import order_secs, parse_number, parse_time_secs

Span = tuple[int | None, int | None]  # two ends, both included; None leaves an end open


class Library:
    """The photos in order of upload, oldest first."""

    def __init__(self, photos: Iterable[Photo]) -> None:
        self.photos: Sequence[Photo] = sorted(
            photos, key=lambda photo: (photo.uploaded_secs, photo.id)
        )
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

    def find_public(self, text: str) -> Photo | None:
        """The public record of the id in this text; one deleted or private looks unknown."""
        number = parse_number(text)
        photo = None if number is None else self._by_id.get(number)
        return photo if photo and photo.availability is Availability.PUBLIC else None

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


MAX_DISTINCT = 4000
"""Flickr returns "at most the first 4,000 results for any given search query"."""

PARAMETERLESS = (
    "Parameterless searches have been disabled. Please use flickr.photos.getRecent instead."
)
LIMITING = (
    "text",
    "license",
    "min_upload_date",
    "max_upload_date",
    "min_taken_date",
    "max_taken_date",
)
"""A search needs one of these; without any it is "parameterless"."""

FIXED = {"media": "photos", "sort": "date-posted-desc", "safe_search": "1"}
"""Arguments with the one value that the stand-in knows."""

CALL = ("method", "api_key", "format", "nojsoncallback", "page", "per_page", "extras")
KNOWN = frozenset({*CALL, *LIMITING, *FIXED})


class FlickrFailure(Exception):
    """A call that Flickr refuses (flickr.com/services/api, "Error Codes" of each method)."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Criteria:
    """One search; no licences means any."""

    words: tuple[str, ...] = ()
    uploaded_secs: Span = (None, None)
    taken_secs: Span = (None, None)
    licence_ids: frozenset[int] = frozenset()

    def fit(self, photo: Photo) -> bool:
        """Whether a photo fits in all but its words and its upload."""
        first, last = self.taken_secs
        if first is not None or last is not None:
            taken = order_secs(photo.taken.at)
            if (first is not None and taken < first) or (last is not None and taken > last):
                return False
        return not self.licence_ids or photo.licence_id in self.licence_ids


@dataclass(frozen=True)
class Page:
    """One page of a search; `total` counts all matches, also those after the first 4,000."""

    page: int
    per_page: int
    total: int
    photos: tuple[Photo, ...]

    @property
    def pages(self) -> int:
        """The number of pages that Flickr claims."""
        return ceil(self.total / self.per_page)


def search(library: Library, criteria: Criteria, page: int, per_page: int) -> Page:
    """One page of the records that fit, newest upload first."""
    within = library.uploaded_in(criteria.uploaded_secs)
    positions = within if not criteria.words else library.with_words(criteria.words)
    fitting = [
        position
        for position in sorted(positions, reverse=True)
        if position in within and criteria.fit(library.photos[position])
    ]
    distinct = min(len(fitting), MAX_DISTINCT)
    slots = range((page - 1) * per_page, min(page * per_page, len(fitting)))
    photos = tuple(library.photos[fitting[slot % distinct]] for slot in slots)
    return Page(page, per_page, len(fitting), photos)


def parse_criteria(args: Mapping[str, str]) -> Criteria:
    """The search that the arguments ask for; raises FlickrFailure where Flickr would refuse."""
    unknown = sorted(name for name in args if name not in KNOWN and not name.startswith("oauth_"))
    if unknown:
        raise _illogical(f"the stand-in cannot search by {unknown[0]}")
    if not any(args.get(name, "").strip() for name in LIMITING):
        raise FlickrFailure(3, PARAMETERLESS)
    for name, only in FIXED.items():
        if args.get(name, only) not in ("", only):
            raise _illogical(f"{name} must be {only}, not {args[name]!r}")
    text = args.get("text", "")
    return Criteria(
        words=tuple(split_words(text)) or ((text,) if text.strip() else ()),
        uploaded_secs=(_parse_time(args, "min_upload_date"), _parse_time(args, "max_upload_date")),
        taken_secs=(_parse_time(args, "min_taken_date"), _parse_time(args, "max_taken_date")),
        licence_ids=_parse_licences(args.get("license", "")),
    )


def _parse_time(args: Mapping[str, str], name: str) -> int | None:
    if not args.get(name):
        return None
    try:
        return parse_time_secs(args[name])
    except ValueError as error:
        raise _illogical(f"{name}: {error}") from error


def _parse_licences(text: str) -> frozenset[int]:
    numbers = [parse_number(term.strip()) for term in text.split(",") if term.strip()]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        raise _illogical(f"license must be a list of numbers, not {text!r}")
    return frozenset(known)


def _illogical(why: str) -> FlickrFailure:
    return FlickrFailure(18, f"Illogical arguments ({why})")
