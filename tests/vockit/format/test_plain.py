"""Annotations written as VOC's own are read at once, and just as the careful reader does."""

from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import images
from vockit.format.plain import read_plain
from vockit.format.read import read_annotation
from vockit.format.records import VocBox, VocImage, VocObject, VocSize, VocSource
from vockit.format.write import STYLE_2007, STYLE_2008, STYLE_2012, VocStyle, format_annotation

CAT = VocObject("cat", VocBox(10, 10, 60, 60), "Left", False, False, True)
CATS = VocImage(
    "1.jpg",
    (CAT, CAT),
    "VOC2012",
    VocSource("a", "b", "c"),
    size=VocSize(100, 80, 3),
    segmented=True,
)
WRITTEN = format_annotation(CATS)
PIECES = st.sampled_from(
    [
        "<object>",
        "</object>",
        "<part>",
        "</part>",
        "<bndbox>",
        "</bndbox>",
        "<xmin>",
        "</xmin>",
        "<name>x</name>",
        "<name>",
        "<difficult>1</difficult>",
        "<difficult>yes</difficult>",
        "<xmin>1</xmin>",
        "<xmin>01</xmin>",
        "&amp;",
        "<!--x-->",
        "<name/>",
        "12",
        "1.5",
        "-3",
        "\x0c",
        "\r",
        "\ufeff",
        "\xa0",
        "\ufffe",
        "\x85",
        "<a-b>1</a-b>",
        "<?xml?>",
        "]]>",
        "<actions>",
        "<actions><part><name>x</name></part></actions>",
        "<actions><running>1</running></actions>",
    ]
)


@given(images(), st.sampled_from([STYLE_2007, STYLE_2008, STYLE_2012]))
def test_what_we_write_is_read_as_the_careful_reader_does(image: VocImage, style: VocStyle) -> None:
    data = format_annotation(image, style).encode()
    plain = read_plain(data)
    assert plain is None or plain == read_annotation(data).image


def test_a_file_in_the_form_of_voc_is_plain() -> None:
    assert read_plain(WRITTEN.encode()) == CATS


@given(
    st.lists(
        st.tuples(st.integers(0, len(WRITTEN)), st.integers(0, 40), st.just("") | PIECES),
        min_size=1,
        max_size=3,
    )
)
def test_a_file_that_was_changed_anywhere_is_read_the_same_or_left_to_the_careful_reader(
    changes: list[tuple[int, int, str]],
) -> None:
    text = WRITTEN
    for place, length, piece in changes:
        text = text[:place] + piece + text[place + length :]
    data = text.encode()
    plain = read_plain(data)
    assert plain is None or plain == read_annotation(data).image


def test_elements_in_an_action_are_left_to_the_careful_reader() -> None:
    actions = "<actions><part><name>head</name></part></actions></object>"
    data = WRITTEN.replace("</object>", actions).encode()
    assert read_plain(data) is None
    assert read_annotation(data).image is not None


@given(st.binary(max_size=60))
def test_no_bytes_are_refused_with_a_fault(data: bytes) -> None:
    assert read_plain(data) is None
