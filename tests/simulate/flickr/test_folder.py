import logging
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from simulate.flickr.folder import FIRST_ID, read_library
from simulate.flickr.messages import Request, Response
from simulate.flickr.photos import BY_SUFFIX, Availability, ContentType, Photo, format_url
from simulate.flickr.search import Library
from simulate.flickr.server import answer
from simulate.flickr.table import parse_time_secs, write_table
from vockit.errors import SettingsError

from .making import BASE_URL, write_picture


def test_a_folder_without_a_table_gets_reproducible_records(tmp_path: Path) -> None:
    write_picture(tmp_path / "beach" / "IMG_0001 dog.JPG", format="JPEG")
    write_picture(tmp_path / "two.png", (30, 20))
    first, again = (read_library(tmp_path).photos for _ in range(2))
    assert first == again
    named = next(photo for photo in first if photo.file.name == "beach/IMG_0001 dog.JPG")
    assert {"beach", "dog"} <= set(named.tags)
    assert named.id >= FIRST_ID
    assert named.owner.nsid.endswith("@N99")
    assert parse_time_secs("2010-01-01") <= named.uploaded_secs < parse_time_secs("2025-01-01")
    assert read_library(tmp_path, seed=1).photos != first


def test_missing_cells_of_the_table_are_invented(tmp_path: Path) -> None:
    write_picture(tmp_path / "a.jpg")
    write_picture(tmp_path / "b.jpg", (100, 100))
    row = {
        "file": "a.jpg",
        "id": "123",
        "title": "Tom & Ines",
        "tags": "living room; cat",
        "owner": "ines",
        "licence": "9",
        "uploaded": "2014-05-06 07:08:09",
        "taken": "unknown",
        "content_type": "3",
        "state": "deleted",
    }
    write_table(tmp_path, [row])
    photo = read_library(tmp_path).find(123)
    assert photo is not None
    assert (photo.title, photo.tags) == ("Tom & Ines", ("living room", "cat"))
    assert (photo.owner.username, photo.licence_id) == ("ines", 9)
    assert photo.uploaded_secs == parse_time_secs("2014-05-06 07:08:09")
    assert photo.taken.is_unknown
    assert photo.taken.at == "2014-05-06 07:08:09"
    assert photo.content_type is ContentType.OTHER
    assert photo.availability is Availability.DELETED
    assert len(read_library(tmp_path).photos) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("file,colour\na.jpg,red\n", "'colour'"),
        ("title\nCat\n", "'file'"),
        ("file\nz.jpg\n", "'z.jpg'"),
        ("file,licence\na.jpg,99\n", "licence must be one of 0, 1,"),
        ("file,uploaded\na.jpg,today\n", "uploaded must be YYYY-MM-DD"),
        ("file,state\na.jpg,lost\n", "public, deleted, private"),
        ("file,title\na.jpg\n", "row 2 has not as many fields"),
        ("file,title\na.jpg,b,c\n", "row 2 has not as many fields"),
        ("file,title\na.jpg,b\na.jpg,b\na.jpg\n", "row 4 has not as many fields"),
    ],
)
def test_an_error_in_the_table_is_reported(tmp_path: Path, text: str, expected: str) -> None:
    write_picture(tmp_path / "a.jpg")
    (tmp_path / "photos.csv").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=expected) as error:
        read_library(tmp_path)
    assert "photos.csv" in str(error.value)


def test_a_bad_file_is_skipped_and_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_picture(tmp_path / "good.jpg")
    (tmp_path / "bad.jpg").write_bytes(b"<html>")
    with caplog.at_level(logging.WARNING):
        assert len(read_library(tmp_path)) == 1
    assert "bad.jpg is left out" in caplog.text


@pytest.fixture
def library(tmp_path: Path) -> Library:
    folder = tmp_path / "photos"
    write_picture(folder / "wide.jpg", (1200, 800))
    write_picture(folder / "logo.png", (600, 300))
    write_picture(folder / "deleted.jpg", (900, 900))
    write_picture(folder / "private.jpg")
    states = {"wide.jpg": "", "logo.png": "", "deleted.jpg": "deleted", "private.jpg": "private"}
    rows = [
        {"file": name, "id": str(number), "state": state}
        for number, (name, state) in enumerate(states.items(), start=1)
    ]
    write_table(folder, rows)
    return read_library(folder)


def get_photo(library: Library, number: int) -> Photo:
    photo = library.find(number)
    assert photo is not None
    return photo


def fetch(library: Library, number: int, suffix: str = "", **headers: str) -> Response:
    url = format_url(BASE_URL, get_photo(library, number), BY_SUFFIX[suffix])
    return fetch_path(library, url.removeprefix(BASE_URL), **headers)


def fetch_path(library: Library, path: str, **headers: str) -> Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return answer(library, Request(path, headers=names, base_url=BASE_URL))


def size_of(response: Response) -> tuple[int, int]:
    with Image.open(BytesIO(response.body)) as image:
        image.load()
        return image.size


@pytest.mark.parametrize(
    ("suffix", "expected"),
    [
        ("t", (100, 67)),
        ("m", (240, 160)),
        ("n", (320, 213)),
        ("w", (400, 267)),
        ("", (500, 333)),
        ("z", (640, 427)),
        ("c", (800, 533)),
        ("b", (1024, 683)),
    ],
)
def test_each_size_is_a_jpeg_of_the_size_in_the_api(
    library: Library, suffix: str, expected: tuple[int, int]
) -> None:
    response = fetch(library, 1, suffix)
    assert (response.status, response.content_type) == (200, "image/jpeg")
    assert size_of(response) == expected


def test_a_deleted_photo_redirects_to_a_placeholder_picture(library: Library) -> None:
    response = fetch(library, 3)
    location = dict(response.headers)["Location"]
    assert (response.status, response.body) == (302, b"")
    assert location == f"{BASE_URL}/pw/images/en-us/photo_unavailable.png"
    shown = fetch_path(library, location.removeprefix(BASE_URL))
    assert shown.content_type == "image/png"
    assert size_of(shown) == (375, 250)
    assert dict(fetch(library, 3, "c").headers)["Location"].endswith("photo_unavailable_l.png")


def test_an_unknown_image_address_is_not_found(library: Library) -> None:
    photo = get_photo(library, 1)
    names = [
        f"99_{photo.secret}.jpg",
        f"1_{'0' * 10}.jpg",
        f"1_{photo.secret}_x.jpg",
        f"1_{photo.secret}.png",
        f"1_{photo.secret}_o.jpg",
        f"2_{get_photo(library, 2).secret}_c.jpg",
        f"{'9' * 40}_{photo.secret}.jpg",
    ]
    responses = [fetch_path(library, f"/{photo.server}/{name}") for name in names]
    assert {(response.status, response.body) for response in responses} == {(404, b"")}


def test_sizes_are_upright_even_if_the_original_is_not(tmp_path: Path) -> None:
    path = write_picture(tmp_path / "a.jpg", (800, 600))
    with Image.open(path) as image:
        exif = Image.Exif()
        exif[0x0112] = 6
        image.save(path, exif=exif)
    library = read_library(tmp_path)
    number = library.photos[0].id
    assert size_of(fetch(library, number)) == (375, 500)
    with Image.open(BytesIO(fetch(library, number).body)) as shown:
        assert not shown.getexif()


def test_a_file_that_is_damaged_later_is_a_server_error(library: Library) -> None:
    path = get_photo(library, 1).file.path
    path.write_bytes(path.read_bytes()[:3000])
    assert fetch(library, 1).status == 500
