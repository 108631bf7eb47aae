"""The bytes of photographs and static files."""

import gzip
import re
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from annotate_ui.app import STATIC
from catalog.image_store import digest_of
from catalog.states import ImageState
from web.app import STATIC as SHARED
from web.static_files import StaticFiles, read_folder

from .house import House, make_jpeg


def test_an_image_is_sent_as_stored_and_cached_by_the_browser(house: House) -> None:
    _, data = house.add_file()
    ann = house.ann()
    path = f"/images/{digest_of(data)}.jpg"
    etag = f'"{digest_of(data)}"'
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
FIRST_LOAD_AT_MOST = 200_000


def get(house: House, path: str, **headers: str) -> TestResponse:
    return house.stranger().get(path, headers=headers)


@pytest.mark.parametrize("name", ["app/state/saving.js", "work.css", "lessons.svg"])
def test_files_are_compressed_for_browsers_that_accept_it(house: House, name: str) -> None:
    path = f"/static/{name}"
    packed = get(house, path, **GZIP)
    plain = get(house, path)
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert plain.data == (STATIC / name).read_bytes()
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
        assert answer.data == (STATIC / "app/state/saving.js").read_bytes()
    for path in (
        "app/nothing.js",
        "app",
        "../app.py",
        "..%2Fapp.py",
        "app/x.css",
        "app/texts/en.js",
        "app/texts/xx.js",
        "0123456789abcdef/../app.py",
    ):
        assert get(house, f"/static/{path}", **GZIP).status_code == 404, path


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_first_visit_of_the_annotation_page_is_small(house: House, language: str) -> None:
    asking = {**GZIP, "Accept-Language": language}
    page = house.ann().get("/annotate", headers=asking).text
    links = set(re.findall(r'(?:src|href)="(/(?:static|texts)[^"]+)"', page))
    sizes = [len(get(house, link, **asking).data) for link in links]
    assert len(sizes) > 50
    assert sum(sizes) < FIRST_LOAD_AT_MOST


def test_a_page_loads_its_modules_at_one_address_that_is_kept_for_ever(house: House) -> None:
    page = house.ann().get("/annotate").text
    links = re.findall(r'(?:src|href)="(/static/[^"]+)"', page)
    (digest,) = {link.split("/")[2] for link in links}
    assert re.fullmatch("[0-9a-f]{16}", digest)
    files = read_folder(SHARED) | read_folder(STATIC)
    for link in links:
        answer = get(house, link)
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        name = link.removeprefix(f"/static/{digest}/")
        assert answer.data == files[name], "a file is sent as it is"
    assert f'<script type="module" src="/static/{digest}/app/annotate_page.js">' in page
    answer = get(house, "/static/0123456789abcdef/work.css")
    assert answer.data == (STATIC / "work.css").read_bytes()
    assert answer.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("path", [*sorted(STATIC.glob("app/*_page.js")), STATIC / "app/menu.js"])
def test_all_modules_of_a_script_are_listed_once_for_the_browser(path: Path) -> None:
    script = path.relative_to(STATIC).as_posix()
    modules = StaticFiles(read_folder(STATIC)).list_modules(script)
    assert len(modules) == len(set(modules))
    listed = {script, *modules}
    for name in listed:
        text = (STATIC / name).read_text()
        lines = re.findall(
            r"^(?:import|export|\} from)\b.*?[\"']([^\"']+)[\"'];$", text, re.MULTILINE
        )
        for line in (line for line in lines if line.startswith(".")):
            imported = (STATIC / name).parent.joinpath(line).resolve().relative_to(STATIC)
            assert imported.as_posix() in listed, name
    assert not (path.name.endswith("_page.js") and len(modules) < 5)


def test_modules_that_import_each_other_are_listed_once() -> None:
    files = StaticFiles(
        {
            "page.js": b'import { a } from "./sub/a.js";\nimport {\n  b,\n} from "./b.js";\n',
            "sub/a.js": b'import * as b from "../b.js";\nexport const text = "from \'./c.js\'";\n',
            "b.js": b'export { a } from "./sub/a.js";\n',
        }
    )
    assert files.list_modules("page.js") == ["sub/a.js", "b.js"]
