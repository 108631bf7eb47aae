"""What the development kit's reader does not read is named, with its line."""

import pytest

from vockit.format.kit_syntax import find_kit_remarks
from vockit.format.read import read_annotation

from .test_read import IMAGE, VALID, rules_at


def test_a_valid_file_has_no_remark() -> None:
    assert find_kit_remarks(VALID.encode()) == []


def test_carriage_returns_are_accepted() -> None:
    reading = read_annotation(VALID.replace("\n", "\r\n").encode())
    assert (reading.image, reading.remarks) == (IMAGE, ())


BROKEN = [
    ('<?xml version="1.0"?>\n' + VALID, (1, "xml-declaration")),
    ("\ufeff" + VALID, (1, "bom")),
    (VALID.replace("flickr", "fl\xefckr").encode("latin-1"), (7, "encoding")),
    (VALID.replace("\t<segmented>", "  <segmented>"), (14, "space-between-tags")),
    (VALID.replace("</depth>", "</depth> "), (12, "space-between-tags")),
    (VALID + " ", (38, "space-between-tags")),
    (VALID.replace("<object>", '<object id="1">'), (15, "attribute")),
    (VALID.replace("\t<object>", "\t<!-- two -->\n\t<object>"), (15, "comment")),
    (VALID.replace("flickr", "<![CDATA[flickr]]>"), (7, "cdata")),
    ("<!DOCTYPE annotation>\n" + VALID, (1, "doctype")),
    (VALID.replace("<segmented>0</segmented>", "<segmented/>"), (14, "self-closing")),
    (VALID.replace("flickr", "Tom &amp; Jerry"), (7, "entity")),
    (VALID.replace("flickr", "Tom & Jerry"), (7, "entity")),
    (VALID.replace("flickr", "fli\nckr"), (7, "line-break-in-text")),
    (VALID.replace("\t<object>", "\tobject:\n\t<object>"), (14, "text-between-tags")),
    (VALID.replace("\t<object>", "\n\t<object>"), (15, "blank-line")),
    (VALID.removesuffix("\n"), (37, "final-newline")),
    (VALID.replace("\t\t<pose>", "\t<pose>"), (17, "indentation")),
    (VALID.replace("</pose>\n\t\t<trunc", "</pose><trunc"), (17, "indentation")),
    (VALID.replace("pose>", "p-ose>"), (17, "tag-name")),
]


@pytest.mark.parametrize(("text", "broken"), BROKEN)
def test_each_construct_is_named_with_its_line(text: str | bytes, broken: tuple[int, str]) -> None:
    data = text.encode() if isinstance(text, str) else text
    assert broken in [(remark.line, remark.rule) for remark in find_kit_remarks(data)]
    assert broken in rules_at(data)


def test_one_remark_for_each_rule_counts_the_others() -> None:
    text = VALID.replace("</pose>", "</pose> ").replace("</depth>", "</depth> ")
    (remark,) = find_kit_remarks(text.encode())
    assert (remark.line, remark.rule) == (12, "space-between-tags")
    assert remark.message.endswith("; 1 more in this file")
