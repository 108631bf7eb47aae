"""The picture is stored with the pixels that the annotation speaks of."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from catalog.image_store import digest_of
from export.importing.import_batch import PictureError, TreePicture, read_picture
from voc.jpeg import read_jpeg_header
from voc.records import VocSize

LIMIT = 1_000_000


def make_jpeg(
    width: int = 60, height: int = 40, *, orientation: int = 1, mode: str = "RGB"
) -> bytes:
    picture = Image.new("RGB", (width, height), "red")
    picture.paste("blue", (0, 0, width // 2, height // 2))
    exif = Image.Exif()
    exif[0x0112] = orientation
    file = io.BytesIO()
    options = {} if orientation == 1 else {"exif": exif}
    picture.convert(mode).save(file, "JPEG", quality=95, **options)
    return file.getvalue()


def is_blue(data: bytes, place: tuple[int, int]) -> bool:
    with Image.open(io.BytesIO(data)) as image:
        red, _green, blue = image.convert("RGB").getpixel(place)  # type: ignore[misc]
    return bool(blue > red)


@pytest.mark.parametrize("size", [VocSize(60, 40, 3), None, VocSize(0, 0, 3)])
def test_a_plain_jpeg_is_kept_byte_for_byte_whatever_is_said_of_its_size(
    size: VocSize | None,
) -> None:
    data = make_jpeg()
    assert read_picture(data, size, LIMIT) == TreePicture(data, (60, 40))


@pytest.mark.parametrize("orientation", [2, 3, 6, 8])
def test_boxes_on_the_pixels_as_they_lie_keep_them_and_lose_the_turn(orientation: int) -> None:
    data = make_jpeg(orientation=orientation)
    picture = read_picture(data, VocSize(60, 40, 3), LIMIT)
    assert picture.original_sha256 == digest_of(data)
    assert picture.size_wh == (60, 40)
    with Image.open(io.BytesIO(picture.data)) as stored, Image.open(io.BytesIO(data)) as came:
        assert 0x0112 not in stored.getexif()
        assert stored.tobytes() == came.tobytes()


def test_boxes_on_the_upright_picture_get_it_upright() -> None:
    data = make_jpeg(orientation=6)
    picture = read_picture(data, VocSize(40, 60, 3), LIMIT)
    assert picture.size_wh == (40, 60)
    assert is_blue(picture.data, (35, 5))
    assert not is_blue(picture.data, (5, 5))
    assert picture.original_sha256 == digest_of(data)


def test_a_grey_picture_is_kept_and_gets_a_colour_file_for_releases() -> None:
    data = make_jpeg(mode="L")
    picture = read_picture(data, None, LIMIT)
    assert picture.data is data
    assert picture.release_data is not None
    assert read_jpeg_header(picture.release_data).fits_voc


@pytest.mark.parametrize(
    ("data", "size", "reason"),
    [
        (b"", None, "no whole JPEG"),
        (b"<html>", None, "no whole JPEG"),
        (make_jpeg()[:-200], None, "no whole JPEG"),
        (make_jpeg(), VocSize(61, 40, 3), "says 61 x 40 pixels, but its picture has 60 x 40"),
        (make_jpeg(2000, 2000), None, "2000 x 2000 pixels"),
    ],
)
def test_a_picture_that_cannot_be_taken_says_why(
    data: bytes, size: VocSize | None, reason: str
) -> None:
    with pytest.raises(PictureError, match=reason):
        read_picture(data, size, LIMIT)
