import json
from pathlib import Path
from typing import Any

import pytest

from simulate.flickr.faults import Fault, FaultKind, Faults, Host, Rule, parse_rule
from simulate.flickr.folder import read_library
from simulate.flickr.messages import Request, Response
from simulate.flickr.photos import (
    BY_SUFFIX,
    Availability,
    ContentType,
    Owner,
    Photo,
    Taken,
    format_url,
)
from simulate.flickr.search import (
    MAX_DISTINCT,
    Criteria,
    FlickrFailure,
    Library,
    parse_criteria,
    search,
)
from simulate.flickr.server import StandIn, answer
from vockit.errors import SettingsError

from .making import BASE_URL, make_call, make_copy, make_photo, write_picture


@pytest.fixture
def service(tmp_path: Path) -> StandIn:
    write_picture(tmp_path / "cat.jpg")
    return StandIn(read_library(tmp_path))


def spoil_all(service: StandIn, *rules: str) -> None:
    service.faults = Faults(tuple(parse_rule(rule) for rule in rules))


def make_image_request(service: StandIn) -> Request:
    photo = service.library.photos[0]
    path = format_url("", photo, BY_SUFFIX[""])
    return Request(path, base_url=BASE_URL)


def fetch(service: StandIn, *rules: str) -> Response:
    spoil_all(service, *rules)
    return service.respond(make_image_request(service))


def test_requests_are_counted_by_method_and_kind(service: StandIn) -> None:
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


def test_a_fault_can_strike_only_the_first_attempts_of_a_call(service: StandIn) -> None:
    fault = parse_rule("api:500=1").fault
    service.faults = Faults((Rule(fault, 1.0, first=2),))
    statuses = [service.respond(make_call("flickr.test.echo", page="1")).status for _ in "abc"]
    other = service.respond(make_call("flickr.test.echo", page="2")).status
    assert (statuses, other) == ([500, 500, 200], 500)


EXTRAS = (
    "license,date_upload,date_taken,owner_name,tags,media,content_type,"
    "url_t,url_s,url_m,url_n,url_z,url_c,url_l"
)


def ask(library: Library, method: str, **args: str) -> Any:
    response = answer(library, make_call(method, args))
    assert response.status == 200
    assert ("x-robots-tag", "noindex") in response.headers
    return json.loads(response.body)


def search_one(photo: Photo, extras: str = EXTRAS) -> dict[str, Any]:
    reply = ask(
        Library([photo]), "flickr.photos.search", max_upload_date="2100-01-01", extras=extras
    )
    listed: dict[str, Any] = reply["photos"]["photo"][0]
    return listed


def test_extras_come_with_flickrs_own_names_and_types() -> None:
    photo = make_photo(
        7,
        tags=("Living Room", "cat"),
        taken=Taken("2014-01-02 03:04:05"),
        owner=Owner("1@N99", "ines"),
        content_type=ContentType.OTHER,
    )
    shown = search_one(photo)
    expected = {
        "license": "4",
        "dateupload": str(photo.uploaded_secs),
        "datetaken": "2014-01-02 03:04:05",
        "datetakenunknown": "0",
        "ownername": "ines",
        "tags": "livingroom cat",
        "media": "photo",
        "media_status": "ready",
        "content_type": "3",
        "url_m": f"{BASE_URL}/{photo.server}/90000000007_{photo.secret}.jpg",
        "width_m": 500,
        "height_m": 375,
        "url_l": f"{BASE_URL}/{photo.server}/90000000007_{photo.secret}_b.jpg",
        "width_l": 1024,
        "height_l": 768,
    }
    assert {name: shown[name] for name in expected} == expected
    sizes = {name for name in shown if name.startswith("url_")}
    assert sizes == {f"url_{size}" for size in ["t", "s", "m", "n", "z", "c", "l"]}


@pytest.mark.parametrize("state", [Availability.DELETED, Availability.PRIVATE])
def test_a_search_still_lists_deleted_and_private_photos(state: Availability) -> None:
    library = Library([make_photo(7, availability=state)])
    assert ask(library, "flickr.photos.search", text="photo")["photos"]["total"] == 1
    refusal = ask(library, "flickr.photos.getInfo", photo_id="90000000007")
    message = 'Photo "90000000007" not found (invalid ID)'
    assert refusal == {"stat": "fail", "code": 1, "message": message}


@pytest.mark.parametrize(
    ("method", "args", "code"),
    [
        ("flickr.photos.search", {}, 3),
        ("flickr.photos.getInfo", {}, 1),
        ("flickr.photos.getInfo", {"photo_id": "x" * 1000}, 1),
        ("flickr.test.echo", {"format": "soap"}, 111),
        ("flickr.photos.delete", {}, 112),
        ("", {}, 112),
        ("flickr.test.echo", {"api_key": ""}, 100),
        ("flickr.test.echo", {"api_key": "k" * 201}, 100),
    ],
)
def test_a_refusal_has_status_200_and_a_code(method: str, args: dict[str, str], code: int) -> None:
    refusal = ask(Library([make_photo()]), method, **args)
    assert (refusal["stat"], refusal["code"]) == ("fail", code)


def search_ids(
    library: Library, criteria: Criteria, page: int = 1, per_page: int = 500
) -> list[int]:
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
def test_unsupported_search_arguments_are_refused(args: dict[str, str]) -> None:
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
    assert search_ids(library, Criteria(words=("cat", "living", "room"))) == [1]
    assert search_ids(library, Criteria(words=("living", "room"))) == [3, 1]


def test_pages_after_4000_results_repeat_earlier_ones_as_at_flickr() -> None:
    library = Library([make_copy(make_photo(), number, 0) for number in range(4500)])
    pages = [search(library, Criteria(), number, 500) for number in range(1, 11)]
    assert {page.total for page in pages} == {4500}
    assert {page.pages for page in pages} == {9}
    assert len({photo.id for page in pages for photo in page.photos}) == MAX_DISTINCT
    assert pages[8].photos == pages[0].photos
    assert pages[9].photos == ()


TIMEOUT = Fault(FaultKind.STATUS, status=503)
SLOW = Fault(FaultKind.LATENCY, 20.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("429=0.1", Rule(Fault(FaultKind.STATUS, None, 429), 0.1)),
        ("image:429@30=.5", Rule(Fault(FaultKind.STATUS, 30.0, 429), 0.5, Host.IMAGE)),
        ("api:503=1", Rule(TIMEOUT, 1.0, Host.API)),
        ("latency=1", Rule(Fault(FaultKind.LATENCY, 500.0), 1.0)),
        ("latency@20=0.25", Rule(SLOW, 0.25)),
        ("fail@10=1", Rule(Fault(FaultKind.FAIL, 10.0), 1.0, Host.API)),
        ("one-pixel=0.01", Rule(Fault(FaultKind.ONE_PIXEL), 0.01, Host.IMAGE)),
        ("redirect-loop=1", Rule(Fault(FaultKind.REDIRECT_LOOP), 1.0)),
    ],
)
def test_a_fault_rule_is_parsed_from_a_short_text(text: str, expected: Rule) -> None:
    assert parse_rule(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("429", "must be written"),
        ("429=", "must be written"),
        ("web:429=1", "must be written"),
        ("429=1.5", "from 0 to 1"),
        ("200=1", "400 to 599"),
        ("fire=1", "There is no fault 'fire'"),
        ("status=1", "There is no fault 'status'"),
        ("image:fail@10=1", "api host alone"),
        ("api:gif=1", "image host alone"),
    ],
)
def test_an_invalid_fault_rule_is_refused(text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        parse_rule(text)


def test_a_fault_rule_can_be_limited_to_host_target_and_attempts() -> None:
    rules = (Rule(TIMEOUT, 1.0, Host.API, only="getInfo", first=2),)
    faults = Faults(rules)
    assert faults.draw(Host.API, "flickr.photos.getInfo", 1) == (TIMEOUT,)
    assert faults.draw(Host.API, "flickr.photos.getInfo", 2) == ()
    assert faults.draw(Host.API, "flickr.photos.search", 0) == ()
    assert faults.draw(Host.IMAGE, "getInfo", 0) == ()


def test_latency_combines_with_the_first_of_the_other_faults() -> None:
    html = Rule(Fault(FaultKind.HTML), 1.0)
    faults = Faults((Rule(TIMEOUT, 1.0), html, Rule(SLOW, 1.0), Rule(SLOW, 1.0)))
    assert faults.draw(Host.API, "x", 0) == (SLOW, TIMEOUT)
