from __future__ import annotations

import pytest

from simulate.flickr.library import Library
from simulate.flickr.search import (
    MAX_DISTINCT,
    Criteria,
    FlickrFailure,
    parse_criteria,
    parse_paging,
    search,
)

from .making import DAY_SECS, START_SECS, make_copy, make_photo


def found(library: Library, criteria: Criteria, page: int = 1, per_page: int = 500) -> list[int]:
    photos = search(library, criteria, page, per_page).photos
    return [photo.id - 90_000_000_000 for photo in photos]


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"text": "Double-Decker bus"}, Criteria(words=("double", "decker", "bus"))),
        ({"text": "horse."}, Criteria(words=("horse",))),
        ({"license": "4, 5"}, Criteria(licence_ids=frozenset({4, 5}))),
        ({"min_upload_date": "100"}, Criteria(uploaded_secs=(100, None))),
        ({"max_upload_date": "1970-01-02"}, Criteria(uploaded_secs=(None, 86_400))),
        ({"max_taken_date": "1970-01-01 00:01:00"}, Criteria(taken_secs=(None, 60))),
        ({"text": "a", "media": "photos", "sort": "date-posted-desc"}, Criteria(words=("a",))),
    ],
)
def test_arguments_are_read_as_flickr_documents_them(
    args: dict[str, str], expected: Criteria
) -> None:
    assert parse_criteria(args) == expected


@pytest.mark.parametrize("args", [{}, {"text": "  "}, {"per_page": "10"}, {"media": "photos"}])
def test_a_parameterless_search_is_refused(args: dict[str, str]) -> None:
    with pytest.raises(FlickrFailure) as refusal:
        parse_criteria(args)
    assert refusal.value.code == 3


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


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({}, (1, 100)),
        ({"page": "3", "per_page": "20"}, (3, 20)),
        ({"per_page": "501"}, (1, 500)),
        ({"page": "10001"}, (10_000, 100)),
        ({"page": "0", "per_page": "0"}, (1, 100)),
        ({"page": "-1", "per_page": "many"}, (1, 100)),
        ({"page": "9" * 5000}, (1, 100)),
    ],
)
def test_pages_are_capped_as_flickr_caps_them(
    args: dict[str, str], expected: tuple[int, int]
) -> None:
    assert parse_paging(args) == expected


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


def test_both_ends_of_a_date_span_belong_to_it() -> None:
    library = Library([make_photo(number) for number in range(1, 6)])
    second, fourth = (START_SECS + number * DAY_SECS for number in (2, 4))
    assert found(library, Criteria(uploaded_secs=(second, fourth))) == [4, 3, 2]
    assert found(library, Criteria(uploaded_secs=(second + 1, fourth - 1))) == [3]
    assert found(library, Criteria(uploaded_secs=(fourth, second))) == []
    taken = (second - DAY_SECS, fourth - DAY_SECS)
    assert found(library, Criteria(taken_secs=taken)) == [4, 3, 2]


def test_pages_after_4000_results_repeat_earlier_ones_while_the_total_claims_all() -> None:
    library = Library([make_copy(make_photo(), number, 0) for number in range(4500)])
    pages = [search(library, Criteria(), number, 500) for number in range(1, 11)]
    assert {page.total for page in pages} == {4500}
    assert {page.pages for page in pages} == {9}
    assert len({photo.id for page in pages for photo in page.photos}) == MAX_DISTINCT
    assert pages[8].photos == pages[0].photos
    assert pages[9].photos == ()
