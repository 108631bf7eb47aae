"""Calls to Flickr: what its answers mean, and what is waited out."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import parse_qs

import pytest

from catalog.party import Party
from catalog.settings import FlickrSettings
from collect.asking import CallBudget, CallRefusedError
from collect.errors import (
    HostRefusesError,
    KeyRefusedError,
    QueryRefusedError,
    SourceError,
    SourceUnavailableError,
)
from collect.flickr import Flickr, check_flickr_status, parse_reply
from collect.pauses import Backoff, Pauses

from .clocks import TestClock
from .loopback import Handler, Loopback


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ((1, 2, 3, 4, 5, 11, 12, 17, 18, 77), QueryRefusedError),
        ((96, 97, 98, 99, 100, "100"), KeyRefusedError),
        ((111, 112, 114, 115, 116), CallRefusedError),
        ((0, 10, 105, 106, 201), SourceUnavailableError),
        ((6, 999, "x", None, -1, 1.5), SourceUnavailableError),
    ],
)
def test_codes_say_whether_to_try_again_give_up_the_query_or_stop(
    codes: tuple[object, ...], expected: type[SourceError]
) -> None:
    for code in codes:
        body = json.dumps({"stat": "fail", "code": code, "message": "because"}).encode()
        with pytest.raises(SourceError, match="because") as caught:
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
def test_anything_else_may_be_asked_for_again(body: bytes) -> None:
    with pytest.raises(SourceUnavailableError):
        parse_reply(body)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (429, SourceUnavailableError),
        (500, SourceUnavailableError),
        (503, SourceUnavailableError),
        (401, KeyRefusedError),
        (302, SourceUnavailableError),
        (404, CallRefusedError),
    ],
)
def test_statuses_are_faults_of_their_own(status: int, expected: type[SourceError]) -> None:
    with pytest.raises(expected):
        check_flickr_status(status, None)


REPLY = {"stat": "ok", "photos": {"page": 1, "total": "0", "photo": []}}
GOOD = json.dumps(REPLY).encode()


@pytest.fixture
def flickr(loopback: Loopback, time: TestClock, party: Party) -> Iterator[Flickr]:
    made = make_flickr(loopback, time, party)
    yield made
    made.close()


def make_flickr(
    loopback: Loopback,
    time: TestClock,
    party: Party,
    *,
    key: str = "k3y",
    timeout_secs: float = 30.0,
) -> Flickr:
    settings = FlickrSettings(key=key, api_url=loopback.url("/rest/"), timeout_secs=timeout_secs)
    pauses = Pauses(time.clock, Backoff(1, 2, 60), most_in_a_row=3)
    return Flickr(settings, CallBudget(party.catalogue, "k3y", 100, time.clock), pauses)


def answer_in_turn(loopback: Loopback, *answers: object) -> None:
    """Give each answer once: a status, or a status with a body, or a function of the handler."""
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


def test_a_call_carries_method_key_and_arguments_and_no_signature(
    loopback: Loopback, flickr: Flickr
) -> None:
    seen: dict[str, list[str]] = {}
    headers: dict[str, str] = {}

    def answer(handler: Handler) -> None:
        seen.update(parse_qs(handler.body.decode()))
        headers.update(handler.headers.items())
        handler.send(200, GOOD)

    loopback.answers["/rest/"] = answer
    assert flickr.call_search({"text": "living room"}, 500).total == 0
    assert seen["method"] == ["flickr.photos.search"]
    assert (seen["api_key"], seen["text"]) == (["k3y"], ["living room"])
    assert (seen["format"], seen["nojsoncallback"]) == (["json"], ["1"])
    assert "Authorization" not in headers
    assert not [name for name in seen if name.startswith("oauth")]


def test_a_compressed_answer_is_read(loopback: Loopback, flickr: Flickr) -> None:
    packed = gzip.compress(GOOD)
    answer_in_turn(loopback, lambda handler: handler.send(200, packed, Content_Encoding="gzip"))
    assert flickr.call_search({"text": "cat"}, 500).photos == ()


def test_a_busy_answer_is_waited_out_as_long_as_it_asks(
    loopback: Loopback, flickr: Flickr, time: TestClock
) -> None:
    answer_in_turn(loopback, 429, (200, GOOD))
    flickr.call_search({"text": "cat"}, 500)
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
def test_a_passing_fault_is_tried_again(
    loopback: Loopback, party: Party, time: TestClock, fault: object
) -> None:
    answer_in_turn(loopback, fault, (200, GOOD))
    with closing(make_flickr(loopback, time, party)) as flickr:
        assert flickr.call_search({"text": "cat"}, 500).photos == ()
    assert len(time.waits_secs) == 1


def drip(handler: Handler) -> None:
    """An answer that never ends, each byte of it in time."""
    handler.start(200, {"Content-Length": "1000000"})
    while not handler.server.release.wait(0.01):
        handler.wfile.write(b" ")


@pytest.mark.slow
def test_an_answer_that_drips_is_left_when_it_takes_twice_the_time(
    loopback: Loopback, party: Party, time: TestClock
) -> None:
    answer_in_turn(loopback, drip, *[(200, GOOD)] * 3)
    with closing(make_flickr(loopback, time, party, timeout_secs=0.7)) as flickr:
        assert flickr.call_search({"text": "cat"}, 500).photos == ()
    assert time.waits_secs


def test_an_address_that_always_redirects_ends_with_a_sentence_after_a_few_tries(
    loopback: Loopback, flickr: Flickr, time: TestClock
) -> None:
    there = loopback.url("/elsewhere/")
    loopback.answers["/rest/"] = lambda handler: handler.send(301, b"", Location=there)
    with pytest.raises(
        HostRefusesError, match=r"HTTP 301, a redirect; is flickr\.api_url in party"
    ):
        flickr.call_search({"text": "cat"}, 500)
    assert set(loopback.server.paths) == {"/rest/"}  # and never elsewhere, with the key


def test_a_refused_key_stops_with_a_sentence_that_says_how_to_set_it(
    loopback: Loopback, flickr: Flickr
) -> None:
    answer_in_turn(loopback, (200, b'{"stat": "fail", "code": 100, "message": "Invalid API Key"}'))
    with pytest.raises(KeyRefusedError, match=r"flickr\.key in party\.toml") as caught:
        flickr.call_search({"text": "cat"}, 500)
    assert caught.value.exit_status == 2


def test_a_flickr_that_is_not_there_is_given_up(time: TestClock, party: Party) -> None:
    settings = FlickrSettings(key="k3y", api_url="http://127.0.0.1:9/rest/")
    pauses = Pauses(time.clock, Backoff(), most_in_a_row=2)
    flickr = Flickr(settings, CallBudget(party.catalogue, "k3y", 100, time.clock), pauses)
    with pytest.raises(HostRefusesError, match="no connection"):
        flickr.call_search({"text": "cat"}, 500)
    flickr.close()
