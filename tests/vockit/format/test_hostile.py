"""Malicious files: each gets a few remarks quickly, and nothing is raised."""

import gzip
import os
import time
import tracemalloc
from pathlib import Path

import pytest

from tests.exporting import verify_tree
from tests.trees import make_tree, write
from vockit.foreign.tree_files import MOST_ANNOTATION_BYTES, read_bytes
from vockit.format.read import Reading, read_annotation

from .test_read import IMAGE, OBJECT, VALID, rules_at

pytestmark = pytest.mark.slow

MOST_SECS = 5.0
MOST_MB = 100
"""Each of the files below takes a tenth of these limits."""


def read(data: bytes) -> Reading:
    """The reading of a file, which took little time and memory."""
    tracemalloc.start()
    started = time.process_time()
    try:
        reading = read_annotation(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert time.process_time() - started < MOST_SECS
    assert peak < MOST_MB * 1e6
    assert len(reading.remarks) < 100
    return reading


BOMBS = {
    "entities of entities": "<!DOCTYPE a ["
    + "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9))
    + "]>\n<annotation>&a9;</annotation>\n",
    "one long entity many times": '<!DOCTYPE a [<!ENTITY a "{}">]>\n<annotation>{}'
    "</annotation>\n".format("ha" * 20_000, "&a;" * 20_000),
    "a file of this machine": '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n'
    "<annotation><folder>&a;</folder></annotation>\n",
    "a file of another machine": '<!DOCTYPE a SYSTEM "http://192.0.2.1/a.dtd">\n<annotation/>\n',
    "entities by parameter": '<!DOCTYPE a [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]>\n'
    "<annotation/>\n",
}


@pytest.mark.parametrize("name", BOMBS)
def test_an_xml_bomb_is_refused_without_expansion(name: str) -> None:
    reading = read(BOMBS[name].encode())
    assert reading.image is None
    assert {"doctype", "xml"} <= {remark.rule for remark in reading.remarks}
    assert "root:" not in str(reading.remarks)


MANY = 5_000
LONG = {
    "deep nesting": "<annotation>" + "<a>" * MANY + "</a>" * MANY + "</annotation>",
    "deep nesting that never ends": "<annotation>" * MANY,
    "objects in objects": "<annotation>" + "<object>" * MANY + "</object>" * MANY + "</annotation>",
    "comments": VALID.replace("\t<object>", "\t" + "<!---->" * MANY + "<object>"),
    "open comments": "<!--" * MANY,
    "open tags": "<" * MANY,
    "open declarations": "<!A" * MANY,
    "open cdata": "<![CDATA[" * MANY,
    "blank lines": VALID + "\n" * MANY,
    "ampersands": VALID.replace("flickr", "&amp;" * MANY),
    "bare ampersands": VALID.replace("flickr", "& " * MANY),
    "a long text": VALID.replace("flickr", "a\n" * MANY),
    "a long tag": VALID.replace("segmented", "s" * MANY),
    "a long attribute": VALID.replace("<object>", f'<object id="{"1" * MANY}">'),
    "many attributes": VALID.replace(
        "<object>", "<object " + " ".join(f'a{n}="1"' for n in range(MANY // 10)) + ">"
    ),
    "folders": VALID.replace("\t<size>", "\t<folder>a</folder>\n" * MANY + "\t<size>"),
    "blanks": VALID.replace("\t<size>", " " * MANY + "<size>"),
    "one byte again and again": "\x00" * MANY,
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_broken_file_gets_few_remarks(name: str) -> None:
    assert read(LONG[name].encode()).remarks


def test_a_file_with_500_objects_is_read_without_remarks() -> None:
    reading = read(VALID.replace(OBJECT, OBJECT * 500).encode())
    assert reading.image is not None
    assert len(reading.image.objects) == 500
    assert reading.remarks == ()


NUMBERS = ["9" * 18, "1e308", "1e999", "-1e308", "9" * 5000, "1" + ",000" * 1000, "-0", "1e-400"]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("place", ["<xmax>251", "<width>500", "<depth>3"])
def test_a_huge_number_gets_a_remark(number: str, place: str) -> None:
    tag = place[: place.index(">") + 1]
    reading = read(VALID.replace(place, tag + number, 1).encode())
    rules = {remark.rule for remark in reading.remarks}
    if number in ("-0", "9" * 18) and place != "<xmax>251":
        return  # a whole number, of which verify says that the picture has another size
    assert rules & {"number", "integer", "box-inside", "box-order"}


@pytest.mark.parametrize("number", ["nan", "NaN", "-inf", "Infinity", "1e999", "٣", "½", "0x1F"])
def test_a_value_that_is_no_number_is_named_with_its_line(number: str) -> None:
    text = VALID.replace("<ymin>12", f"<ymin>{number}", 1)
    assert (22, "number") in rules_at(text)
    assert read(text.encode()).image is None


ENCODINGS = ["latin-1", "cp1252", "utf-16-le", "utf-16-be", "utf-32", "shift-jis"]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_an_undeclared_encoding_is_named(encoding: str) -> None:
    text = VALID.replace("flickr", "Zoë" if encoding != "shift-jis" else "写真")
    reading = read(text.encode(encoding))
    rules = {remark.rule for remark in reading.remarks}
    assert rules & {"encoding", "xml", "entity", "text-between-tags"} or reading.image == IMAGE
    if reading.image is not None:  # as XML without a declaration it may be valid, too
        assert encoding in ("utf-16-le", "utf-16-be", "utf-32")


@pytest.mark.parametrize("encoding", ["gbk", "shift-jis", "no-such-thing", "rot13", "base64"])
def test_an_unknown_declared_encoding_is_named(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n{VALID}'
    reading = read(text.replace("flickr", "x").encode())
    assert reading.remarks
    assert "xml-declaration" in {remark.rule for remark in reading.remarks}


@pytest.mark.parametrize(
    ("place", "text", "rules"),
    [
        *(
            (place, f"{place[:3]}\0{place[3:]}", {"xml"})
            for place in ("flickr", "person", "2008_000002.jpg")
        ),
        ("<annotation>\n", "<an\0notation>\n", {"xml"}),
        *(
            ("flickr", f"a{reference};b", {"entity", "xml"})
            for reference in ("&#0", "&#x0", "&#1", "&#xD800")
        ),
        ("flickr", "a&#xFFFFFFFF;b", {"entity", "xml"}),
    ],
)
def test_a_character_invalid_in_xml_is_named(place: str, text: str, rules: set[str]) -> None:
    reading = read(VALID.replace(place, text, 1).encode())
    assert reading.image is None
    assert rules <= {remark.rule for remark in reading.remarks}


def test_compressed_data_is_not_read_as_an_annotation() -> None:
    assert read(gzip.compress(VALID.encode())).image is None


def test_an_annotation_over_the_size_limit_is_not_read(tmp_path: Path) -> None:
    tree = make_tree(tmp_path)
    path = tree / "Annotations/2012_000001.xml"
    write(path, " " * (MOST_ANNOTATION_BYTES + 1))
    (violation,) = (remark for remark in verify_tree(tree) if remark.file == str(path))
    assert (violation.rule, violation.message) == (
        "unreadable",
        "expected a file of at most 25000000 bytes",
    )


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("Annotations/2012_000001.xml", "unreadable"),
        ("JPEGImages/2012_000001.jpg", "jpeg"),
        ("ImageSets/Main/val.txt", None),
        ("SegmentationClass/2012_000001.png", "unreadable"),
    ],
)
def test_a_pipe_or_a_device_is_not_opened(tmp_path: Path, name: str, rule: str | None) -> None:
    tree = make_tree(tmp_path)
    (tree / name).unlink()
    os.mkfifo(tree / name)
    rules = {
        violation.rule for violation in verify_tree(tree) if violation.file == str(tree / name)
    }
    assert rules == {rule or "set-missing"}
    (tree / name).unlink()
    (tree / name).symlink_to("/dev/zero")
    assert verify_tree(tree)
    assert isinstance(read_bytes(tree / name), str)
