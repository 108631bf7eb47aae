from __future__ import annotations

import pytest

from simulate.flickr.search import (
    MAX_DISTINCT,
    Criteria,
    FlickrFailure,
    Library,
    parse_criteria,
    search,
)

from .making import make_copy, make_photo


def found(library: Library, criteria: Criteria, page: int = 1, per_page: int = 500) -> list[int]:
    photos = search(library, criteria, page, per_page).photos
    return [photo.id - 90_000_000_000 for photo in photos]


@pytest.mark.parametrize(
    "args",
    [
        {"min_upload_date": "yesterday"},
        {"text": "a", "sort": "newest"},
        {"license": "cc-by"},
        {"license": "9" * 30},
        {"text": "a", "tags": "cat"},
        {"text": "a", "bbox": "1"},
        {"text": "a", "safe_search": "0"},
    ],
)
def test_what_the_stand_in_cannot_do_is_refused_and_not_ignored(args: dict[str, str]) -> None:
    with pytest.raises(FlickrFailure) as refusal:
        parse_criteria(args)
    assert refusal.value.code == 18


def test_all_words_must_occur_in_title_description_or_tags() -> None:
    library = Library(
        [
            make_photo(1, title="A Cat", description="in the <b>Living</b>", tags=("room",)),
            make_photo(2, title="cat", description="living"),
            make_photo(3, title="catalogue", tags=("living room",)),
        ]
    )
    assert found(library, Criteria(words=("cat", "living", "room"))) == [1]
    assert found(library, Criteria(words=("living", "room"))) == [3, 1]


def test_pages_after_4000_results_repeat_earlier_ones_while_the_total_claims_all() -> None:
    library = Library([make_copy(make_photo(), number, 0) for number in range(4500)])
    pages = [search(library, Criteria(), number, 500) for number in range(1, 11)]
    assert {page.total for page in pages} == {4500}
    assert {page.pages for page in pages} == {9}
    assert len({photo.id for page in pages for photo in page.photos}) == MAX_DISTINCT
    assert pages[8].photos == pages[0].photos
    assert pages[9].photos == ()
