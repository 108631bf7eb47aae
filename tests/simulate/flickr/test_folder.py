from __future__ import annotations

import logging
from pathlib import Path

import pytest

from catalog.errors import SettingsError
from simulate.flickr.folder import read_library
from simulate.flickr.invent import FIRST_ID
from simulate.flickr.photos import Availability, ContentType
from simulate.flickr.table import parse_time_secs, write_table

from .making import write_picture


def test_a_folder_without_a_table_gets_records_that_are_always_the_same(tmp_path: Path) -> None:
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


def test_the_table_says_what_is_known_and_the_rest_is_invented(tmp_path: Path) -> None:
    write_picture(tmp_path / "a.jpg")
    write_picture(tmp_path / "b.jpg", (100, 100))
    row = {
        "file": "a.jpg", "id": "123", "title": "Tom & Ines", "tags": "living room; cat",
        "owner": "ines", "licence": "9", "uploaded": "2014-05-06 07:08:09", "taken": "unknown",
        "content_type": "3",
        "state": "deleted",
    }  # fmt: skip
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
    ],
)
def test_a_wrong_table_is_told_in_a_sentence(tmp_path: Path, text: str, expected: str) -> None:
    write_picture(tmp_path / "a.jpg")
    (tmp_path / "photos.csv").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=expected) as error:
        read_library(tmp_path)
    assert "photos.csv" in str(error.value)


def test_what_is_no_picture_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_picture(tmp_path / "good.jpg")
    (tmp_path / "bad.jpg").write_bytes(b"<html>")
    with caplog.at_level(logging.WARNING):
        assert len(read_library(tmp_path)) == 1
    assert "bad.jpg is left out" in caplog.text
