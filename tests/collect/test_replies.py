"""What Flickr's answers mean."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collect.errors import (
    FlickrError,
    FlickrUnavailableError,
    KeyRefusedError,
    QueryRefusedError,
)
from collect.replies import CallRefusedError, check_api_status, parse_reply


def test_a_good_reply_is_its_json() -> None:
    assert parse_reply(b'{"stat": "ok", "photos": {}}') == {"stat": "ok", "photos": {}}


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ((1, 2, 3, 4, 5, 11, 12, 17, 18, 77), QueryRefusedError),
        ((96, 97, 98, 99, 100), KeyRefusedError),
        ((111, 112, 114, 115, 116), CallRefusedError),
        ((0, 10, 105, 106, 201), FlickrUnavailableError),
        ((6, 999, "x", None, -1, 1.5), FlickrUnavailableError),
    ],
)
def test_codes_say_whether_to_try_again_give_up_the_query_or_stop(
    codes: tuple[object, ...], expected: type[FlickrError]
) -> None:
    for code in codes:
        body = json.dumps({"stat": "fail", "code": code, "message": "because"}).encode()
        with pytest.raises(FlickrError, match="because") as caught:
            parse_reply(body)
        assert type(caught.value) is expected


def test_a_code_may_come_as_text() -> None:
    with pytest.raises(KeyRefusedError, match=r"Invalid API Key.*VOCPARTY_FLICKR_KEY"):
        parse_reply(b'{"stat": "fail", "code": "100", "message": "Invalid API Key"}')


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>Sorry</html>",
        b"[]",
        b"null",
        b"{}",
        b'{"stat": "fail"}',
        b"\xff\xfe",
        b"[" * 10**5,
    ],
)
def test_anything_else_may_be_asked_for_again(body: bytes) -> None:
    with pytest.raises(FlickrUnavailableError):
        parse_reply(body)


@given(st.binary())
def test_no_body_ends_in_anything_but_a_reply_or_a_named_fault(body: bytes) -> None:
    with pytest.raises(FlickrError):
        parse_reply(body)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (429, FlickrUnavailableError),
        (500, FlickrUnavailableError),
        (503, FlickrUnavailableError),
        (401, KeyRefusedError),
        (302, FlickrUnavailableError),
        (404, CallRefusedError),
    ],
)
def test_statuses_are_faults_of_their_own(status: int, expected: type[FlickrError]) -> None:
    with pytest.raises(expected):
        check_api_status(status, None)


def test_redirects_one_after_the_other_are_no_fault_of_a_moment() -> None:
    for redirects in range(3):
        with pytest.raises(FlickrUnavailableError, match="HTTP 302, a redirect"):
            check_api_status(302, None, redirects)
    with pytest.raises(CallRefusedError, match=r"is flickr\.api_url in party\.toml right"):
        check_api_status(302, None, 3)


def test_status_200_is_no_fault() -> None:
    check_api_status(200, None)
