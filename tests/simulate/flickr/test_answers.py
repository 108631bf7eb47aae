from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulate.flickr.library import Library
from simulate.flickr.messages import Request
from simulate.flickr.photos import Availability, ContentType, Owner, Photo, Taken
from simulate.flickr.service import Site, answer

from .making import BASE_URL, make_call, make_file, make_photo

EXTRAS = (
    "license,date_upload,date_taken,owner_name,tags,media,content_type,"
    "url_sq,url_t,url_s,url_q,url_m,url_n,url_z,url_c,url_l"
)


def ask(library: Library, method: str, **args: str) -> Any:
    response = answer(Site(library), make_call(method, args))
    assert response.status == 200
    assert ("x-robots-tag", "noindex") in response.headers
    return json.loads(response.body)


def search_one(photo: Photo, extras: str = EXTRAS) -> dict[str, Any]:
    reply = ask(
        Library([photo]), "flickr.photos.search", max_upload_date="2100-01-01", extras=extras
    )
    found: dict[str, Any] = reply["photos"]["photo"][0]
    return found


def test_a_search_without_extras_has_the_plain_fields() -> None:
    photo = make_photo(7, title="Tom & <b>Ines</b>", uploaded_secs=1_600_000_000)
    reply = ask(Library([photo]), "flickr.photos.search", text="tom")
    assert reply == {
        "photos": {
            "page": 1,
            "pages": 1,
            "perpage": 100,
            "total": 1,
            "photo": [
                {
                    "id": "90000000007",
                    "owner": "11111111@N99",
                    "secret": photo.secret,
                    "server": "65535",
                    "title": "Tom & <b>Ines</b>",
                    "ispublic": 1,
                }
            ],
        },
        "stat": "ok",
    }


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
    assert sizes == {f"url_{size}" for size in ["sq", "t", "s", "q", "m", "n", "z", "c", "l"]}


def test_a_size_larger_than_the_original_is_absent() -> None:
    shown = search_one(make_photo(file=make_file(480, 360)))
    assert {name for name in shown if name.startswith("url_")} == {
        f"url_{size}" for size in ["sq", "t", "s", "q", "m", "n"]
    }
    assert (shown["width_m"], shown["height_m"]) == (480, 360)


def test_types_drift_as_they_do_on_flickr() -> None:
    unknown = search_one(make_photo(taken=Taken("2014-01-02 03:04:05", is_unknown=True)))
    assert unknown["datetakenunknown"] == "1"
    totals = [
        ask(Library([make_photo(n) for n in range(count)]), "flickr.photos.search", text="photo")
        for count in (1, 2)
    ]
    assert [reply["photos"]["total"] for reply in totals] == [1, "2"]


def test_unknown_extras_add_nothing() -> None:
    assert search_one(make_photo(), "url_k,colour,") == search_one(make_photo(), "")


def test_info_holds_licence_date_owner_and_title() -> None:
    photo = make_photo(7)
    info = ask(Library([photo]), "flickr.photos.getInfo", photo_id=str(photo.id))["photo"]
    assert info["license"] == "4"
    assert info["dateuploaded"] == str(photo.uploaded_secs)
    assert info["owner"]["nsid"] == "11111111@N99"
    assert info["title"] == {"_content": "Photo 7"}


@pytest.mark.parametrize("state", [Availability.DELETED, Availability.PRIVATE])
def test_search_still_lists_what_is_no_longer_shown(state: Availability) -> None:
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
def test_a_refusal_has_http_status_200_and_flickrs_code(
    method: str, args: dict[str, str], code: int
) -> None:
    refusal = ask(Library([make_photo()]), method, **args)
    assert (refusal["stat"], refusal["code"]) == ("fail", code)


def test_only_the_keys_given_are_accepted() -> None:
    site = Site(Library([make_photo()]), keys=frozenset({"mine"}))
    header = 'OAuth oauth_nonce="1", oauth_consumer_key="mi%6Ee", oauth_version="1.0"'
    good = make_call("flickr.test.echo", {"api_key": "mine"})
    bad = make_call("flickr.test.echo", {"api_key": "yours"})
    signed = Request(good.path, {**bad.args, "api_key": ""}, headers={"authorization": header})
    codes = [json.loads(answer(site, request).body).get("code") for request in (good, signed, bad)]
    assert codes == [None, None, 100]


@given(text=st.text())
def test_any_text_of_a_member_gives_json_that_can_be_read(text: str) -> None:
    photo = make_photo(1, title=text, description=text, tags=(text,), owner=Owner("1@N99", text))
    reply = ask(Library([photo]), "flickr.photos.getInfo", photo_id=str(photo.id))
    assert reply["photo"]["title"]["_content"] == text


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        *(
            (Request(path), 404)
            for path in ("/", "/services/soap/", "/photos/1@N99/1/", "/1/1.jpg")
        ),
        (Request("/services/rest/", method="DELETE"), 405),
    ],
)
def test_other_paths_and_methods_are_refused(request_: Request, status: int) -> None:
    assert answer(Site(Library([make_photo()])), request_).status == status
