from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulate.flickr.criteria import SORTS, Criteria, Paging
from simulate.flickr.failures import FlickrFailure
from simulate.flickr.library import Library
from simulate.flickr.photos import ContentType, Owner, Photo, Place, Taken
from simulate.flickr.search import MAX_DISTINCT, search
from simulate.flickr.times import format_mysql

from .making import DAY_SECS, START_SECS, make_library, make_photo


def found(library: Library, criteria: Criteria, paging: Paging | None = None) -> list[int]:
    page = search(library, criteria, paging or Paging(1, 500))
    return [library.photo_at(position).id - 90_000_000_000 for position in page.positions]


def test_all_words_must_occur_in_title_description_or_tags() -> None:
    library = make_library(
        [
            make_photo(1, title="A Cat", description="in the <b>Living</b>", tags=("room",)),
            make_photo(2, title="cat", description="living"),
            make_photo(3, title="catalogue", tags=("living room",)),
        ]
    )
    assert found(library, Criteria(words=("cat", "living", "room"))) == [1]
    assert found(library, Criteria(words=("living", "room"))) == [3, 1]
    assert found(library, Criteria(words=("cat",), words_excluded=("room",))) == [2]


def test_tags_are_compared_as_flickr_normalises_them() -> None:
    library = make_library(
        [make_photo(1, tags=("Living Room", "Cat")), make_photo(2, tags=("cat",)), make_photo(3)]
    )
    assert found(library, Criteria(tags=("living-room",))) == [1]
    assert found(library, Criteria(tags=("cat", "livingroom"))) == [2, 1]
    assert found(library, Criteria(tags=("cat", "livingroom"), must_all_tags=True)) == [1]
    assert found(library, Criteria(tags=("cat",), tags_excluded=("living room",))) == [2]


def test_without_a_sort_the_newest_upload_comes_first() -> None:
    library = make_library([make_photo(number) for number in (2, 3, 1)])
    assert found(library, Criteria()) == [3, 2, 1]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("date-posted-asc", [1, 2, 3]),
        ("date-taken-desc", [2, 3, 1]),
        ("date-taken-asc", [1, 3, 2]),
        ("interestingness-desc", [1, 3, 2]),
        ("interestingness-asc", [2, 3, 1]),
        ("relevance", [2, 3, 1]),
    ],
)
def test_every_documented_order_is_there(sort: str, expected: list[int]) -> None:
    library = make_library(
        [
            make_photo(1, taken=Taken("0000-00-00 00:00:00"), views=9, description="dog"),
            make_photo(2, taken=Taken("2030-01-01 00:00:00"), views=1, title="dog", tags=("dog",)),
            make_photo(3, taken=Taken("2012-01-01 00:00:00"), views=5, tags=("dog",)),
        ]
    )
    assert found(library, Criteria(words=("dog",), sort=sort)) == expected


def test_both_ends_of_a_date_span_belong_to_it() -> None:
    library = make_library([make_photo(number) for number in range(1, 6)])
    second, fourth = (START_SECS + number * DAY_SECS for number in (2, 4))
    assert found(library, Criteria(uploaded_secs=(second, fourth))) == [4, 3, 2]
    assert found(library, Criteria(uploaded_secs=(second + 1, fourth - 1))) == [3]
    assert found(library, Criteria(uploaded_secs=(fourth, second))) == []
    taken = (second - DAY_SECS, fourth - DAY_SECS)
    assert found(library, Criteria(taken_secs=taken)) == [4, 3, 2]


def test_licence_owner_place_and_kind_of_picture_narrow_a_search() -> None:
    library = make_library(
        [
            make_photo(1, licence_id=0, place=Place(1.0, 2.0)),
            make_photo(2, owner=Owner("2@N99", "tom"), content_type=ContentType.SCREENSHOT),
        ]
    )
    assert found(library, Criteria(licence_ids=frozenset({0, 1}))) == [1]
    assert found(library, Criteria(user_id="2@N99")) == [2]
    assert found(library, Criteria(must_have_place=True)) == [1]
    assert found(library, Criteria(must_have_place=False)) == [2]
    assert found(library, Criteria(content_types=frozenset({ContentType.PHOTO}))) == [1]
    assert found(library, Criteria(media="videos")) == []


def test_an_unknown_user_is_an_error_and_not_an_empty_page() -> None:
    with pytest.raises(FlickrFailure) as refusal:
        search(make_library([make_photo()]), Criteria(user_id="nobody"), Paging())
    assert refusal.value.code == 2


def test_only_safe_photos_are_shown_to_those_who_did_not_sign_in() -> None:
    library = make_library([make_photo(1, safety_level=2), make_photo(2)])
    assert found(library, Criteria()) == [2]


def test_pages_after_4000_results_repeat_earlier_ones_while_the_total_claims_all() -> None:
    library = make_library([make_photo(number) for number in range(1, 11)], copies=449)
    pages = [search(library, Criteria(), Paging(number, 500)) for number in range(1, 11)]
    assert {page.total for page in pages} == {4500}
    assert {page.pages for page in pages} == {9}
    assert len({position for page in pages for position in page.positions}) == MAX_DISTINCT
    assert pages[8].positions == pages[0].positions
    assert pages[9].positions == ()


def test_a_page_behind_the_last_is_empty() -> None:
    assert found(make_library([make_photo()]), Criteria(), Paging(2, 10)) == []


WORDS = ("cat", "dog", "sea")


@st.composite
def photo_lists(draw: st.DrawFn) -> list[Photo]:
    count = draw(st.integers(1, 12))
    return [
        make_photo(
            number,
            title=" ".join(draw(st.sets(st.sampled_from(WORDS)))),
            uploaded_secs=draw(st.integers(0, 5)),
            taken=Taken(format_mysql(draw(st.integers(0, 5)))),
            licence_id=draw(st.integers(0, 2)),
            views=draw(st.integers(0, 3)),
        )
        for number in range(count)
    ]


spans = st.tuples(st.none() | st.integers(0, 5), st.none() | st.integers(0, 5))


@given(
    photos=photo_lists(),
    uploaded=spans,
    taken=spans,
    words=st.sets(st.sampled_from(WORDS), max_size=2),
    licences=st.none() | st.frozensets(st.integers(0, 2)),
    sort=st.sampled_from(sorted(SORTS)),
    per_page=st.integers(1, 5),
)
def test_all_pages_together_hold_each_fitting_photo_once(
    photos: list[Photo],
    uploaded: tuple[int | None, int | None],
    taken: tuple[int | None, int | None],
    words: set[str],
    licences: frozenset[int] | None,
    sort: str,
    per_page: int,
) -> None:
    library = make_library(photos)
    criteria = Criteria(
        words=tuple(words),
        uploaded_secs=uploaded,
        taken_secs=taken,
        licence_ids=licences,
        sort=sort,
    )
    shown = [
        photo
        for number in range(1, len(photos) + 2)
        for photo in found(library, criteria, Paging(number, per_page))
    ]
    fitting = [
        photo.id - 90_000_000_000
        for photo in photos
        if words <= set(photo.title.split())
        and _is_in(photo.uploaded_secs, uploaded)
        and _is_in(int(photo.taken.at[-2:]), taken)
        and (licences is None or photo.licence_id in licences)
    ]
    assert sorted(shown) == sorted(fitting)


def _is_in(secs: int, span: tuple[int | None, int | None]) -> bool:
    first, last = span
    return (first is None or secs >= first) and (last is None or secs <= last)
