from __future__ import annotations

import gzip

import pytest
from werkzeug.test import TestResponse

from annotate_ui.static_files import FOLDER, PACKED_SUFFIXES

from .house import House

GZIP = {"Accept-Encoding": "gzip, deflate, br"}
SCRIPT = "/static/app/state/saving.js"
FIRST_LOAD_AT_MOST = 300_000


def get(house: House, path: str, **headers: str) -> TestResponse:
    return house.stranger().get(path, headers=headers)


@pytest.mark.parametrize("path", ["app/state/saving.js", "app.css", "icon.svg"])
def test_text_is_packed_for_a_browser_that_unpacks(house: House, path: str) -> None:
    packed = get(house, f"/static/{path}", **GZIP)
    plain = get(house, f"/static/{path}")
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data == (FOLDER / path).read_bytes()
    assert int(packed.headers["Content-Length"]) == len(packed.data)
    assert packed.headers["Content-Type"] == plain.headers["Content-Type"]


@pytest.mark.parametrize("wish", ["", "br", "identity", "gzip;q=0", "*;q=0"])
def test_who_does_not_take_gzip_gets_the_plain_file(house: House, wish: str) -> None:
    answer = get(house, SCRIPT, **{"Accept-Encoding": wish})
    assert "Content-Encoding" not in answer.headers
    assert answer.data == (FOLDER / "app/state/saving.js").read_bytes()


def test_caches_keep_packed_and_plain_apart(house: House) -> None:
    packed, plain = get(house, SCRIPT, **GZIP), get(house, SCRIPT)
    assert packed.headers["ETag"] != plain.headers["ETag"]
    for answer in (packed, plain):
        assert answer.headers["Vary"] == "Accept-Encoding"
        assert answer.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("wish", [GZIP, {}])
def test_a_file_that_did_not_change_is_not_sent_again(house: House, wish: dict[str, str]) -> None:
    known = get(house, SCRIPT, **wish).headers["ETag"]
    again = get(house, SCRIPT, **wish, **{"If-None-Match": known})
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["ETag"] == known
    assert again.headers["Vary"] == "Accept-Encoding"


def test_the_plain_files_etag_does_not_stand_for_the_packed_one(house: House) -> None:
    plain = get(house, SCRIPT).headers["ETag"]
    assert get(house, SCRIPT, **GZIP, **{"If-None-Match": plain}).status_code == 200


@pytest.mark.parametrize("path", ["app/nothing.js", "app", "../app.py", "..%2Fapp.py", "app/x.css"])
def test_what_is_not_a_file_of_the_pages_is_not_found(house: House, path: str) -> None:
    assert get(house, f"/static/{path}", **GZIP).status_code == 404
    assert get(house, f"/static/{path}").status_code == 404


def test_everything_a_page_loads_is_small_even_if_it_loads_all(house: House) -> None:
    files = [path for path in sorted(FOLDER.rglob("*")) if path.suffix in PACKED_SUFFIXES]
    urls = [f"/static/{path.relative_to(FOLDER).as_posix()}" for path in files]
    sizes = [len(get(house, url, **GZIP).data) for url in urls]
    assert sum(sizes) < FIRST_LOAD_AT_MOST
