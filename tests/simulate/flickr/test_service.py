from __future__ import annotations

from pathlib import Path

import pytest

from simulate.flickr.faults import Faults, Rule, parse_rule
from simulate.flickr.folder import read_library
from simulate.flickr.messages import Request, Response
from simulate.flickr.photos import BY_SUFFIX, format_url
from simulate.flickr.service import Service

from .making import BASE_URL, make_call, write_picture


@pytest.fixture
def service(tmp_path: Path) -> Service:
    write_picture(tmp_path / "cat.jpg")
    return Service(read_library(tmp_path))


def spoil_all(service: Service, *rules: str) -> None:
    service.faults = Faults(tuple(parse_rule(rule) for rule in rules))


def make_image_request(service: Service) -> Request:
    photo = service.library.photos[0]
    path = format_url("", photo, BY_SUFFIX[""])
    return Request(path, base_url=BASE_URL)


def fetch(service: Service, *rules: str) -> Response:
    spoil_all(service, *rules)
    return service.respond(make_image_request(service))


def test_requests_are_counted_by_method_and_kind(service: Service) -> None:
    spoil_all(service, "api:503=1")
    for _ in range(2):
        service.respond(make_call("flickr.test.echo"))
    service.respond(make_image_request(service))
    service.respond(Request("/pw/images/en-us/photo_unavailable.png"))
    service.respond(Request("/favicon.ico"))
    assert service.requests == {
        "flickr.test.echo": 2,
        "fault 503": 2,
        "image": 1,
        "placeholder": 1,
        "other": 1,
    }


def test_a_call_that_failed_first_may_succeed_when_repeated(service: Service) -> None:
    fault = parse_rule("api:500=1").fault
    service.faults = Faults((Rule(fault, 1.0, first=2),))
    statuses = [service.respond(make_call("flickr.test.echo", page="1")).status for _ in "abc"]
    other = service.respond(make_call("flickr.test.echo", page="2")).status
    assert (statuses, other) == ([500, 500, 200], 500)
