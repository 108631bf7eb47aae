"""The short way through files as releases write them gives what the careful reader gives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from export.voc.read import read_annotation, read_carefully
from export.voc.records import VocImage
from export.voc.scan import scan_annotation
from export.voc.styles import STYLE_2007, STYLE_2008, STYLE_2012, VocStyle
from export.voc.write import format_annotation
from tests.export.strategies import images
from tests.export.trees import OBJECTS, annotation

STYLES = (STYLE_2007, STYLE_2008, STYLE_2012)
INSERTED = ("", "0", "1", "7", "-1", " ", "\t", "\n", "\r", "<", "&amp;", "x", "\x00", "é", "true")
INSERTED_TAGS = ("<part>", "</object>\n", "\t<owner>\n\t</owner>\n", "<difficult>1</difficult>")


@pytest.mark.parametrize("image_id", OBJECTS)
def test_plain_files_take_the_short_way(image_id: str) -> None:
    data = annotation(image_id, OBJECTS[image_id]).encode()
    scan = scan_annotation(data)
    careful = read_carefully(data)
    assert scan is not None
    assert scan.image == careful.image
    assert careful.remarks == ()
    assert read_annotation(data).find_places() == careful.find_places()


@given(images(), st.sampled_from(STYLES))
def test_every_record_in_every_style_is_read_alike(image: VocImage, style: VocStyle) -> None:
    data = format_annotation(image, style).encode()
    assert read_annotation(data) == read_carefully(data)


def is_as_scanned(data: bytes) -> bool:
    """Whether the file is what writing its record in the scanned style gives, or has none."""
    scan = scan_annotation(data)
    return scan is None or format_annotation(scan.image, scan.style).encode() == data


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<xmin>", "<xmin>0"),
        ("<database>The ", "<database>The  "),
        ("<source>", " <source>"),
        ("<width>", "<width>+"),
        ("<xmax>", "<xmax>+"),
    ],
)
def test_what_would_be_written_otherwise_is_read_carefully(old: str, new: str) -> None:
    text = annotation("2012_000001", OBJECTS["2012_000001"])
    assert old in text
    assert scan_annotation(text.replace(old, new).encode()) is None


@settings(max_examples=150)
@given(
    images(),
    st.sampled_from(STYLES),
    st.floats(0, 1),
    st.integers(0, 30),
    st.sampled_from(INSERTED + INSERTED_TAGS),
)
def test_a_damaged_file_is_never_read_otherwise(
    image: VocImage, style: VocStyle, place: float, cut: int, inserted: str
) -> None:
    text = format_annotation(image, style)
    at = int(place * len(text))
    data = (text[:at] + inserted + text[at + cut :]).encode("utf-8", "surrogatepass")
    assert read_annotation(data) == read_carefully(data)
    assert is_as_scanned(data)


@given(images(), st.sampled_from(STYLES), st.integers(0, 100), st.integers(0, 9), st.booleans())
def test_other_numbers_and_lines_twice_are_never_read_otherwise(
    image: VocImage, style: VocStyle, line: int, digit: int, is_twice: bool
) -> None:
    lines = format_annotation(image, style).splitlines(keepends=True)
    at = line % len(lines)
    changed = lines[at].replace("1", str(digit)).replace("3", f"{digit}00")
    lines[at : at + 1] = [changed, changed] if is_twice else [changed]
    data = "".join(lines).encode()
    assert read_annotation(data) == read_carefully(data)
    assert is_as_scanned(data)
