from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulate.flickr.faults import Faults, Rule, parse_rule
from simulate.flickr.folder import read_library
from simulate.flickr.messages import Request, Response
from simulate.flickr.photos import BY_SUFFIX, format_url
from simulate.flickr.service import Service, Site

from .making import BASE_URL, make_call, write_picture


@pytest.fixture
def service(tmp_path: Path) -> Service:
    write_picture(tmp_path / "cat.jpg")
    return Service(Site(read_library(tmp_path)))


def spoil_all(service: Service, *rules: str) -> None:
    service.faults = Faults(tuple(parse_rule(rule) for rule in rules))


def make_image_request(service: Service) -> Request:
    photo = service.site.library.photos[0]
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


def test_a_429_has_an_html_body_and_a_retry_after_when_asked(service: Service) -> None:
    plain, polite = fetch(service, "429=1"), fetch(service, "429@30=1")
    assert (plain.status, polite.status) == (429, 429)
    assert plain.content_type.startswith("text/html")
    assert "Retry-After" not in dict(plain.headers)
    assert dict(polite.headers)["Retry-After"] == "30"


def test_latency_delays_and_leaves_the_answer_as_it_is(service: Service) -> None:
    response = fetch(service, "latency@250=1")
    assert response.delay_secs == 0.25
    assert response.body == fetch(service).body


def test_a_search_may_claim_fewer_results_than_it_gives(tmp_path: Path) -> None:
    for number in range(20):
        write_picture(tmp_path / f"cat {number}.jpg", (20, 20))
    service = Service(Site(read_library(tmp_path)))
    spoil_all(service, "undercount=1")
    reply = json.loads(service.respond(make_call("flickr.photos.search", text="cat")).body)
    assert reply["photos"]["total"] == 18
    assert len(reply["photos"]["photo"]) == 20
    echoed = json.loads(service.respond(make_call("flickr.test.echo")).body)
    assert echoed["stat"] == "ok"
