from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulate.flickr.answers import Site, answer
from simulate.flickr.hostile import HOSTILE_TEXTS
from simulate.flickr.library import Library
from simulate.flickr.licences import LICENCES
from simulate.flickr.messages import Request
from simulate.flickr.photos import Availability, ContentType, Owner, Photo, Place, Taken

from .making import BASE_URL, make_call, make_file, make_library, make_photo

EXTRAS = (
    "description,license,date_upload,date_taken,owner_name,original_format,last_update,geo,tags,"
    "machine_tags,o_dims,views,media,path_alias,content_type,url_sq,url_t,url_s,url_q,url_m,url_n,"
    "url_z,url_c,url_l,url_o"
)


def ask(library: Library, method: str, **args: str) -> Any:
    response = answer(Site(library), make_call(method, args))
    assert response.status == 200
    assert ("x-robots-tag", "noindex") in response.headers
    return json.loads(response.body)


def search_one(photo: Photo, extras: str = EXTRAS) -> dict[str, Any]:
    reply = ask(
        make_library([photo]), "flickr.photos.search", user_id=photo.owner.nsid, extras=extras
    )
    found: dict[str, Any] = reply["photos"]["photo"][0]
    return found


def test_a_search_without_extras_has_the_plain_fields() -> None:
    photo = make_photo(7, title="Tom & <b>Ines</b>", uploaded_secs=1_600_000_000)
    reply = ask(make_library([photo]), "flickr.photos.search", text="tom")
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
                    "farm": 66,
                    "title": "Tom & <b>Ines</b>",
                    "ispublic": 1,
                    "isfriend": 0,
                    "isfamily": 0,
                }
            ],
        },
        "stat": "ok",
    }


def test_extras_come_with_flickrs_own_names_and_types() -> None:
    photo = make_photo(
        7,
        description="<b>Hi</b>",
        tags=("Living Room", "cat"),
        taken=Taken("2014-01-02 03:04:05", granularity=4),
        place=Place(52.5, -1.25),
        owner=Owner("1@N99", "ines", path_alias="ines"),
        content_type=ContentType.OTHER,
    )
    shown = search_one(photo)
    expected = {
        "license": "4",
        "description": {"_content": "<b>Hi</b>"},
        "o_width": "1200",
        "o_height": "900",
        "dateupload": str(photo.uploaded_secs),
        "lastupdate": str(photo.updated_secs),
        "datetaken": "2014-01-02 03:04:05",
        "datetakengranularity": "4",
        "datetakenunknown": "0",
        "ownername": "ines",
        "originalsecret": photo.original_secret,
        "originalformat": "jpg",
        "views": "7",
        "tags": "livingroom cat",
        "machine_tags": "",
        "latitude": "52.500000",
        "longitude": "-1.250000",
        "accuracy": "16",
        "media": "photo",
        "media_status": "ready",
        "pathalias": "ines",
        "content_type": "3",
        "url_m": f"{BASE_URL}/{photo.server}/90000000007_{photo.secret}.jpg",
        "width_m": 500,
        "height_m": 375,
        "url_l": f"{BASE_URL}/{photo.server}/90000000007_{photo.secret}_b.jpg",
        "width_l": 1024,
        "height_l": 768,
        "url_o": f"{BASE_URL}/{photo.server}/90000000007_{photo.original_secret}_o.jpg",
        "width_o": "1200",
    }
    assert {name: shown[name] for name in expected} == expected
    sizes = {name for name in shown if name.startswith("url_")}
    assert sizes == {f"url_{size}" for size in ["sq", "t", "s", "q", "m", "n", "z", "c", "l", "o"]}


def test_a_size_larger_than_the_original_is_absent() -> None:
    shown = search_one(make_photo(file=make_file(480, 360)))
    assert {name for name in shown if name.startswith("url_")} == {
        f"url_{size}" for size in ["sq", "t", "s", "q", "m", "n", "o"]
    }
    assert (shown["width_m"], shown["height_m"]) == (480, 360)


def test_a_hidden_original_leaves_no_trace() -> None:
    shown = search_one(make_photo(is_original_hidden=True))
    assert not {"o_width", "o_height", "originalsecret", "originalformat", "url_o"} & set(shown)


def test_types_drift_as_they_do_on_flickr() -> None:
    unknown = search_one(make_photo(taken=Taken("2014-01-02 03:04:05", is_unknown=True)))
    assert (unknown["datetakengranularity"], unknown["datetakenunknown"]) == (0, "1")
    assert unknown["latitude"] == 0
    assert unknown["pathalias"] is None
    totals = [
        ask(
            make_library([make_photo(n) for n in range(count)]),
            "flickr.photos.search",
            text="photo",
        )
        for count in (1, 2)
    ]
    assert [reply["photos"]["total"] for reply in totals] == [1, "2"]


def test_unknown_extras_add_nothing() -> None:
    assert search_one(make_photo(), "url_k,colour,") == search_one(make_photo(), "")


def test_info_holds_raw_tags_dates_owner_and_page() -> None:
    photo = make_photo(7, tags=("Living Room",), place=Place(1.0, 2.0))
    info = ask(make_library([photo]), "flickr.photos.getInfo", photo_id=str(photo.id))["photo"]
    assert info["tags"]["tag"][0] | {"id": ""} == {
        "id": "",
        "author": "11111111@N99",
        "authorname": "ines",
        "raw": "Living Room",
        "_content": "livingroom",
        "machine_tag": 0,
    }
    assert info["dates"]["posted"] == str(photo.uploaded_secs)
    assert info["owner"]["nsid"] == "11111111@N99"
    assert info["title"] == {"_content": "Photo 7"}
    assert info["location"]["latitude"] == "1.000000"
    page = f"{BASE_URL}/photos/11111111@N99/{photo.id}/"
    assert info["urls"] == {"url": [{"type": "photopage", "_content": page}]}


def test_sizes_are_listed_with_labels_and_addresses() -> None:
    photo = make_photo(7, file=make_file(800, 600, extension="png"))
    sizes = ask(make_library([photo]), "flickr.photos.getSizes", photo_id=str(photo.id))["sizes"]
    labels = [size["label"] for size in sizes["size"]]
    assert labels == [
        "Square", "Large Square", "Thumbnail", "Small", "Small 320", "Small 400", "Medium",
        "Medium 640", "Medium 800", "Original",
    ]  # fmt: skip
    assert sizes["size"][0]["width"] == 75
    assert sizes["size"][-1]["width"] == "800"
    assert sizes["size"][-1]["source"].endswith(f"_{photo.original_secret}_o.png")


def test_licences_are_those_that_flickr_lists() -> None:
    listed = ask(make_library([make_photo()]), "flickr.photos.licenses.getInfo")["licenses"]
    assert [row["id"] for row in listed["license"]] == [licence.id for licence in LICENCES]
    by_id = {row["id"]: row for row in listed["license"]}
    assert sorted(by_id) == list(range(17))
    assert by_id[4]["url"] == "https://creativecommons.org/licenses/by/2.0/"
    assert by_id[16]["name"] == "CC BY-NC-ND 4.0"


@pytest.mark.parametrize("state", [Availability.DELETED, Availability.PRIVATE])
def test_search_still_lists_what_is_no_longer_shown(state: Availability) -> None:
    library = make_library([make_photo(7, availability=state)])
    assert ask(library, "flickr.photos.search", text="photo")["photos"]["total"] == 1
    refusal = ask(library, "flickr.photos.getInfo", photo_id="90000000007")
    message = 'Photo "90000000007" not found (invalid ID)'
    assert refusal == {"stat": "fail", "code": 1, "message": message}


@pytest.mark.parametrize(
    ("method", "args", "code"),
    [
        ("flickr.photos.search", {}, 3),
        ("flickr.photos.search", {"user_id": "nobody"}, 2),
        ("flickr.photos.getInfo", {}, 1),
        ("flickr.photos.getInfo", {"photo_id": "x" * 1000}, 1),
        ("flickr.photos.getSizes", {"photo_id": "1"}, 1),
        ("flickr.photos.delete", {}, 112),
        ("", {}, 112),
        ("flickr.test.echo", {"api_key": ""}, 100),
        ("flickr.test.echo", {"api_key": "k" * 201}, 100),
    ],
)
def test_a_refusal_has_http_status_200_and_flickrs_code(
    method: str, args: dict[str, str], code: int
) -> None:
    refusal = ask(make_library([make_photo()]), method, **args)
    assert (refusal["stat"], refusal["code"]) == ("fail", code)


def test_only_the_keys_given_are_accepted() -> None:
    site = Site(make_library([make_photo()]), keys=frozenset({"mine"}))
    header = 'OAuth oauth_nonce="1", oauth_consumer_key="mi%6Ee", oauth_version="1.0"'
    good = make_call("flickr.test.echo", {"api_key": "mine"})
    bad = make_call("flickr.test.echo", {"api_key": "yours"})
    signed = Request(good.path, {**bad.args, "api_key": ""}, headers={"authorization": header})
    codes = [json.loads(answer(site, request).body).get("code") for request in (good, signed, bad)]
    assert codes == [None, None, 100]


def test_xml_is_the_format_when_none_is_asked_for() -> None:
    photo = make_photo(7, description="<i>x</i> & y", tags=("a", "b"))
    args = {"method": "flickr.photos.search", "api_key": "k", "text": "photo", "extras": EXTRAS}
    response = answer(Site(make_library([photo])), Request("/services/rest/", args))
    assert response.content_type == "text/xml; charset=utf-8"
    root = ET.fromstring(response.body)
    assert (root.tag, root.get("stat")) == ("rsp", "ok")
    shown = root.find("photos/photo")
    assert shown is not None
    assert shown.get("id") == "90000000007"
    assert shown.findtext("description") == "<i>x</i> & y"
    refused = answer(Site(make_library([photo])), Request("/services/rest/", {"method": "x"}))
    assert b'<err code="100" msg="Invalid API Key (Key has invalid format)"' in refused.body


def test_json_is_wrapped_in_a_call_unless_asked_not_to_be() -> None:
    args = {"nojsoncallback": ""}
    response = answer(Site(make_library([make_photo()])), make_call("flickr.test.echo", args))
    assert response.body.startswith(b'jsonFlickrApi({"method"')


def test_an_unknown_format_is_refused() -> None:
    args = {"format": "soap"}
    response = answer(Site(make_library([make_photo()])), make_call("flickr.test.echo", args))
    assert b'code="111"' in response.body


@given(text=st.text() | st.sampled_from(HOSTILE_TEXTS), name=st.text(min_size=1))
def test_any_text_of_a_member_gives_xml_and_json_that_can_be_read(text: str, name: str) -> None:
    photo = make_photo(
        1, title=text, description=text, tags=(text,), owner=Owner("1@N99", text, text)
    )
    site = Site(make_library([photo]))
    info = {"method": "flickr.photos.getInfo", "photo_id": str(photo.id), "api_key": "k"}
    echo = {name: text, "method": "flickr.test.echo", "api_key": "k"}
    ET.fromstring(answer(site, Request("/services/rest/", info)).body)
    ET.fromstring(answer(site, Request("/services/rest/", echo)).body)
    as_json = {**info, "format": "json", "nojsoncallback": "1"}
    reply = json.loads(answer(site, Request("/services/rest/", as_json)).body)
    assert reply["photo"]["title"]["_content"] == text


@pytest.mark.parametrize("path", ["/", "/services/soap/", "/photos/1@N99/1/", "/65535/1.jpg"])
def test_other_paths_are_not_found(path: str) -> None:
    assert answer(Site(make_library([make_photo()])), Request(path)).status == 404


def test_other_http_methods_are_refused() -> None:
    request = Request("/services/rest/", method="DELETE")
    assert answer(Site(make_library([make_photo()])), request).status == 405
