"""What a line of a table, or a file itself, says of its photograph."""

import io
from datetime import UTC, datetime, timedelta, timezone

import pytest
from PIL import ExifTags, Image

from catalog.states import Source
from collect.imports.table import (
    DetailError,
    LicenceRules,
    TableRow,
    find_origin,
    find_taken_at,
    make_details,
)

TAG = ExifTags.Base
NO_LICENCES = LicenceRules({})


@pytest.mark.parametrize(
    ("cells", "origin"),
    [
        ({}, (Source.URLS, "museum.csv")),
        ({"query": "tabby"}, (Source.URLS, "tabby")),
        ({"source": "Flickr", "id": "7"}, (Source.FLICKR, "museum.csv")),
        ({"source": "commons", "id": "7", "query": "tabby"}, (Source.COMMONS, "tabby")),
        ({"source": "Museum"}, (Source.URLS, "Museum: museum.csv")),
        ({"source": "Museum", "query": "tabby"}, (Source.URLS, "Museum: tabby")),
        ({"query": "a" * 201}, (Source.URLS, "a" * 200)),
    ],
)
def test_a_photograph_counts_for_the_source_and_the_query_of_its_line(
    cells: dict[str, str], origin: tuple[Source, str]
) -> None:
    assert find_origin(TableRow(2, cells), Source.URLS, "museum.csv") == origin


@pytest.mark.parametrize("source", ["flickr", "Commons"])
def test_a_photograph_of_a_searched_source_needs_its_id_there(source: str) -> None:
    with pytest.raises(DetailError, match="there is no id of it there"):
        find_origin(TableRow(2, {"source": source}), Source.URLS, "museum.csv")


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-05-31", datetime(2024, 5, 31, tzinfo=UTC)),
        ("2024-05-31 12:30", datetime(2024, 5, 31, 12, 30, tzinfo=UTC)),
        ("2024-05-31T12:30:01Z", datetime(2024, 5, 31, 12, 30, 1, tzinfo=UTC)),
        (
            "2024-05-31T12:30:00+02:00",
            datetime(2024, 5, 31, 12, 30, tzinfo=timezone(timedelta(hours=2))),
        ),
    ],
)
def test_a_moment_of_upload_without_a_zone_is_in_utc(text: str, moment: datetime) -> None:
    assert make_details(TableRow(2, {"uploaded": text}), NO_LICENCES)["uploaded_at"] == moment


@pytest.mark.parametrize("text", ["yesterday", "31.05.2024", "2024-13-01", "2024", "0"])
def test_a_line_whose_moment_of_upload_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(DetailError, match="not a date like 2024-05-31"):
        make_details(TableRow(2, {"uploaded": text}), NO_LICENCES)


def make_picture(form: str, outer: dict[int, str], inner: dict[int, str]) -> bytes:
    """A picture with these tags in its EXIF, and in the part of it that cameras write."""
    exif = Image.Exif()
    exif.update(outer)
    exif.get_ifd(ExifTags.IFD.Exif).update(inner)
    file = io.BytesIO()
    Image.new("RGB", (8, 8)).save(file, form, exif=exif.tobytes())
    return file.getvalue()


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize(
    ("outer", "inner", "taken_at"),
    [
        ({}, {}, None),
        ({TAG.DateTime: "2009:01:02 03:04:05"}, {}, "2009-01-02 03:04:05"),
        (
            {TAG.DateTime: "2019:01:01 00:00:00"},
            {
                TAG.DateTimeOriginal: "2009:01:02 03:04:05",
                TAG.DateTimeDigitized: "2010:01:01 00:00:00",
            },
            "2009-01-02 03:04:05",
        ),
        (
            {TAG.DateTime: "2019:01:01 00:00:00"},
            {
                TAG.DateTimeOriginal: "0000:00:00 00:00:00",
                TAG.DateTimeDigitized: "2010:01:01 00:00:00",
            },
            "2010-01-01 00:00:00",
        ),
        ({TAG.DateTime: "01/02/2009"}, {TAG.DateTimeOriginal: "    :  :     :  :  "}, None),
        ({}, {TAG.DateTimeOriginal: " 2009:01:02 03:04:05.25 "}, "2009-01-02 03:04:05"),
    ],
)
def test_the_first_moment_that_the_camera_wrote_is_when_it_was_taken(
    form: str, outer: dict[int, str], inner: dict[int, str], taken_at: str | None
) -> None:
    assert find_taken_at(make_picture(form, outer, inner)) == taken_at


@pytest.mark.parametrize("data", [b"", b"no picture", b"\xff\xd8\xff\xe1\x00\x10Exif\0\0broken"])
def test_a_file_without_readable_exif_has_no_moment(data: bytes) -> None:
    assert find_taken_at(data) is None
