"""The bytes of photographs and static files."""

import gzip
import re

import pytest
from werkzeug.test import TestResponse

from catalog.image_store import digest_of
from catalog.states import ImageState
from web.static_files import FILES, FOLDER

from .house import House, make_jpeg


def test_an_image_is_sent_as_stored_and_cached_by_the_browser(house: House) -> None:
    _, data = house.add_file()
    ann, path, etag = house.ann(), f"/images/{digest_of(data)}.jpg", f'"{digest_of(data)}"'
    answer = ann.get(path)
    assert (answer.status_code, answer.data) == (200, data)
    assert answer.headers["Content-Type"] == "image/jpeg"
    assert answer.headers["Cache-Control"] == "private, max-age=31536000, immutable"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["ETag"] == etag
    answer = ann.get(path, headers={"If-None-Match": etag})
    assert (answer.status_code, answer.data) == (304, b"")
    assert answer.headers["Cache-Control"].startswith("private")
    assert ann.get(path, headers={"If-None-Match": '"other"'}).data == data


def test_only_images_of_the_catalogue_are_sent(house: House) -> None:
    stored = house.party.store.put(make_jpeg("red"))
    ann = house.ann()
    lost = house.image(house.add_image()).sha256
    assert "file is missing" in ann.get(f"/images/{lost}.jpg").text
    for digest in (stored, lost, "0" * 64, "0" * 63, "A" * 64, "..%2f..%2fparty", "session"):
        answer = ann.get(f"/images/{digest}.jpg")
        assert answer.status_code == 404, digest
        assert answer.headers["Cache-Control"] == "no-store"


def test_a_taken_down_image_is_not_sent(house: House) -> None:
    image_id, data = house.add_file()
    house.set_state(image_id, ImageState.TAKEN_DOWN)
    known = {"If-None-Match": f'"{digest_of(data)}"'}
    answer = house.olga().get(f"/images/{digest_of(data)}.jpg", headers=known)
    assert answer.status_code == 404


GZIP = {"Accept-Encoding": "gzip, deflate, br"}
SCRIPT = "/static/app/state/saving.js"
FIRST_LOAD_AT_MOST = 300_000


def get(house: House, path: str, **headers: str) -> TestResponse:
    return house.stranger().get(path, headers=headers)


@pytest.mark.parametrize(
    "name", ["app/state/saving.js", "work.css", "lessons.svg", "joined/en/app/menu.js"]
)
def test_files_are_compressed_for_browsers_that_accept_it(house: House, name: str) -> None:
    path = f"/static/{name}"
    packed, plain = get(house, path, **GZIP), get(house, path)
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert name.startswith("joined/") or plain.data == (FOLDER / name).read_bytes()
    assert int(packed.headers["Content-Length"]) == len(packed.data)
    assert packed.headers["ETag"] != plain.headers["ETag"]
    assert packed.headers["Content-Type"] == plain.headers["Content-Type"]
    for wish, answer in (GZIP, packed), ({}, plain):
        assert answer.headers["Vary"] == "Accept-Encoding"
        assert answer.headers["Cache-Control"] == "public, max-age=3600"
        known = {"If-None-Match": answer.headers["ETag"]}
        again = get(house, path, **wish, **known)
        assert (again.status_code, again.data) == (304, b"")


def test_without_gzip_plain_files_are_sent_and_unknown_files_are_404(house: House) -> None:
    for wish in ("", "br", "identity", "gzip;q=0", "*;q=0"):
        answer = get(house, SCRIPT, **{"Accept-Encoding": wish})
        assert "Content-Encoding" not in answer.headers, wish
        assert answer.data == (FOLDER / "app/state/saving.js").read_bytes()
    for path in (
        *("app/nothing.js", "app", "../app.py", "..%2Fapp.py", "app/x.css"),
        *("joined/en/app/x.js", "joined/xx/app/menu.js", "joined/../app.py"),
        *("joined/work-nothing.css", "joined/work-work.css", "joined/../static/work.css"),
    ):
        assert get(house, f"/static/{path}", **GZIP).status_code == 404, path


def test_all_static_files_together_are_small(house: House) -> None:
    sizes = [len(get(house, f"/static/{name}", **GZIP).data) for name in sorted(FILES)]
    assert sum(sizes) < FIRST_LOAD_AT_MOST


def test_scripts_and_styles_are_one_versioned_file_each(house: House) -> None:
    page = house.ann().get("/annotate").text
    (script,) = re.findall(r'src="(/static/at-\w+/joined/en/app/[^"]+\.js)"', page)
    (styles,) = re.findall(r'rel="stylesheet" href="([^"]+)"', page)
    for url in (script, styles):
        answer = get(house, url)
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.mimetype == "text/css"
    assert (FOLDER / "work.css").read_bytes() in answer.data
    answer = get(house, "/static/at-0123456789ab/work.css")
    assert answer.data == (FOLDER / "work.css").read_bytes()
    assert answer.headers["Cache-Control"] == "no-cache"


def test_a_joined_script_has_each_module_once_and_no_imports(house: House) -> None:
    for page in sorted(path.name for path in FOLDER.glob("app/*_page.js")):
        text = get(house, f"/static/joined/en/app/{page}").text
        assert not re.search(r"^(import|export)\b", text, re.MULTILINE), page
        modules = re.findall(r"^const (\$\w+) = \(\(\) => \{$", text, re.MULTILINE)
        assert len(modules) == len(set(modules)) > 5
        assert set(re.findall(r"^const .* = (\$\w+);$", text, re.MULTILINE)) <= set(modules)
