"""Calls to Flickr: what its answers and records mean, and which faults are waited out."""

import gzip
import json
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.licences import LICENCES
from catalog.party import Party
from collect import errors
from collect.asking import CallRefusedError
from collect.flickr import Flickr, find_size, parse_photo, parse_reply, parse_results
from collect.results import Question

from .flickrs import make_flickr
from .loopback import Handler, Loopback
from .rows import TestClock


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ((1, 2, 3, 4, 5, 11, 12, 17, 18, 77), errors.QueryRefusedError),
        ((96, 97, 98, 99, 100, "100"), errors.KeyRefusedError),
        ((111, 112, 114, 115, 116), CallRefusedError),
        ((0, 10, 105, 106, 201), errors.SourceUnavailableError),
        ((6, 999, "x", None, -1, 1.5), errors.SourceUnavailableError),
    ],
)
def test_an_error_code_means_retry_refuse_the_query_or_stop(
    codes: tuple[object, ...], expected: type[errors.SourceError]
) -> None:
    for code in codes:
        body = json.dumps({"stat": "fail", "code": code, "message": "because"}).encode()
        with pytest.raises(errors.SourceError, match="because") as caught:
            parse_reply(body)
        assert type(caught.value) is expected


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
def test_an_unreadable_reply_is_retried(body: bytes) -> None:
    with pytest.raises(errors.SourceUnavailableError):
        parse_reply(body)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        *((status, errors.SourceUnavailableError) for status in (302, 429, 500, 503)),
        (401, errors.KeyRefusedError),
        (404, CallRefusedError),
    ],
)
def test_each_status_raises_its_own_error(status: int, expected: type[errors.SourceError]) -> None:
    with pytest.raises(expected):
        Flickr.check_status(status, None)


REPLY = {"stat": "ok", "photos": {"page": 1, "total": "0", "photo": []}}
GOOD = json.dumps(REPLY).encode()


@pytest.fixture
def flickr(loopback: Loopback, time: TestClock, party: Party) -> Iterator[Flickr]:
    with closing(make_flickr(party, time, api_url=loopback.url("/rest/"))) as made:
        yield made


def answer_in_turn(loopback: Loopback, *answers: object) -> None:
    """Give each answer once: a status, a status with a body, or a function of the handler."""
    left = list(answers)

    def answer(handler: Handler) -> None:
        turn = left.pop(0)
        if callable(turn):
            turn(handler)
        elif isinstance(turn, tuple):
            handler.send(turn[0], turn[1])
        else:
            assert isinstance(turn, int)
            handler.send(turn, b"<html>busy</html>", Retry_After="17")

    loopback.answers["/rest/"] = answer


def test_a_call_sends_method_key_and_arguments_unsigned(loopback: Loopback, flickr: Flickr) -> None:
    seen: dict[str, list[str]] = {}
    headers: dict[str, str] = {}

    def answer(handler: Handler) -> None:
        seen.update(parse_qs(handler.body.decode()))
        headers.update(handler.headers.items())
        handler.send(200, GOOD)

    loopback.answers["/rest/"] = answer
    assert flickr.search(Question("living room")).total == 0
    assert seen["method"] == ["flickr.photos.search"]
    assert (seen["api_key"], seen["text"]) == (["k3y"], ["living room"])
    assert (seen["format"], seen["nojsoncallback"]) == (["json"], ["1"])
    assert "Authorization" not in headers
    assert not [name for name in seen if name.startswith("oauth")]


def test_a_compressed_answer_is_read(loopback: Loopback, flickr: Flickr) -> None:
    packed = gzip.compress(GOOD)
    answer_in_turn(loopback, lambda handler: handler.send(200, packed, Content_Encoding="gzip"))
    assert flickr.search(Question("cat")).photos == ()


def test_a_busy_answer_is_waited_out(loopback: Loopback, flickr: Flickr, time: TestClock) -> None:
    answer_in_turn(loopback, 429, (200, GOOD))
    flickr.search(Question("cat"))
    assert sum(time.waits_secs) == 17


def hang_up(handler: Handler) -> None:
    handler.close_connection = True


def truncate(handler: Handler) -> None:
    handler.start(200, {"Content-Length": "500"})
    handler.wfile.write(GOOD)
    handler.close_connection = True


@pytest.mark.parametrize(
    "fault",
    [
        (200, b"<html>Sorry, the Flickr API service is not currently available.</html>"),
        (200, b'{"stat": "fail", "code": 105, "message": "Service unavailable"}'),
        (200, b'{"stat": "ok", "photos": {"photo": null}}'),
        (500, b""),
        (302, b""),
        hang_up,
        truncate,
    ],
)
def test_a_temporary_fault_is_retried_once(
    loopback: Loopback, flickr: Flickr, time: TestClock, fault: object
) -> None:
    answer_in_turn(loopback, fault, (200, GOOD))
    assert flickr.search(Question("cat")).photos == ()
    assert len(time.waits_secs) == 1


def drip(handler: Handler) -> None:
    """An answer that never ends, although each byte comes in time."""
    handler.start(200, {"Content-Length": "1000000"})
    while not handler.server.release.wait(0.01):
        handler.wfile.write(b" ")


@pytest.mark.slow
def test_a_dripping_answer_is_retried(loopback: Loopback, party: Party, time: TestClock) -> None:
    answer_in_turn(loopback, drip, *[(200, GOOD)] * 3)
    there = {"api_url": loopback.url("/rest/"), "timeout_secs": 0.7}
    with closing(make_flickr(party, time, **there)) as flickr:
        assert flickr.search(Question("cat")).photos == ()
    assert time.waits_secs


def test_an_api_address_that_always_redirects_is_given_up_with_a_sentence(
    loopback: Loopback, flickr: Flickr, time: TestClock
) -> None:
    there = loopback.url("/elsewhere/")
    loopback.answers["/rest/"] = lambda handler: handler.send(301, b"", Location=there)
    with pytest.raises(
        errors.HostRefusesError, match=r"HTTP 301, a redirect; is flickr\.api_url in party"
    ):
        flickr.search(Question("cat"))
    assert set(loopback.server.paths) == {"/rest/"}  # and never elsewhere, with the key


def test_a_refused_key_stops_and_says_how_to_set_it(loopback: Loopback, flickr: Flickr) -> None:
    answer_in_turn(loopback, (200, b'{"stat": "fail", "code": 100, "message": "Invalid API Key"}'))
    with pytest.raises(errors.KeyRefusedError, match=r"flickr\.key in party\.toml") as caught:
        flickr.search(Question("cat"))
    assert caught.value.exit_status == 2


def test_an_unreachable_flickr_is_given_up(time: TestClock, party: Party) -> None:
    away = make_flickr(party, time, api_url="http://127.0.0.1:9/rest/")
    with closing(away), pytest.raises(errors.HostRefusesError, match="no connection"):
        away.search(Question("cat"))


RECORD: dict[str, Any] = {
    "id": "49514824541",
    "owner": "71925535@N03",
    "secret": "abc",
    "server": "65535",
    "title": "A cat's day",
    "license": "4",
    "dateupload": "1581318235",
    "datetaken": "2020-02-10 08:03:55",
    "datetakengranularity": 0,
    "datetakenunknown": "0",
    "ownername": "Ann",
    "tags": "cat tabby",
    "latitude": 48.137,
    "longitude": "-11.5756",
    "url_m": "https://live.staticflickr.com/65535/49514824541_abc.jpg",
    "height_m": 333,
    "width_m": "500",
    "url_l": "https://live.staticflickr.com/65535/49514824541_abc_b.jpg",
    "height_l": "683",
    "width_l": 1024,
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


def reply(*records: object, total: object = "1") -> dict[str, Any]:
    return {"photos": {"page": 1, "total": total, "photo": list(records)}, "stat": "ok"}


def test_a_record_becomes_a_photo_with_all_its_provenance() -> None:
    photo = parse_photo(RECORD, 500)
    assert photo is not None
    assert photo.page_url == "https://www.flickr.com/photos/71925535@N03/49514824541"
    assert photo.image_url == RECORD["url_m"]
    assert (photo.promised_width, photo.promised_height) == (500, 333)
    assert photo.uploaded_at == datetime(2020, 2, 10, 7, 3, 55, tzinfo=UTC)
    assert photo.taken_at_text == "2020-02-10 08:03:55"
    assert (photo.owner_name, photo.title, photo.tags) == ("Ann", "A cat's day", "cat tabby")
    assert (photo.licence, photo.taken_at_unknown, photo.unfit) == (LICENCES["4"], False, "")
    assert photo.place == "48.1 -11.6"


@pytest.mark.parametrize("place", [(0, 0), ("0", "0"), ("", ""), (None, 3), (91, 0), ("nan", 1)])
def test_a_place_of_zero_or_invalid_coordinates_is_none(place: tuple[object, object]) -> None:
    photo = parse_photo(RECORD | {"latitude": place[0], "longitude": place[1]}, 500)
    assert photo is not None
    assert photo.place is None


@pytest.mark.parametrize(
    ("changes", "field", "expected"),
    [
        ({"license": 4}, "licence", LICENCES["4"]),
        ({"id": 49514824541}, "source_id", "49514824541"),
        ({"datetakenunknown": 1}, "taken_at_unknown", True),
        ({"datetakenunknown": "1"}, "taken_at_unknown", True),
        ({"title": {"_content": "nested"}}, "title", "nested"),
        ({"title": "a\0b\ud800"}, "title", "ab?"),
        ({"title": None}, "title", ""),
        ({"dateupload": "soon"}, "uploaded_at", None),
        ({"dateupload": "99999999999999999"}, "uploaded_at", None),
        ({"datetaken": "0000-00-00 00:00:00"}, "taken_at_text", "0000-00-00 00:00:00"),
        ({"datetaken": "x" * 100}, "taken_at_text", "x" * 40),
        ({"content_type": "1"}, "unfit", "not a photograph"),
        ({"content_type": 3}, "unfit", "not a photograph"),
        ({"content_type": 0}, "unfit", ""),
        ({"media": "video"}, "unfit", "not a photograph"),
        ({"width_m": -500}, "promised_width", 1024),
        ({"url_m": None}, "promised_width", 1024),
        ({"width_m": 500.0}, "promised_width", 500),
        ({"width_m": float("inf")}, "promised_width", 1024),
    ],
)
def test_values_of_unexpected_type_are_converted_or_ignored(
    changes: dict[str, Any], field: str, expected: object
) -> None:
    photo = parse_photo(RECORD | changes, 500)
    assert photo is not None
    assert getattr(photo, field) == expected


@pytest.mark.parametrize(
    "changes",
    [{"id": "../../etc"}, {"id": ""}, {"id": None}, {"owner": "a/b"}, {"owner": "<script>"}],
)
def test_a_record_with_an_id_that_flickr_cannot_have_is_skipped(changes: dict[str, Any]) -> None:
    assert parse_photo(RECORD | changes, 500) is None


@pytest.mark.parametrize(
    ("longest_side_px", "expected"), [(240, 320), (320, 320), (500, 500), (501, 1024), (4000, 1024)]
)
def test_the_smallest_sufficient_size_is_chosen(longest_side_px: int, expected: int) -> None:
    sizes = {"l": (1024, 683), "m": (333, 500), "n": (320, 213)}
    record = dict[str, object]()
    for name, (width, height) in sizes.items():
        record |= {f"url_{name}": name, f"width_{name}": width, f"height_{name}": str(height)}
    chosen = find_size(record, longest_side_px)
    assert chosen is not None
    assert max(chosen[1:]) == expected


@pytest.mark.parametrize(
    ("total", "expected"), [(361690, 361690), ("361690", 361690), ("many", 2), (None, 2), (1, 2)]
)
def test_the_total_of_results_is_at_least_the_number_returned(total: object, expected: int) -> None:
    results = parse_results(reply(RECORD, "not a record", total=total), 500)
    assert (results.total, results.returned) == (expected, 2)
    assert len(results.photos) == 1


@pytest.mark.parametrize("broken", [{}, {"photos": []}, {"photos": {"photo": None}}])
def test_a_reply_without_a_list_of_photos_is_retried(broken: dict[str, Any]) -> None:
    with pytest.raises(errors.SourceUnavailableError, match="no list of photos"):
        parse_results(broken, 500)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(RECORD)), JSON))
def test_no_content_of_a_record_crashes_the_parser(changes: dict[str, Any]) -> None:
    photo = parse_photo(RECORD | changes, 500)
    if photo is not None:
        for text in (photo.title, photo.tags, photo.owner_name, photo.image_url or ""):
            assert "\0" not in text
            text.encode("utf-8")
