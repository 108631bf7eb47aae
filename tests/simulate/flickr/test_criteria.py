from __future__ import annotations

import pytest

from simulate.flickr.criteria import (
    NOT_HERE,
    Criteria,
    Paging,
    parse_criteria,
    parse_paging,
)
from simulate.flickr.failures import FlickrFailure
from simulate.flickr.photos import ContentType


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"text": "Double-Decker bus"}, Criteria(words=("double", "decker", "bus"))),
        ({"text": "cat -dog"}, Criteria(words=("cat",), words_excluded=("dog",))),
        ({"text": "horse."}, Criteria(words=("horse",))),
        ({"tags": "cat, -dog"}, Criteria(tags=("cat",), tags_excluded=("dog",))),
        ({"tags": "a,b", "tag_mode": "all"}, Criteria(tags=("a", "b"), must_all_tags=True)),
        ({"license": "4, 5"}, Criteria(licence_ids=frozenset({4, 5}))),
        ({"min_upload_date": "100"}, Criteria(uploaded_secs=(100, None))),
        ({"max_upload_date": "1970-01-02"}, Criteria(uploaded_secs=(None, 86_400))),
        ({"max_taken_date": "1970-01-01 00:01:00"}, Criteria(taken_secs=(None, 60))),
        ({"user_id": "1@N99"}, Criteria(user_id="1@N99")),
        ({"text": "a", "has_geo": "1"}, Criteria(words=("a",), must_have_place=True)),
        ({"text": "a", "has_geo": "0"}, Criteria(words=("a",), must_have_place=False)),
        (
            {"text": "a", "content_type": "6"},
            Criteria(words=("a",), content_types=frozenset({ContentType.PHOTO, ContentType.OTHER})),
        ),
        ({"text": "a", "sort": "relevance"}, Criteria(words=("a",), sort="relevance")),
        ({"text": "a", "media": "photos"}, Criteria(words=("a",), media="photos")),
    ],
)
def test_arguments_are_read_as_flickr_documents_them(
    args: dict[str, str], expected: Criteria
) -> None:
    assert parse_criteria(args) == expected


@pytest.mark.parametrize(
    "args", [{}, {"text": "  "}, {"sort": "relevance", "per_page": "10"}, {"media": "photos"}]
)
def test_a_parameterless_search_is_refused(args: dict[str, str]) -> None:
    with pytest.raises(FlickrFailure) as refusal:
        parse_criteria(args)
    assert refusal.value.code == 3


def test_more_than_twenty_tags_at_once_are_refused() -> None:
    tags = ",".join(f"tag{number}" for number in range(21))
    with pytest.raises(FlickrFailure) as refusal:
        parse_criteria({"tags": tags, "tag_mode": "all"})
    assert refusal.value.code == 1
    assert len(parse_criteria({"tags": tags}).tags) == 21


@pytest.mark.parametrize(
    "args",
    [
        {"min_upload_date": "yesterday"},
        {"text": "a", "sort": "newest"},
        {"license": "cc-by"},
        {"license": "9" * 30},
        {"text": "a", "content_type": "8"},
        {"text": "a", "tag_mode": "some"},
        {"text": "a", "safe_search": "0"},
        *({"text": "a", name: "1"} for name in NOT_HERE),
    ],
)
def test_what_the_stand_in_cannot_do_is_refused_and_not_ignored(args: dict[str, str]) -> None:
    with pytest.raises(FlickrFailure) as refusal:
        parse_criteria(args)
    assert refusal.value.code == 18


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({}, Paging(1, 100)),
        ({"page": "3", "per_page": "20"}, Paging(3, 20)),
        ({"per_page": "501"}, Paging(1, 500)),
        ({"page": "10001"}, Paging(10_000, 100)),
        ({"page": "0", "per_page": "0"}, Paging(1, 100)),
        ({"page": "-1", "per_page": "many"}, Paging(1, 100)),
        ({"page": "9" * 5000}, Paging(1, 100)),
    ],
)
def test_pages_are_capped_as_flickr_caps_them(args: dict[str, str], expected: Paging) -> None:
    assert parse_paging(args) == expected
