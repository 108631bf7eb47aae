"""Text files of any editor and shell are read alike; what is no text is told in one sentence."""

from __future__ import annotations

import pytest

from vockit.format.image_sets import IMAGES_FORM, LABELS_FORM, parse_set
from vockit.format.label_map import parse_label_map
from vockit.format.text import NotTextError, decode_text

TEXT = (
    "# label:color_rgb:parts:actions\nbackground:0,0,0::\ncat:1,1,1::\ndog:2,2,2::\nfür:3,3,3::\n"
)
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-32"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_a_text_is_the_same_with_any_mark_and_line_end(encoding: str, line_end: str) -> None:
    assert decode_text(TEXT.replace("\n", line_end).encode(encoding)) == TEXT


def test_utf_16_of_the_other_byte_order_is_read_by_its_mark() -> None:
    assert decode_text(b"\xfe\xff" + TEXT.encode("utf-16-be")) == TEXT


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("head", [TEXT, TEXT.partition("\n")[2], "cat:1,1,1\ndog:2,2,2\nfür:\n"])
def test_a_label_map_has_its_classes_in_label_order(encoding: str, head: str) -> None:
    text = head.replace("\n", "\r\n")
    assert list(parse_label_map(text.encode(encoding))) == ["cat", "dog", "für"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"cat\nd\xf6g\n", "not UTF-8 or UTF-16 text, as its line 2 shows"),
        ("cat\ndog\n".encode("utf-16-le"), "it has a zero byte in line 1"),
        (b"\xff\xfec", "not UTF-8 or UTF-16 text"),
        (b"\xff\xfe", "a byte-order mark and nothing else"),
        (b"\x89PNG\r\n\x1a\n\0\0", "not UTF-8"),
    ],
)
def test_what_is_no_text_is_refused_with_the_line(data: bytes, message: str) -> None:
    with pytest.raises(NotTextError, match=message):
        decode_text(data)
    with pytest.raises(NotTextError):
        parse_label_map(data)


@pytest.mark.parametrize("encoding", ENCODINGS[1:])
def test_a_list_with_a_mark_has_all_its_lines_and_a_remark(encoding: str) -> None:
    lines, remarks = parse_set("a  1\nb -1\n".encode(encoding), LABELS_FORM)
    assert [(line.image_id, line.numbers) for line in lines] == [("a", (1,)), ("b", (-1,))]
    assert [remark.rule for remark in remarks] == ["bom"]
    lines, _ = parse_set("é\nz\n".encode(encoding), IMAGES_FORM)
    assert {line.image_id for line in lines} == {"é", "z"}
