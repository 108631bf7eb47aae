from __future__ import annotations

import json
from typing import Any

import pytest

from simulate.flickr.photos import Availability, ContentType, Owner, Photo, Taken
from simulate.flickr.search import Library
from simulate.flickr.service import answer

from .making import BASE_URL, make_call, make_photo

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
    found: dict[str, Any] = reply["photos"]["photo"][0]
    return found


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
