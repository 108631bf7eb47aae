"""flickr.photos.search over a library: filter, rank, page. Pure; knows nothing of replies."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from .criteria import Criteria, Paging, Span
from .failures import UNKNOWN_USER, make_failure
from .library import Ints, Library, Mask

MAX_DISTINCT = 4000
"""Flickr returns "at most the first 4,000 results for any given search query"."""


@dataclass(frozen=True)
class Page:
    """One page of a search; `total` and `pages` count all that matched, beyond the 4,000 too."""

    page: int
    per_page: int
    total: int
    positions: tuple[int, ...]

    @property
    def pages(self) -> int:
        """How many pages Flickr says there are."""
        return ceil(self.total / self.per_page)


def search(library: Library, criteria: Criteria, paging: Paging) -> Page:
    """One page of the records that fit, best first. Raises FlickrFailure for an unknown user."""
    ranked = _rank(library, criteria, _filter(library, criteria))
    start = (paging.page - 1) * paging.per_page
    stop = min(start + paging.per_page, len(ranked))
    distinct = min(len(ranked), MAX_DISTINCT)
    positions = tuple(int(ranked[slot % distinct]) for slot in range(start, stop))
    return Page(paging.page, paging.per_page, len(ranked), positions)


def _filter(library: Library, criteria: Criteria) -> Ints:
    low, high = _upload_range(library, criteria.uploaded_secs)
    fits = _picture_mask(library, criteria)[library.picture[low:high]]
    fits &= _span_mask(library.taken[low:high], criteria.taken_secs)
    if criteria.licence_ids is not None:
        fits &= np.isin(library.licence[low:high], list(criteria.licence_ids))
    if criteria.user_id is not None:
        fits &= library.owner[low:high] == _owner_number(library, criteria.user_id)
    return low + np.flatnonzero(fits)


def _upload_range(library: Library, span: Span) -> tuple[int, int]:
    first, last = span
    low = 0 if first is None else int(np.searchsorted(library.uploaded, first, "left"))
    high = len(library) if last is None else int(np.searchsorted(library.uploaded, last, "right"))
    return low, max(low, high)


def _span_mask(values: Ints, span: Span) -> Mask:
    first, last = span
    fits = np.ones(len(values), dtype=np.bool_)
    if first is not None:
        fits &= values >= first
    if last is not None:
        fits &= values <= last
    return fits


def _picture_mask(library: Library, criteria: Criteria) -> Mask:
    """Which pictures may be shown; without signing in only safe ones are (safe_search)."""
    index, traits = library.index, library.traits
    fits = traits.is_safe & np.isin(
        traits.content_type, [int(kind) for kind in criteria.content_types]
    )
    if criteria.media == "videos":
        fits[:] = False
    if criteria.must_have_place is not None:
        fits &= traits.has_place == criteria.must_have_place
    if criteria.words:
        fits &= _as_mask(index.with_words(criteria.words), len(fits))
    if criteria.tags:
        tagged = index.with_tags(criteria.tags, must_all=criteria.must_all_tags)
        fits &= _as_mask(tagged, len(fits))
    fits[list(index.with_any_word(criteria.words_excluded))] = False
    fits[list(index.with_tags(criteria.tags_excluded, must_all=False))] = False
    return fits


def _as_mask(numbers: set[int], length: int) -> Mask:
    mask = np.zeros(length, dtype=np.bool_)
    mask[list(numbers)] = True
    return mask


def _owner_number(library: Library, nsid: str) -> int:
    number = library.find_owner_number(nsid)
    if number is None:
        raise make_failure(UNKNOWN_USER)
    return number


def _rank(library: Library, criteria: Criteria, positions: Ints) -> Ints:
    newest_first = positions[::-1]
    if criteria.sort == "date-posted-asc":
        return positions
    if criteria.sort.startswith("date-taken"):
        return _rank_by(library.taken, newest_first, descending=criteria.sort.endswith("desc"))
    if criteria.sort.startswith("interestingness"):
        return _rank_by(library.views, newest_first, descending=criteria.sort.endswith("desc"))
    if criteria.sort == "relevance":
        return _rank_by_relevance(library, criteria, newest_first)
    return newest_first


def _rank_by(values: Ints, positions: Ints, *, descending: bool) -> Ints:
    keys = values[positions]
    return positions[np.argsort(-keys if descending else keys, kind="stable")]


def _rank_by_relevance(library: Library, criteria: Criteria, positions: Ints) -> Ints:
    words = (*criteria.words, *criteria.tags)
    scores = np.zeros(len(library.pictures), dtype=np.int64)
    for number in np.unique(library.picture[positions]):
        scores[number] = library.index.relevance(int(number), words)
    return positions[np.argsort(-scores[library.picture[positions]], kind="stable")]
